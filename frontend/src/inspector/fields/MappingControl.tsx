import { useContext, useState } from "react";
import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { Expression } from "../expression/Expression";
import { CodeControl } from "./Code";
import { PairsControl } from "./Pairs";
import { Reads } from "./reads";
import { otherSide } from "./kept";
import { type ControlProps, told } from "./simple";

type Mode = "none" | "expression" | "map" | "json";

function modeOf(value: Json | undefined): Mode {
  if (value === undefined) return "none";
  if (typeof value === "string") return "expression";
  return isObject(value) ? "map" : "json";
}

interface Props extends ControlProps {
  /** What nothing set means. */
  none: string;
}

/** A value that is put together: one expression, names with values, or nothing said. */
export function MappingControl({ spot, shape, ids, none }: Props) {
  const reads = useContext(Reads);
  const [picked, setPicked] = useState<Mode | null>(null);
  const actual = modeOf(spot.value);
  const mode = spot.value === undefined && picked ? picked : picked === "json" ? "json" : actual;
  const pick = (next: Mode) => {
    otherSide.keep(`${spot.key} ${mode}`, spot.value);
    const kept = otherSide.get<Json>(`${spot.key} ${next}`);
    setPicked(next);
    if (next === "none") spot.set(undefined);
    else if (next !== "json" && actual !== next) spot.set(kept);
  };
  return (
    <div className="insp-mapping">
      <select {...told(ids, shape)} value={mode} onChange={(event) => pick(event.target.value as Mode)}>
        <option value="none">{none}</option>
        <option value="expression">One expression</option>
        <option value="map">Named values</option>
        <option value="json">JSON</option>
      </select>
      {mode === "expression" && reads && (
        <Expression
          mode="template"
          value={typeof spot.value === "string" ? spot.value : ""}
          onChange={(text) => spot.set(text || undefined, true)}
          label={shape.title}
          ids={{ ...ids, id: `${ids.id}-text` }}
          place={{ ...reads, field: spot.field }}
          autoFocus={picked === "expression"}
        />
      )}
      {mode === "map" && (
        <PairsControl
          spot={spot}
          shape={{ ...shape, schema: { additionalProperties: true } }}
          ids={{ ...ids, id: `${ids.id}-map` }}
        />
      )}
      {mode === "json" && <CodeControl spot={spot} shape={shape} ids={{ ...ids, id: `${ids.id}-json` }} />}
    </div>
  );
}
