/** What kind of way an arrow is: it decides how its line looks. */

import type { Doc } from "./document";
import type { Arrow } from "./graph";

export type WayKind = "plain" | "condition" | "default" | "error" | "timer";

export function wayKind(doc: Doc, { key, timer }: Pick<Arrow, "key" | "timer">): WayKind {
  if (timer !== undefined) return "timer";
  const edge = doc.edges[key];
  if (edge.on === "error") return "error";
  if (edge.default) return "default";
  return edge.when || edge.branch ? "condition" : "plain";
}
