import { useBuilder } from "../store";
import { Faults } from "./fields/Frame";
import { Unknown } from "./fields/Unknown";
import { Valued } from "./fields/Valued";
import { shapesOf } from "./schema";
import { type Spot, problemsAt } from "./spot";

/** The settings of a step type, from its schema. */
export function Params({ spot, type }: { spot: Spot; type: string }) {
  const known = useBuilder((now) => now.catalogue[type]);
  const problems = useBuilder((now) => now.problems);
  const schema = known?.params_schema ?? { additionalProperties: true };
  const shapes = shapesOf(schema);
  const isOpen = schema.additionalProperties === true;
  return (
    <>
      <Faults id={`faults of ${spot.key}`} problems={problemsAt(problems, spot.field, false)} />
      {known && shapes.length === 0 && !isOpen && spot.value === undefined && (
        <p className="quiet small">There is nothing to set.</p>
      )}
      {shapes.map((shape) => (
        <Valued key={`${type} ${shape.name}`} spot={spot.at(shape.name, shape.title)} shape={shape} />
      ))}
      <Unknown spot={spot} known={shapes.map((shape) => shape.name)} isOpen={isOpen && shapes.length === 0} />
    </>
  );
}
