/** What a container does for its items, in one form or another: pure. */

import { WITHIN, bodyOf, stepsIn } from "./bodies";
import { FIRST, spotOf } from "./boxes";
import type { Change } from "./changes";
import { Draft } from "./changes";
import { type Clip, copy, pasteIn } from "./clips";
import { type ReservedIds, remove } from "./commands";
import type { Doc, NodeBody } from "./document";
import { keepDistance } from "./folding";
import type { JsonObject } from "./json";
import { isObject } from "./json";
import { free, slug } from "./names";

export type Form = "step" | "steps" | "workflow";

/** What was in a form when another one took its place. */
export interface FormContent {
  body: JsonObject;
  clip: Clip | null;
}

/** The form of a container's body; null where it has none yet. */
export function formOf(doc: Doc, id: string): Form | null {
  const body = bodyOf(doc.nodes[id]);
  if (!body) return null;
  if (Array.isArray(body.steps)) return "steps";
  return body.workflow !== undefined ? "workflow" : body.type !== undefined ? "step" : null;
}

/** What is there now, for the time when somebody comes back to this form. */
export function held(doc: Doc, id: string): FormContent {
  const inside = stepsIn(doc, id);
  return { body: bodyOf(doc.nodes[id]) ?? {}, clip: inside.length ? copy(doc, { nodes: inside, edges: [] }) : null };
}

/** The body in another form: as it was in that, or as near to what it is now as that can be. */
export function formed(doc: Doc, id: string, form: Form, kept: FormContent | null, ids: ReservedIds = {}): Change[] {
  const inside = stepsIn(doc, id);
  const was = bodyOf(doc.nodes[id]) ?? {};
  const draft = new Draft(doc);
  for (const change of remove(doc, { nodes: inside, edges: [] })) draft.add(change);
  const empty: JsonObject = form === "steps" ? { steps: [] } : {};
  draft.set(["nodes", id, "params", "body"], kept?.body ?? (form === "step" ? oneOf(doc, inside) : empty));
  if (form !== "steps") return draft.changes;
  if (kept?.clip) {
    const at = kept.clip;
    // As they stood in it: a clip has places of the canvas.
    const corner = Object.entries(at.places).filter(([key]) => at.nodes[key][WITHIN] === undefined);
    const [left, top] = [0, 1].map((axis) => Math.min(...corner.map(([, spot]) => (axis ? spot.y : spot.x))));
    const spot = spotOf(draft.doc, id);
    pasteIn(draft, at, { x: spot.x + FIRST.x - left, y: spot.y + FIRST.y - top }, ids, id);
  } else if (typeof was.type === "string") {
    const { type, params, title } = was;
    const key = free(slug(typeof title === "string" ? title : (type.split(".").pop() ?? type)), {
      ...ids,
      ...doc.nodes,
    });
    const step: NodeBody = {
      type,
      ...(isObject(params) && { params }),
      ...(title !== undefined && { title }),
      ...around(was),
      [WITHIN]: id,
    };
    draft.insert("nodes", key, step, id);
    draft.set(["layout", "nodes", key], FIRST);
  }
  keepDistance(draft, doc, id);
  return draft.changes;
}

/** The only step of a body as one that stands for itself. */
function oneOf(doc: Doc, inside: string[]): JsonObject {
  const [only] = inside;
  if (inside.length !== 1 || stepsIn(doc, only).length) return {};
  const { type, params, title } = doc.nodes[only];
  return {
    type,
    ...(params !== undefined && { params }),
    ...(title !== undefined && { title }),
    ...around(doc.nodes[only]),
  };
}

/** How a step is done: what one that is all a container does may say as well as any other. */
export const AROUND = ["retry", "timeout_seconds", "queue"];

function around(step: JsonObject): JsonObject {
  return Object.fromEntries(AROUND.filter((name) => step[name] !== undefined).map((name) => [name, step[name]]));
}
