/** The same changes once more, over a draft that somebody changed meanwhile. Pure. */

import type { Change } from "./changes";
import { Draft, at, isMove, setting } from "./changes";
import type { Doc } from "./document";
import { edgeKey } from "./bodies";
import type { Json } from "./json";
import { isObject } from "./json";
import { free } from "./names";

const ENTRIES = new Set(["nodes", "edges"]);

/** The changes, each from what stands there now; what they set inside a step or a connection that is gone is left out. */
export function again(doc: Doc, changes: Change[]): Change[] {
  const draft = new Draft(doc);
  for (const change of changes) {
    const isInside = ENTRIES.has(change.path[0]) && change.path.length > 2;
    if (isInside && at(draft.doc, change.path.slice(0, 2)) === undefined) continue;
    if (isMove(change)) {
      draft.add(change);
      continue;
    }
    const set = setting(draft.doc, change.path, change.to);
    draft.add(set && change.at !== undefined ? { ...set, at: change.at } : set);
  }
  return draft.changes;
}

/** Where a step, a note or a group is, if this is the change that adds one. */
function added({ path, from, to }: Change): string[] | null {
  if (from !== undefined || to === undefined) return null;
  if (path[0] === "nodes" && path.length === 2) return path;
  return path[0] === "layout" && (path[1] === "notes" || path[1] === "groups") && path.length === 3 ? path : null;
}

/** What another id has to be given: something else was added under the same one. */
export interface Taken {
  path: string[];
  id: string;
}

/** What these changes add under an id that something else has by now, and an id that is free for it. */
export function taken(doc: Doc, changes: Change[], own: Doc): Taken[] {
  return changes.flatMap((change) => {
    const path = added(change);
    const there = path && at(doc, path);
    if (!path || there === undefined) return [];
    const place = path.slice(0, -1);
    const ids = { ...(at(doc, place) as object), ...((at(own, place) ?? {}) as object) };
    return [{ path, id: free(path.at(-1) as string, ids) }];
  });
}

/** The changes of what was added at a path, under its other id. Expressions in texts stay as they were written. */
export function underOtherId(changes: Change[], { path, id }: Taken): Change[] {
  const was = path.at(-1) as string;
  const called = (each: string) => (each === was ? id : each);
  if (path[0] !== "nodes")
    return changes.map((change) =>
      path.every((part, place) => change.path[place] === part)
        ? { ...change, path: [...path.slice(0, -1), id, ...change.path.slice(path.length)] }
        : change,
    );
  const edge = (key: string) => {
    const [, from, to, number] = /^(.*?)>(.*?)(#\d+)?$/.exec(key) ?? [];
    return from === undefined ? key : `${edgeKey(called(from), called(to), {})}${number ?? ""}`;
  };
  const body = (value: Json | undefined, root: string, depth: number): Json | undefined => {
    if (root === "edges" && depth === 2 && isObject(value))
      return { ...value, from: called(String(value.from)), to: called(String(value.to)) };
    if (root === "layout" && isObject(value) && Array.isArray(value.nodes))
      return { ...value, nodes: value.nodes.map((each) => (typeof each === "string" ? called(each) : each)) };
    return value;
  };
  return changes.map((change) => {
    const [root, key, ...rest] = change.path;
    const name = root === "edges" ? edge : called;
    const moved =
      root === "layout"
        ? [root, key, ...(["nodes", "pins", "collapsed"].includes(key) ? rest.map(called) : rest)]
        : root === "settings"
          ? change.path
          : [root, name(key), ...rest];
    const next: Change = { ...change, path: moved };
    for (const side of ["from", "to"] as const)
      if (change[side] !== undefined) next[side] = body(change[side], root, change.path.length);
    for (const side of ["at", "was_at"] as const) if (typeof change[side] === "string") next[side] = name(change[side]);
    return next;
  });
}
