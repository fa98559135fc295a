import { WITHIN, fieldOf } from "../model/bodies";
import { faceOf } from "../model/catalogue";
import { neighbours, titleOf } from "../model/graph";
import type { Json, JsonObject } from "../model/json";
import { isObject } from "../model/json";
import { secondsInWords, timerWords } from "../model/words";
import { useBuilder } from "../store";
import { StepComments } from "../talk/StepComments";
import { Compensation } from "./Compensation";
import { Deciders } from "./Deciders";
import { Params } from "./Params";
import { RetryField, retryWords } from "./RetryField";
import { Section } from "./Section";
import { StepHead } from "./StepHead";
import { Timers, timersOf } from "./Timers";
import { ComesFrom, LeadsTo } from "./Ways";
import { Frame } from "./fields/Frame";
import { MappingControl } from "./fields/MappingControl";
import { Unknown } from "./fields/Unknown";
import { Valued } from "./fields/Valued";
import { Reads } from "./fields/reads";
import { asNumber } from "./convert";
import { OPTION_WORDS, asTyped, told } from "./fields/simple";
import { type Shape, shapesOf, short } from "./schema";
import { type Spot, docSpot, problemsAt } from "./spot";

/** Everything of one step that its sections need. */
interface Step {
  id: string;
  field: string;
  at: (name: string, title?: string) => Spot;
  shapes: Record<string, Shape>;
  has: (...names: string[]) => boolean;
}

/** One step. */
export function StepForm({ id }: { id: string }) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const problems = useBuilder((now) => now.problems);
  const schema = useBuilder((now) => now.boot.definition_schema.node) as JsonObject;
  const field = fieldOf(doc, id);
  const body = doc.nodes[id];
  const known = catalogue[body.type];
  const shapes = Object.fromEntries(shapesOf(schema).map((shape) => [shape.name, shape])) as Record<string, Shape>;
  const usual: Record<string, Json | undefined> = known
    ? {
        on_error: known.on_error,
        timeout_seconds: known.timeout_seconds ?? undefined,
        lease_seconds: known.lease_seconds,
        queue: known.default_queue ?? id,
        retry: known.retry,
      }
    : {};
  for (const [name, value] of Object.entries(usual))
    if (shapes[name]) shapes[name] = { ...shapes[name], fallback: value };
  const step: Step = {
    id,
    field,
    shapes,
    at: (name, title) =>
      docSpot(doc, ["nodes", id, name], `${field}.${name}`, title ?? shapes[name]?.title ?? name, titleOf(doc, id)),
    has: (...names) => names.some((name) => problemsAt(problems, `${field}.${name}`, true).length > 0),
  };
  return (
    <>
      <StepHead id={id} field={field} />
      <Section title="What it does" isOpen>
        {catalogue[body.type]?.asks_people && <Deciders key={id} id={id} />}
        <Reads value={{ node: id, place: "params", base: `${field}.params` }}>
          <Params
            spot={docSpot(
              doc,
              ["nodes", id, "params"],
              `${field}.params`,
              faceOf(catalogue, body.type).title,
              titleOf(doc, id),
            )}
            type={body.type}
          />
        </Reads>
      </Section>
      <LeadsTo id={id}>
        <Branching step={step} />
      </LeadsTo>
      <ComesFrom id={id} />
      <Input step={step} />
      <Variables step={step} />
      <Starts step={step} />
      <Section
        title="Deadlines and reminders"
        hasProblems={step.has("boundary_timers")}
        summary={timersOf(body.boundary_timers)
          .flatMap((timer) => (isObject(timer) ? [timerWords(timer)] : []))
          .join(", ")}
      >
        <Timers id={id} spot={step.at("boundary_timers")} />
      </Section>
      <Fails step={step} />
      <Section
        title="Where it runs"
        hasProblems={step.has("queue", "priority", "lease_seconds", "schedule_to_start_seconds")}
        summary={[short(body.queue), typeof body.priority === "number" ? `priority ${body.priority}` : ""]
          .filter(Boolean)
          .join(", ")}
      >
        {["queue", "priority", "lease_seconds", "schedule_to_start_seconds"].map((name) => (
          <Valued key={name} spot={step.at(name)} shape={shapes[name]} isFixed />
        ))}
      </Section>
      <StepComments id={id} />
      <Rest step={step} />
    </>
  );
}

function Input({ step }: { step: Step }) {
  const problems = useBuilder((now) => now.problems);
  const spot = step.at("input");
  const summary =
    spot.value === undefined
      ? ""
      : typeof spot.value === "string"
        ? spot.value
        : isObject(spot.value)
          ? Object.keys(spot.value).join(", ")
          : "JSON";
  return (
    <Section title="Input" summary={summary} hasProblems={step.has("input")}>
      <Reads value={{ node: step.id, place: "input", base: spot.field }}>
        <Frame
          title="Input data"
          help={step.shapes.input.help}
          problems={problemsAt(problems, spot.field, !isObject(spot.value))}
        >
          {(ids) => (
            <MappingControl
              spot={spot}
              shape={{ ...step.shapes.input, title: "Input" }}
              ids={ids}
              none="The output of the previous step"
            />
          )}
        </Frame>
      </Reads>
    </Section>
  );
}

