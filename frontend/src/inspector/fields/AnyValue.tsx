import { useContext, useId, useState } from "react";
import type { Json } from "../../model/json";
import { asExpression, asLiteral, asNumber, isExpression } from "../convert";
import { Expression } from "../expression/Expression";
import { useTakes } from "../expression/target";
import { anyShape } from "../schema";
import type { Spot } from "../spot";
import { CodeControl } from "./Code";
import type { Ids } from "./Frame";
import { otherSide } from "./kept";
import { Reads } from "./reads";
import { LongTextControl, NumberControl } from "./simple";

const KINDS: [string, string][] = [
  ["text", "Text"],
  ["fx", "Expression"],
  ["number", "Number"],
  ["switch", "Yes or no"],
  ["json", "JSON"],
];

function kindOf(value: Json | undefined): string {
  if (value === undefined) return "text";
  if (isExpression(value)) return "fx";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "switch" : "json";
}

/** The value in another form, as far as it has one. */
function converted(value: Json | undefined, kind: string): Json | undefined {
  if (kind === "fx") return asExpression(value);
  const literal = isExpression(value) ? asLiteral(value) : value;
  if (kind === "text")
    return literal === undefined ? "" : typeof literal === "string" ? literal : JSON.stringify(literal);
  if (kind === "number") return typeof literal === "number" ? literal : (asNumber(String(literal ?? "")) ?? undefined);
  if (kind === "switch") return typeof literal === "boolean" ? literal : literal === "true";
  if (typeof literal !== "string") return literal;
  try {
    return JSON.parse(literal) as Json;
  } catch {
    return literal ? [literal] : {};
  }
}

interface Props {
  spot: Spot;
  title: string;
  onlyTexts: boolean;
  describedBy?: string;
  isInvalid: boolean;
}

/** A value of any kind, and a choice of its kind. Its name stands beside it. */
export function Unlabelled({ spot, title, onlyTexts, describedBy, isInvalid }: Props) {
  const id = useId();
  const reads = useContext(Reads);
  const [picked, setPicked] = useState<string | null>(null);
  const actual = kindOf(spot.value);
  const canBePicked =
    picked !== null &&
    (picked === actual ||
      (typeof spot.value === "string" &&
        (picked === "fx" || picked === "number") &&
        (picked !== "number" || actual === "text")) ||
      spot.value === undefined);
  const kind = picked !== null && canBePicked ? picked : actual;
  const ids: Ids = { id, labelId: `${id}-label`, describedBy, isInvalid };
  const shape = anyShape("value", title);
  const own: Spot = {
    ...spot,
    set: (value, typing) => {
      if (typing && isExpression(value) && kind !== "fx") setPicked("fx");
      spot.set(value ?? "", typing);
    },
  };
  const takes = useTakes(
    reads && {
      label: title,
      place: { ...reads, field: spot.field },
      insert: (path) => {
        const text = kind === "fx" || kind === "text" ? spot.value : undefined;
        spot.set(`${typeof text === "string" ? text : ""}{{ ${path} }}`);
        setPicked("fx");
      },
    },
  );
  const pick = (next: string) => {
    otherSide.keep(`${spot.key} ${kind}`, spot.value);
    const kept = otherSide.get<Json>(`${spot.key} ${next}`);
    const made =
      kept !== undefined && asLiteral(asExpression(spot.value)) === undefined
        ? kept
        : (converted(spot.value, next) ?? kept ?? "");
    setPicked(next);
    spot.set(made);
  };
  const offered = KINDS.filter(
    ([each]) => (each !== "fx" || reads) && (!onlyTexts || each === "text" || each === "fx" || each === kind),
  );
  return (
    <div {...takes} className="insp-any" data-kind={kind}>
      <span className="sr-only" id={ids.labelId}>
        {title}
      </span>
      <select
        aria-label={`${title}: kind`}
        className="any-kind"
        value={kind}
        onChange={(event) => pick(event.target.value)}
      >
        {offered.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <div className="any-value">
        {kind === "fx" && reads ? (
          <Expression
            mode="template"
            value={typeof spot.value === "string" ? spot.value : ""}
            onChange={(text) => {
              // Emptied, it stays the editor in which one types.
              setPicked("fx");
              spot.set(text, true);
            }}
            label={title}
            ids={ids}
            place={{ ...reads, field: spot.field }}
            autoFocus={picked === "fx"}
          />
        ) : kind === "number" ? (
          <NumberControl spot={own} shape={shape} ids={ids} />
        ) : kind === "switch" ? (
          <select
            id={id}
            aria-labelledby={ids.labelId}
            value={String(spot.value === true)}
            onChange={(event) => spot.set(event.target.value === "true")}
          >
            <option value="true">yes</option>
            <option value="false">no</option>
          </select>
        ) : kind === "json" ? (
          <CodeControl spot={own} shape={shape} ids={ids} />
        ) : (
          <LongTextControl spot={own} shape={shape} ids={ids} keepsEmpty leastRows={1} />
        )}
      </div>
    </div>
  );
}
