import { useState } from "react";
import { Icon } from "../Icon";
import type { Json, JsonObject } from "../model/json";
import { isObject } from "../model/json";
import { useBuilder } from "../store";
import { Params } from "./Params";
import { RetryField } from "./RetryField";
import { Section } from "./Section";
import { Frame, Faults } from "./fields/Frame";
import { TypePick } from "./fields/TypePick";
import { Unknown } from "./fields/Unknown";
import { Valued } from "./fields/Valued";
import { Reads } from "./fields/reads";
import { otherSide } from "./fields/kept";
import { type Shape, shapesOf } from "./schema";
import { type Spot, problemsAt } from "./spot";

const AROUND = ["timeout_seconds", "lease_seconds", "queue"];

/** The step that undoes this one when the run fails later. */
export function Compensation({ id, spot, shape }: { id: string; spot: Spot; shape: Shape }) {
  const catalogue = useBuilder((now) => now.catalogue);
  const problems = useBuilder((now) => now.problems);
  const schema = useBuilder((now) => now.boot.definition_schema.compensation) as JsonObject;
  const shapes = Object.fromEntries(shapesOf(schema).map((each) => [each.name, each])) as Record<string, Shape>;
  const [isNew, setIsNew] = useState(false);
  const { value } = spot;
  // What did it undoes it mostly: another request, another job.
  const own = useBuilder((now) => now.doc.nodes[id].type);
  const begin = () => {
    setIsNew(true);
    spot.set(otherSide.get<Json>(spot.key) ?? { type: own in catalogue ? own : Object.keys(catalogue)[0] });
  };
  if (value === undefined) {
    return (
      <div className="insp-field">
        <p className="quiet small">{shape.help}</p>
        <button type="button" className="button plain small" onClick={begin}>
          <Icon name="undo-2" />
          Add an undo step
        </button>
      </div>
    );
  }
  if (!isObject(value)) return <Valued spot={spot} shape={{ ...shape, widget: "code" }} isFixed />;
  const type = spot.at("type", "the type of the undo step");
  const known = catalogue[String(value.type)];
  return (
    <div className="insp-group" role="group" aria-label="Undo step">
      <div className="row-head">
        <strong>Undo step</strong>
        <span className="row-tools">
          <button
            type="button"
            className="button ghost small"
            onClick={() => {
              otherSide.keep(spot.key, value);
              spot.set(undefined);
            }}
          >
            <Icon name="trash-2" />
            Remove the undo step
          </button>
        </span>
      </div>
      <Faults id={`faults of ${spot.key}`} problems={problemsAt(problems, spot.field, false)} />
      <Frame title={shapes.type.title} help={known?.help} problems={problemsAt(problems, type.field, true)}>
        {(ids) => (
          <TypePick ids={ids} autoFocus={isNew} value={String(value.type ?? "")} onChange={(next) => type.set(next)} />
        )}
      </Frame>
      <Valued spot={spot.at("title", "the title of the undo step")} shape={shapes.title} isFixed />
      <Reads value={{ node: id, place: "compensate", base: spot.at("params").field }}>
        <Params spot={spot.at("params")} type={String(value.type ?? "")} />
      </Reads>
      <Section title="More" hasProblems={AROUND.some((name) => problemsAt(problems, spot.at(name).field, true).length)}>
        <RetryField spot={spot.at("retry", "the retries")} shape={{ ...shapes.retry, fallback: known?.retry }} />
        {AROUND.map((name) => (
          <Valued key={name} spot={spot.at(name, shapes[name].title)} shape={shapes[name]} isFixed />
        ))}
      </Section>
      <Unknown spot={spot} known={Object.keys(shapes)} isOpen={false} />
    </div>
  );
}
