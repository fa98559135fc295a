import { Icon } from "../Icon";
import type { JsonObject } from "../model/json";
import { isObject } from "../model/json";
import { secondsInWords } from "../model/words";
import { useBuilder } from "../store";
import { Section } from "./Section";
import { Expression } from "./expression/Expression";
import { CodeControl } from "./fields/Code";
import { Frame } from "./fields/Frame";
import { MappingControl } from "./fields/MappingControl";
import { OPTION_WORDS } from "./fields/simple";
import { Unknown } from "./fields/Unknown";
import { Valued } from "./fields/Valued";
import { Reads } from "./fields/reads";
import { sampleInput } from "./form/kinds";
import { type Shape, anyShape, shapesOf, short } from "./schema";
import { docSpot, problemsAt } from "./spot";

/** What is true of the whole workflow. */
export function SettingsForm() {
  const doc = useBuilder((now) => now.doc);
  const problems = useBuilder((now) => now.problems);
  const name = useBuilder((now) => now.boot.name);
  const schema = useBuilder((now) => now.boot.definition_schema.settings) as JsonObject;
  const shapes = Object.fromEntries(shapesOf(schema).map((shape) => [shape.name, shape])) as Record<string, Shape>;
  const spot = (key: string) => docSpot(doc, ["settings", key], key, shapes[key]?.title ?? key, "the workflow");
  const has = (...keys: string[]) => keys.some((key) => problemsAt(problems, key, true).length > 0);
  const { output, business_key: key, sla_seconds: sla, input_schema: input } = doc.settings;
  const { on_failure: failure, compensation: undoing, request } = doc.settings;
  const fields = isObject(input) && isObject(input.properties) ? Object.keys(input.properties) : [];
  const business = spot("business_key");
  const result = spot("output");
  const metadata = spot("metadata");
  return (
    <>
      <header className="insp-head">
        <h2>The workflow</h2>
        <p className="insp-id">
          <span>Name</span> <code>{name}</code>
        </p>
      </header>
      <div className="insp-part">
        <Valued spot={spot("title")} shape={{ ...shapes.title, fallback: name }} isFixed />
        <Valued spot={spot("description")} shape={shapes.description} isFixed />
      </div>
      <Section title="Run input" isOpen summary={fields.join(", ")} hasProblems={has("input_schema")}>
        <Valued spot={spot("input_schema")} shape={{ ...shapes.input_schema, title: "Input" }} isFixed />
        <SampleInput />
      </Section>
      <Section
        title="Run output"
        summary={
          typeof output === "string" ? output : isObject(output) ? Object.keys(output).join(", ") : short(output)
        }
        hasProblems={has("output")}
      >
        <Reads value={{ place: "output", base: "output" }}>
          <Frame
            title={shapes.output.title}
            help={shapes.output.help}
            problems={problemsAt(problems, "output", !isObject(output))}
          >
            {(ids) => (
              <MappingControl
                spot={result}
                shape={{ ...shapes.output, title: "Result" }}
                ids={ids}
                none="The output of the last step"
              />
            )}
          </Frame>
        </Reads>
      </Section>
      {shapes.request && (
        <Section
          title="Request"
          summary={isObject(request) ? Object.keys(request).join(", ") : ""}
          hasProblems={has("request")}
        >
          <Reads value={{ place: "output", base: "request.result" }}>
            <Valued spot={spot("request")} shape={shapes.request} isFixed />
          </Reads>
        </Section>
      )}
      <Section
        title="Key and deadline"
        summary={[short(key), typeof sla === "number" ? secondsInWords(sla) : ""].filter(Boolean).join(", ")}
        hasProblems={has("business_key", "sla_seconds", "sla_working_days", "sla_calendar", "sla_pauses")}
      >
        <Frame
          title={shapes.business_key.title}
          help={shapes.business_key.help}
          problems={problemsAt(problems, "business_key", true)}
          isGroup
        >
          {(ids) => (
            <Expression
              mode="template"
              value={typeof key === "string" ? key : ""}
              onChange={(text) => business.set(text || undefined, true)}
              label={shapes.business_key.title}
              ids={ids}
              place={{ place: "business_key", field: "business_key" }}
            />
          )}
        </Frame>
        <Valued spot={spot("sla_seconds")} shape={shapes.sla_seconds} isFixed />
        <Valued spot={spot("sla_working_days")} shape={shapes.sla_working_days} isFixed />
        <Valued spot={spot("sla_calendar")} shape={shapes.sla_calendar} isFixed />
        <Valued spot={spot("sla_pauses")} shape={shapes.sla_pauses} isFixed />
      </Section>
      <Section
        title="When a step fails"
        summary={[failure, undoing]
          .map((name) => OPTION_WORDS[String(name)] ?? "")
          .filter(Boolean)
          .join(", ")}
        hasProblems={has("on_failure", "compensation")}
      >
        <Valued spot={spot("on_failure")} shape={shapes.on_failure} isFixed />
        <Valued spot={spot("compensation")} shape={shapes.compensation} isFixed />
      </Section>
      <Section title="More" summary={short(doc.settings.next_workflow)} hasProblems={has("next_workflow", "metadata")}>
        {shapes.next_workflow && <Valued spot={spot("next_workflow")} shape={shapes.next_workflow} isFixed />}
        {isObject(metadata.value) ? (
          <Unknown spot={metadata} known={["sample_input"]} isOpen={false} />
        ) : (
          metadata.value !== undefined && <Valued spot={metadata} shape={shapes.metadata} isFixed />
        )}
        <Unknown
          spot={docSpot(doc, ["settings"], "", "a setting", "the workflow")}
          known={Object.keys(shapes)}
          isOpen={false}
        />
      </Section>
    </>
  );
}

/** What a start is offered, and what expressions are shown with before anything has run. */
function SampleInput() {
  const doc = useBuilder((now) => now.doc);
  const { input_schema: schema } = doc.settings;
  const spot = docSpot(doc, ["settings", "metadata"], "metadata", "the sample input", "the workflow").at(
    "sample_input",
    "the sample input",
  );
  return (
    <Frame title="Sample input" help="Prefills the start form. Previews use it until there is a run." isGroup>
      {(ids) => (
        <>
          <CodeControl spot={spot} shape={anyShape("sample_input", "Sample input")} ids={ids} />
          {spot.value === undefined && isObject(schema) && (
            <button type="button" className="button ghost small" onClick={() => spot.set(sampleInput(schema))}>
              <Icon name="wand-sparkles" />
              Generate from the fields
            </button>
          )}
        </>
      )}
    </Frame>
  );
}
