import { useEffect, useRef, useState } from "react";
import type { Json } from "../../model/json";
import { same } from "../../model/json";
import { CodeText } from "../expression/CodeText";
import { unfinished } from "./kept";
import type { ControlProps } from "./simple";

function shown(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

/** The value of a text; `fault` where it is no JSON, in words. */
function read(text: string): { value?: Json; fault?: string } {
  if (text.trim() === "") return {};
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    const at = /position (\d+)/.exec(String(error));
    const line = at ? text.slice(0, Number(at[1])).split("\n").length : null;
    return {
      fault: `This is not valid JSON yet${line ? ` (line ${line})` : ""}. The draft keeps the previous value until it is.`,
    };
  }
}

/** Any JSON. What is not JSON yet stays in the field, also when another step is selected meanwhile. */
export function CodeControl({ spot, shape, ids }: ControlProps) {
  const [text, setText] = useState(() => unfinished.get(spot.key) ?? shown(spot.value));
  const last = useRef(spot.value);
  const { fault } = read(text);
  useEffect(() => {
    if (same(last.current ?? null, spot.value ?? null)) return;
    last.current = spot.value;
    const now = read(text);
    if (now.fault === undefined && same(now.value ?? null, spot.value ?? null)) return;
    unfinished.forget(spot.key);
    setText(shown(spot.value));
  });
  const change = (typed: string) => {
    setText(typed);
    const now = read(typed);
    if (now.fault) return unfinished.keep(spot.key, typed);
    unfinished.forget(spot.key);
    spot.set(now.value === null ? undefined : now.value, true);
  };
  return (
    <>
      <CodeText
        language="json"
        value={text}
        onChange={change}
        label={shape.title}
        id={ids.id}
        describedBy={ids.describedBy}
        isInvalid={ids.isInvalid || fault !== undefined}
      />
      {fault && (
        <p className="fault" role="status">
          {fault}
        </p>
      )}
    </>
  );
}
