/**
 * Groups that were made from an older draft, put into what others have made of it meanwhile. A connection expects that its
 * two steps are there. Pure; the same rules as `workflows/document/rebase.py`, which has the log of what others did
 * where here are the draft that was known, `was`, and the one that others left, `now`.
 */

import { again } from "./again";
import { edgeKey } from "./bodies";
import type { Change } from "./changes";
import { Draft, apply, at, before, isEntry, isTakenOut, misfit } from "./changes";
import type { Doc, EdgeBody } from "./document";
import type { Json } from "./json";
import { isObject } from "./json";
import { renamed } from "./renames";

const between = ({ from, to }: EdgeBody) => `${from}>${to}`;

/** A group made over `doc`: the document and the changes, with the ways that others drew; or the change that can't be. */
export function applyLate(
  doc: Doc,
  changes: Change[],
  was: Doc,
  now: Doc,
): { doc: Doc; changes: Change[] } | { misfit: Change } {
  const made = apply(doc, changes);
  if (!made) return { misfit: misfit(doc, changes) as Change };
  const ways = leftBehind(doc, made, drawn(was, now));
  const after = apply(made, ways) ?? made;
  const lost = leadingNowhere(doc, after, changes, was, now);
  return lost ? { misfit: lost } : { doc: after, changes: [...changes, ...ways] };
}

/** Whether others drew a connection between these steps. */
export function drawn(was: Doc, now: Doc): (edge: EdgeBody) => boolean {
  const fresh = Object.keys(now.edges).filter((key) => !Object.hasOwn(was.edges, key));
  const all = new Set(fresh.map((key) => between(now.edges[key])));
  return (edge) => all.has(between(edge));
}

/** What takes along those of the connections that a step which got another id has left behind. */
export function leftBehind(doc: Doc, after: Doc, isUnknown: (edge: EdgeBody) => boolean): Change[] {
  const ids = renamed(doc, after);
  if (!ids.size) return [];
  const called = (id: string) => ids.get(id) ?? id;
  const draft = new Draft(after);
  for (const [key, edge] of Object.entries(after.edges)) {
    const [from, to] = [called(edge.from), called(edge.to)];
    const isLeft = (ids.has(edge.from) || ids.has(edge.to)) && [from, to].every((id) => Object.hasOwn(after.nodes, id));
    if (!isLeft || !isUnknown(edge)) continue;
    const ahead = before(draft.doc.edges, key);
    draft.set(["edges", key], undefined);
    draft.insert("edges", edgeKey(from, to, draft.doc.edges), { ...edge, from, to } as Json, ahead);
  }
  return draft.changes;
}

/**
 * The first of the changes that draws a connection which would lead nowhere as others took its step out; or takes out what
 * is there under another id, as others gave a step one, or a step to which others drew a connection.
 */
function leadingNowhere(doc: Doc, after: Doc, changes: Change[], was: Doc, now: Doc): Change | undefined {
  const isOut = (id: string) => !Object.hasOwn(after.nodes, id);
  const isGone = (id: string) => isOut(id) && !Object.hasOwn(now.nodes, id) && Object.hasOwn(was.nodes, id);
  const ids = renamed(was, now);
  const isElsewhere = (id: string) => isGone(id) && Object.hasOwn(doc.nodes, ids.get(id) ?? id);
  const isDrawnMeanwhile = drawn(was, now);
  const needed = new Set(
    Object.values(after.edges)
      .filter(isDrawnMeanwhile)
      .flatMap(({ from, to }) => [from, to])
      .filter((id) => isOut(id) && Object.hasOwn(doc.nodes, id)),
  );
  return changes.find((change) => {
    const [root, key] = change.path;
    if (isDrawn(change)) return at(after, change.path) !== undefined && endsOf(change.to).some(isGone);
    if (!isTakenOut(change)) return false;
    if (at(doc, change.path) !== undefined) return root === "nodes" && needed.has(key);
    return (root === "nodes" ? [key] : endsOf(change.from)).some(isElsewhere);
  });
}

/**
 * The changes once more over a newer draft, so that no connection leads nowhere by them: those to what is gone are left
 * out, and a step that is taken out takes all of its own with it.
 */
export function onceMore(doc: Doc, changes: Change[]): Change[] {
  const come = new Set(
    changes.filter(({ path, to }) => path[0] === "nodes" && to !== undefined).map(({ path }) => path[1]),
  );
  const isThere = (id: string) => Object.hasOwn(doc.nodes, id) || come.has(id);
  const draft = new Draft(doc);
  for (const change of again(
    doc,
    changes.filter((change) => !isDrawn(change) || endsOf(change.to).every(isThere)),
  ))
    draft.add(change);
  for (const way of leftBehind(doc, draft.doc, () => true)) draft.add(way);
  const isOut = (id: string) => Object.hasOwn(doc.nodes, id) && !Object.hasOwn(draft.doc.nodes, id);
  for (const [key, { from, to }] of Object.entries(draft.doc.edges))
    if (isOut(from) || isOut(to)) draft.set(["edges", key], undefined);
  return draft.changes;
}

const isDrawn = ({ path, from, to }: Change) =>
  path[0] === "edges" && isEntry(path) && from === undefined && isObject(to);

const endsOf = (edge: Json | undefined) => (isObject(edge) ? [String(edge.from), String(edge.to)] : []);
