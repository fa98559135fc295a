import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { anyShape } from "../schema";
import type { Spot } from "../spot";
import { Tool } from "./Frame";
import { Valued } from "./Valued";

export function widgetFor(value: Json | undefined): string {
  if (typeof value === "string") return value.includes("\n") || value.length > 80 ? "textarea" : "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "switch" : "code";
}

/** What the schema does not know is shown and kept: somebody wrote it. `isOpen`: it may hold anything, as pairs. */
export function Unknown({ spot, known, isOpen }: { spot: Spot; known: string[]; isOpen: boolean }) {
  if (isOpen)
    return (
      <Valued
        spot={spot}
        shape={{ ...anyShape("more", "Settings", "", "pairs"), schema: { additionalProperties: true } }}
        isBare
        isFixed
      />
    );
  const keys = isObject(spot.value) ? Object.keys(spot.value).filter((key) => !known.includes(key)) : [];
  return keys.map((key) => {
    const own = spot.at(key, key);
    return (
      <Valued
        key={key}
        spot={own}
        shape={anyShape(key, key, "This step type has no such setting.", widgetFor(own.value))}
        tools={<Tool icon="trash-2" label={`Remove ${key}`} onClick={() => own.set(undefined)} />}
      />
    );
  });
}
