/**
 * Changes: compare-and-set at a path. What a person does is a group of them: all or nothing.
 * The same rules as `workflows/document/changes.py`, which judges in the end; here they make a change visible at once.
 */

import type { Json, JsonObject } from "./json";
import { isObject, same } from "./json";
import type { Doc } from "./document";

export interface Change {
  path: string[];
  from?: Json;
  to?: Json;
  at?: string | null;
  was_at?: string | null;
}

export interface Group {
  id: string;
  label: string;
  changes: Change[];
}

const ORDERED = new Set(["nodes", "edges"]);

export function isEntry(path: string[]): boolean {
  return path.length === 2 && ORDERED.has(path[0]);
}

/** What stands at a path; undefined where nothing does. */
export function at(doc: Doc, path: string[]): Json | undefined {
  let value: Json | undefined = doc as unknown as Json;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

export function isMove(change: Change): boolean {
  return change.from === undefined && change.to === undefined && isEntry(change.path);
}

/** Whether the change can be made; null where it is made already. */
export function fits(doc: Doc, change: Change): boolean | null {
  const { path, from, to } = change;
  if (isMove(change)) return at(doc, path) !== undefined;
  const inEntry = ORDERED.has(path[0]) && path.length > 2;
  if (inEntry && at(doc, path.slice(0, 2)) === undefined) return to === undefined && from === undefined ? null : false;
  const now = at(doc, path);
  if (sameOrNone(now, to)) return isEntry(path) && change.at !== undefined ? true : null;
  if (path[0] === "layout" && path[1] === "nodes") return true;
  return sameOrNone(now, from);
}

/** Whether both are the same JSON, or both nothing. */
export function sameOrNone(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined ? one === other : same(one, other);
}

/** The document with the changes, or null where one of them does not fit. */
export function apply(doc: Doc, changes: Change[]): Doc | null {
  const made = tried(doc, changes);
  return "misfit" in made ? null : made.doc;
}

/** The first of the changes that does not fit, if there is one. */
export function misfit(doc: Doc, changes: Change[]): Change | null {
  const made = tried(doc, changes);
  return "misfit" in made ? made.misfit : null;
}

/**
 * What is taken out may be gone already; not so what a group takes out to put it in under another id: somebody else has
 * given it another one, and it would be there twice.
 */
function tried(doc: Doc, changes: Change[]): { doc: Doc } | { misfit: Change } {
  const ids = otherIds(changes);
  let now = doc;
  let gone: Change | undefined;
  let isPutIn = false;
  for (const change of changes) {
    const fit = fits(now, change);
    if (fit === false) return { misfit: change };
    if (fit === null && isTakenOut(change)) gone ??= change;
    if (fit === null) continue;
    isPutIn ||= isPutInto(change) && ids.has(change.path[1]) && at(now, change.path) === undefined;
    now = written(now, change);
  }
  return gone && isPutIn ? { misfit: gone } : { doc: now };
}

export const isTakenOut = ({ path, from, to }: Change) => isEntry(path) && from !== undefined && to === undefined;
const isPutInto = ({ path, from, to }: Change) =>
  path[0] === "nodes" && isEntry(path) && from === undefined && to !== undefined;

/** The old and the new ids of the steps that are taken out and put in under another: type and title are the same. */
function otherIds(changes: Change[]): Set<string> {
  const out = changes.filter((change) => change.path[0] === "nodes" && isTakenOut(change));
  const into = changes.filter(isPutInto);
  const [gone, come] = [new Set(out.map(({ from }) => face(from))), new Set(into.map(({ to }) => face(to)))];
  const isIn = (all: Set<string | null>, its: string | null) => its !== null && all.has(its);
  const both = [...out.filter(({ from }) => isIn(come, face(from))), ...into.filter(({ to }) => isIn(gone, face(to)))];
  return new Set(both.map(({ path }) => path[1]));
}

/**
 * What a step is known by where the rest of it has changed: its type and its title. Null is like no other: it is no object,
 * or these are no texts.
 */
export function face(body: Json | undefined): string | null {
  if (!isObject(body)) return null;
  const [type, title] = [body.type ?? null, body.title ?? null];
  const isKnown = [type, title].every((each) => each === null || typeof each === "string");
  return isKnown ? JSON.stringify([type, title]) : null;
}

/** Whether a change at this path says something of one of these steps, or of a way to or from it. */
export function isAbout(path: string[], ids: { has(id: string): boolean }): boolean {
  const [root, key, name] = path;
  if (root === "nodes") return ids.has(key);
  if (root === "edges")
    return key
      .replace(/#\d+$/, "")
      .split(">")
      .some((end) => ids.has(end));
  return root === "layout" && ["nodes", "pins", "collapsed"].includes(key) && ids.has(name);
}

/** The document with those of the changes that fit, and how many did not; none where a step would get its other id in part. */
export function applyWhatFits(doc: Doc, changes: Change[]): { doc: Doc; left: number; made: Change[] } {
  const ids = otherIds(changes);
  const isOf = ({ path }: Change) => isAbout(path, ids);
  if (ids.size && misfit(doc, changes.filter(isOf))) return { doc, left: changes.length, made: [] };
  const made: Change[] = [];
  let now = doc;
  for (const change of changes) {
    const next = apply(now, [change]);
    if (next === null) continue;
    now = next;
    made.push(change);
  }
  return { doc: now, left: changes.length - made.length, made };
}

function written(doc: Doc, change: Change): Doc {
  const { path } = change;
  if (isEntry(path)) {
    const [root, key] = path as ["nodes" | "edges", string];
    const value = isMove(change) ? doc[root][key] : change.to;
    return { ...doc, [root]: placed(doc[root], key, value, change.at) };
  }
  const [root, ...rest] = path;
  const part = (doc as unknown as JsonObject)[root] ?? {};
  const kept = ORDERED.has(root) ? 1 : root === "layout" ? 1 : 0;
  return { ...doc, [root]: put(part, rest, change.to, kept) } as Doc;
}

/** The entries with this one in its place: behind `after`, first for null, where it was or last for undefined. */
function placed(
  entries: JsonObject,
  key: string,
  value: Json | undefined,
  after: string | null | undefined,
): JsonObject {
  if (value === undefined) {
    const { [key]: _gone, ...rest } = entries;
    return rest;
  }
  if (after === undefined || (after !== null && (after === key || !Object.hasOwn(entries, after))))
    return { ...entries, [key]: value };
  const { [key]: _old, ...others } = entries;
  const result: JsonObject = after === null ? { [key]: value } : {};
  for (const [name, entry] of Object.entries(others)) {
    result[name] = entry;
    if (name === after) result[key] = value;
  }
  return result;
}

/** `kept`: how many levels stay although a removal leaves them empty. */
function put(value: Json | undefined, path: string[], to: Json | undefined, kept: number): Json {
  const base = isObject(value) ? value : {};
  const [key, ...rest] = path;
  if (rest.length === 0) {
    if (to !== undefined) return { ...base, [key]: to };
    const { [key]: _gone, ...others } = base;
    return others;
  }
  const inside = put(base[key], rest, to, kept - 1);
  const isEmpty = to === undefined && isObject(inside) && Object.keys(inside).length === 0 && kept <= 0;
  if (!isEmpty) return { ...base, [key]: inside };
  const { [key]: _gone, ...others } = base;
  return others;
}

/** What takes the change back. */
export function inverse(change: Change): Change {
  const back: Change = { path: change.path };
  if (change.to !== undefined) back.from = change.to;
  if (change.from !== undefined) back.to = change.from;
  if (change.was_at !== undefined) back.at = change.was_at;
  if (change.at !== undefined) back.was_at = change.at;
  return back;
}

export function inverses(changes: Change[]): Change[] {
  return changes.map(inverse).reverse();
}

/** The key that stands before this one; null where it is the first. */
export function before(entries: Record<string, unknown>, key: string): string | null {
  const keys = Object.keys(entries);
  const place = keys.indexOf(key);
  return place > 0 ? keys[place - 1] : null;
}

/** A change that sets a value, or null where it is so already. */
export function setting(doc: Doc, path: string[], to: Json | undefined): Change | null {
  const from = at(doc, path);
  if (sameOrNone(from, to)) return null;
  const change: Change = { path };
  if (from !== undefined) change.from = from;
  if (to !== undefined) change.to = to;
  if (isEntry(path) && from !== undefined && to === undefined) change.was_at = before(doc[path[0] as "nodes"], path[1]);
  return change;
}

/** Several changes one after the other, each seen from where the one before it leads. */
export class Draft {
  changes: Change[] = [];

  constructor(public doc: Doc) {}

  set(path: string[], to: Json | undefined): this {
    return this.add(setting(this.doc, path, to));
  }

  insert(root: "nodes" | "edges", key: string, body: Json, after?: string | null): this {
    const change: Change = { path: [root, key], to: body };
    if (after !== undefined) change.at = after;
    return this.add(change);
  }

  move(root: "nodes" | "edges", key: string, after: string | null): this {
    const was = before(this.doc[root], key);
    return was === after ? this : this.add({ path: [root, key], at: after, was_at: was });
  }

  add(change: Change | null): this {
    const next = change && apply(this.doc, [change]);
    if (change && next) {
      this.changes.push(change);
      this.doc = next;
    }
    return this;
  }
}

/** The changes that lead from one document to another, one for each value that is different. */
export function diff(one: Doc, other: Doc): Change[] {
  const draft = new Draft(one);
  for (const root of ["edges", "nodes"] as const) {
    for (const key of Object.keys(one[root])) if (!Object.hasOwn(other[root], key)) draft.set([root, key], undefined);
  }
  for (const root of ["nodes", "edges"] as const) {
    let last: string | null = null;
    for (const [key, body] of Object.entries(other[root])) {
      if (Object.hasOwn(draft.doc[root], key)) {
        inside(draft, [root, key], body);
        draft.move(root, key, last);
      } else draft.insert(root, key, body, last);
      last = key;
    }
  }
  inside(draft, ["settings"], other.settings);
  inside(draft, ["layout"], other.layout as Json);
  return draft.changes;
}

const DEEP = 4;

/** A place on the canvas is one value. */
function isWhole(path: string[]): boolean {
  return (
    path.length >= DEEP || (path[0] === "layout" && path[1] !== "notes" && path[1] !== "groups" && path.length >= 3)
  );
}

function inside(draft: Draft, path: string[], to: Json): void {
  const from = at(draft.doc, path);
  if (!isObject(from) || !isObject(to) || isWhole(path)) {
    draft.set(path, to);
    return;
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) draft.set([...path, key], undefined);
  for (const [key, value] of Object.entries(to)) inside(draft, [...path, key], value);
}
