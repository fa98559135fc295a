/** What acts at a step beside its ways: the step that undoes it, and its own deadline. Pure. */

import { type Catalogue, faceOf } from "./catalogue";
import type { Doc, NodeBody } from "./document";
import { isObject } from "./json";
import { secondsInWords } from "./words";

/** So far below a card its deadline and what undoes it reach. */
export const ATTACHED_HEIGHT = 32;

/** What undoes the step when the run fails later; empty where nothing does. */
export function undoWords(body: NodeBody, catalogue: Catalogue): string {
  const undo = body.compensate;
  if (!isObject(undo)) return "";
  if (typeof undo.title === "string" && undo.title.trim()) return undo.title;
  return typeof undo.type === "string" ? faceOf(catalogue, undo.type).title : "";
}

/** When the step itself ends without an answer; empty where it has no such deadline. */
export function dueWords(body: NodeBody): string {
  if (!isObject(body.params)) return "";
  const { due_seconds: due, due_working_days: days, timeout_seconds: limit } = body.params;
  if (typeof days === "number") return `due in ${days} working ${days === 1 ? "day" : "days"}`;
  if (typeof due === "number") return `due in ${secondsInWords(due)}`;
  // Of a request it is the time limit of one attempt; of what waits it is the deadline.
  return body.type === "signal" && typeof limit === "number" ? `at most ${secondsInWords(limit)}` : "";
}

/** How far below its box what is attached to a step reaches. */
export function attachedHeight(doc: Doc, id: string): number {
  const body = doc.nodes[id];
  return isObject(body.compensate) || dueWords(body) ? ATTACHED_HEIGHT : 0;
}