/** What of the run it sets when it completes. */
function Variables({ step }: { step: Step }) {
  const problems = useBuilder((now) => now.problems);
  const spot = step.at("set_vars");
  return (
    <Section
      title="Variables it sets"
      summary={isObject(spot.value) ? Object.keys(spot.value).join(", ") : short(spot.value)}
      hasProblems={step.has("set_vars")}
    >
      <Reads value={{ node: step.id, place: "set_vars", base: spot.field }}>
        {typeof spot.value === "string" ? (
          <Frame title="Variables" help={step.shapes.set_vars.help} problems={problemsAt(problems, spot.field, true)}>
            {(ids) => (
              <MappingControl
                spot={spot}
                shape={{ ...step.shapes.set_vars, title: "Variables" }}
                ids={ids}
                none="None"
              />
            )}
          </Frame>
        ) : (
          <Valued spot={spot} shape={{ ...step.shapes.set_vars, title: "Variables", widget: "pairs" }} />
        )}
      </Reads>
    </Section>
  );
}

const JOINS: [string, string][] = [
  ["any_taken", "All are resolved, any was taken"],
  ["all", "All paths were taken"],
  ["any", "The first path is taken"],
];

/** How paths that meet here are joined. */
function Starts({ step }: { step: Step }) {
  const doc = useBuilder((now) => now.doc);
  const problems = useBuilder((now) => now.problems);
  const count = neighbours(doc).into.get(step.id)?.length ?? 0;
  const spot = step.at("join", "the start condition");
  const { value } = spot;
  if (count < 2 && value === undefined) return null;
  const isCount = isObject(value) && "n_of" in value;
  const n = spot.at("n_of");
  const known = value === undefined || isCount || JOINS.some(([name]) => name === value);
  const summary =
    value === undefined
      ? ""
      : isCount
        ? `after ${short(value.n_of)} of ${count}`
        : (JOINS.find(([name]) => name === value)?.[1] ?? short(value));
  return (
    <Section title="When it starts" summary={summary} hasProblems={step.has("join")}>
      <Frame
        title={step.shapes.join.title}
        help={`${count} paths lead here.`}
        problems={problemsAt(problems, spot.field, !isCount)}
      >
        {(ids) => (
          <select
            {...told(ids, step.shapes.join)}
            value={isCount ? "n_of" : known ? String(value ?? "") : "unknown"}
            onChange={(event) =>
              event.target.value !== "unknown" &&
              spot.set(
                event.target.value === "n_of"
                  ? { n_of: Math.max(1, Math.min(2, count)) }
                  : event.target.value || undefined,
              )
            }
          >
            <option value="">Default: all resolved, any taken</option>
            {JOINS.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
            <option value="n_of">Number of paths taken…</option>
            {!known && <option value="unknown">{short(value)} (unknown)</option>}
          </select>
        )}
      </Frame>
      {isCount && (
        <Frame title="How many" problems={problemsAt(problems, n.field, true)}>
          {(ids) => (
            <input
              type="text"
              inputMode="numeric"
              className="short"
              {...told(ids, step.shapes.join)}
              value={asTyped(n.value)}
              onChange={(event) =>
                spot.set({ ...(value as JsonObject), n_of: asNumber(event.target.value) ?? event.target.value }, true)
              }
            />
          )}
        </Frame>
      )}
    </Section>
  );
}

/** What follows when it fails: again, on, elsewhere, undone. */
function Fails({ step }: { step: Step }) {
  const doc = useBuilder((now) => now.doc);
  const presets = useBuilder((now) => now.boot.definition_schema.retry_presets) as Record<string, JsonObject>;
  const { on_error: onError, retry, timeout_seconds: limit, compensate } = doc.nodes[step.id];
  const said = [
    typeof onError === "string" ? (OPTION_WORDS[onError] ?? onError).toLowerCase() : "",
    retry === undefined
      ? ""
      : `retries: ${retry === "none" ? "never" : isObject(retry) ? retryWords(retry) : retryWords(presets[String(retry)])}`,
    typeof limit === "number" ? `limit ${secondsInWords(limit)}` : "",
    compensate ? "can be undone" : "",
  ];
  return (
    <Section
      title="When it fails"
      summary={said.filter(Boolean).join(", ")}
      hasProblems={step.has("on_error", "retry", "timeout_seconds", "compensate", "compensate_on_unknown")}
    >
      <Valued spot={step.at("on_error")} shape={step.shapes.on_error} isFixed />
      <RetryField spot={step.at("retry")} shape={step.shapes.retry} />
      <Valued spot={step.at("timeout_seconds")} shape={step.shapes.timeout_seconds} isFixed />
      <h4>Undo</h4>
      <Compensation id={step.id} spot={step.at("compensate", "the undo step")} shape={step.shapes.compensate} />
      {compensate !== undefined && (
        <Valued
          spot={step.at("compensate_on_unknown")}
          shape={{ ...step.shapes.compensate_on_unknown, fallback: true }}
          isFixed
        />
      )}
    </Section>
  );
}

/** Whether it is an error that no way is taken; only asked where there are conditions. */
function Branching({ step }: { step: Step }) {
  const doc = useBuilder((now) => now.doc);
  const isSet = doc.nodes[step.id].allow_no_match !== undefined;
  const asks = Object.values(doc.edges).some((edge) => edge.from === step.id && (edge.when || edge.branch));
  if (!isSet && !asks) return null;
  return <Valued spot={step.at("allow_no_match")} shape={step.shapes.allow_no_match} isFixed />;
}

const ELSEWHERE = new Set(["secrets"]);

/** What this form knows nothing of, and fields without effect where somebody has set them. */
function Rest({ step }: { step: Step }) {
  const doc = useBuilder((now) => now.doc);
  const body = doc.nodes[step.id];
  const known = [...Object.keys(step.shapes).filter((name) => !ELSEWHERE.has(name)), WITHIN];
  if (Object.keys(body).every((key) => known.includes(key))) return null;
  return (
    <Section title="Other" isOpen>
      <Unknown
        spot={docSpot(doc, ["nodes", step.id], step.field, "a field", titleOf(doc, step.id))}
        known={known}
        isOpen={false}
      />
    </Section>
  );
}
