/** Which steps got another id elsewhere, and what is still to be sent under their new ids. Pure; as `renames.py`. */

import { underOtherId } from "./again";
import type { Change } from "./changes";
import { face, isAbout } from "./changes";
import type { Doc, NodeBody } from "./document";
import type { Json } from "./json";
import { isObject } from "./json";

/** The same value however its keys are ordered. */
function written(value: Json): string {
  return JSON.stringify(value, (_, each: Json) =>
    isObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

/** The steps by what they are, without those of which there are several alike. */
function alone(steps: Map<string, NodeBody>): Map<string, string> {
  const found = new Map<string, string[]>();
  for (const [id, body] of steps) {
    const key = written(body as Json);
    found.set(key, [...(found.get(key) ?? []), id]);
  }
  return new Map([...found].flatMap(([key, ids]) => (ids.length === 1 ? [[key, ids[0]]] : [])));
}

/** The type and the place, which stay when a title changes and the id with it. */
const spot = (doc: Doc, id: string) => written([doc.nodes[id].type, doc.layout.nodes?.[id] ?? id]);

/**
 * The new ids of steps by their old ones: a step that is gone while another came that is otherwise as it was, or is of
 * its type and stands at its place. Where one alone went and one alone came, type and title are enough.
 */
export function renamed(was: Doc, now: Doc): Map<string, string> {
  const only = (one: Doc, other: Doc) =>
    new Map(Object.entries(one.nodes).filter(([id]) => !Object.hasOwn(other.nodes, id)));
  const [gone, come] = [only(was, now), only(now, was)];
  if (!gone.size || !come.size) return new Map();
  const after = alone(come);
  const found = new Map<string, string>();
  for (const [body, id] of alone(gone)) {
    const next = after.get(body);
    if (next !== undefined) found.set(id, next);
  }
  const isLeft = (id: string) => !found.has(id);
  const isFresh = (id: string) => ![...found.values()].includes(id);
  for (const id of [...gone.keys()].filter(isLeft)) {
    const there = [...come.keys()].filter(isFresh).filter((each) => spot(now, each) === spot(was, id));
    if (there.length === 1) found.set(id, there[0]);
  }
  const [left, fresh] = [[...gone.keys()].filter(isLeft), [...come.keys()].filter(isFresh)];
  if (left.length === 1 && fresh.length === 1) {
    const its = face(was.nodes[left[0]] as Json);
    if (its !== null && its === face(now.nodes[fresh[0]] as Json)) found.set(left[0], fresh[0]);
  }
  return found;
}

/** Whether any of these changes is about one of these steps. */
export function areAbout(changes: Change[], ids: Map<string, string>): boolean {
  return changes.some(({ path }) => isAbout(path, ids));
}

/** The changes with the new ids; as they were where they bring back a step under an old one. */
export function followed(changes: Change[], ids: Map<string, string>): Change[] {
  let next = changes;
  for (const [from, to] of ids) {
    const bringsBack = changes.some(
      ({ path, to: body }) => path.length === 2 && path[1] === from && body !== undefined,
    );
    if (!bringsBack) next = underOtherId(next, { path: ["nodes", from], id: to });
  }
  return next;
}

/** What a connection is called by now, if one of its ends is called otherwise. */
export function wayFollowed(key: string, ids: Map<string, string>): string {
  const path = followed([{ path: ["edges", key] }], ids)[0].path;
  return path[1];
}
