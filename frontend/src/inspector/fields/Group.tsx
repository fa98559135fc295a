import { shapesOf } from "../schema";
import { Unknown } from "./Unknown";
import { Valued } from "./Valued";
import type { ControlProps } from "./simple";

/** An object whose fields are known, each as a field of its own. */
export function GroupControl({ spot, shape }: ControlProps) {
  const shapes = shapesOf(shape.schema, shape.root);
  return (
    <div className="insp-group">
      {shapes.map((each) => (
        <Valued key={each.name} spot={spot.at(each.name, each.title)} shape={each} />
      ))}
      <Unknown
        spot={spot}
        known={shapes.map((each) => each.name)}
        isOpen={shape.schema.additionalProperties !== false && shapes.length === 0}
      />
    </div>
  );
}
