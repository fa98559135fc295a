import { useRef } from "react";
import type { Json } from "../model/json";
import { isObject } from "../model/json";
import { useBuilder } from "../store";
import { Faults } from "./fields/Frame";
import { Unknown } from "./fields/Unknown";
import { Valued } from "./fields/Valued";
import { type Shape, shapesOf } from "./schema";
import { type Spot, problemsAt } from "./spot";
import { TableForm } from "./table/TableForm";

/** Of two settings that say the same in two ways, the one that is set; where none is, the one that was, else the first. */
function useOneOfEach(shapes: Shape[], value: Json | undefined): Shape[] {
  const last = useRef<Record<string, string>>({});
  const has = (name: string) => isObject(value) && Object.hasOwn(value, name);
  const hidden = new Set<string>();
  for (const { name, insteadOf } of shapes) {
    if (!insteadOf) continue;
    if (has(name) !== has(insteadOf)) last.current[name] = has(name) ? name : insteadOf;
    // Both at once are a mistake, which has to be seen.
    if (has(name) && has(insteadOf)) continue;
    hidden.add(last.current[name] === name ? insteadOf : name);
  }
  return shapes.filter(({ name }) => !hidden.has(name));
}

/** The settings of a step type, from its schema. */
export function Params({ spot, type }: { spot: Spot; type: string }) {
  const known = useBuilder((now) => now.catalogue[type]);
  const problems = useBuilder((now) => now.problems);
  const schema = known?.params_schema ?? { additionalProperties: true };
  const shapes = shapesOf(schema);
  const seen = useOneOfEach(shapes, spot.value);
  const isOpen = schema.additionalProperties === true;
  if (schema["x-widget"] === "decision-table") return <TableForm key={type} spot={spot} />;
  return (
    <>
      <Faults id={`faults of ${spot.key}`} problems={problemsAt(problems, spot.field, false)} />
      {known && shapes.length === 0 && !isOpen && spot.value === undefined && (
        <p className="quiet small">There is nothing to set.</p>
      )}
      {seen.map((shape) => (
        <Valued key={`${type} ${shape.name}`} spot={spot.at(shape.name, shape.title)} shape={shape} />
      ))}
      <Unknown spot={spot} known={shapes.map((shape) => shape.name)} isOpen={isOpen && shapes.length === 0} />
    </>
  );
}
