/** A value of the draft that a field shows: what it is, what problems call it, and how it is set. */

import { at, setting } from "../model/changes";
import type { Doc } from "../model/document";
import type { Json } from "../model/json";
import { isObject } from "../model/json";
import { type Acting, type Problem, act, state } from "../store";

export interface Spot {
  value: Json | undefined;
  /** As the validator's problems name it, such as `nodes[2].params.url`. */
  field: string;
  /** Where it is in the document; two spots never share one. */
  key: string;
  /** Sets it, undefined removes it. `typing`: what is typed until the field is left is the same act. */
  set: (value: Json | undefined, typing?: boolean) => void;
  /** Sets what comes of what was done before: it is undone together with that. */
  follow: (value: Json) => void;
  /** What stands under a key of this object. */
  at: (key: string, title?: string) => Spot;
  /** What stands at a place of this list. */
  item: (place: number) => Spot;
}

/** `path.key`, as the validator writes it. */
export function joined(field: string, key: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return field ? `${field}.${key}` : key;
  return `${field}[${JSON.stringify(key)}]`;
}

/** The spot at a path of the document. `title` is what an undo calls it, `owner` whose it is. */
export function docSpot(doc: Doc, path: string[], field: string, title: string, owner: string): Spot {
  const value = at(doc, path);
  const key = path.join("/");
  const put = (to: Json | undefined, how: Acting) => {
    const change = setting(state().doc, path, to);
    if (change) act(`Change ${title} of ${owner}`, [change], how);
  };
  const spot: Spot = {
    value: value ?? undefined,
    field,
    key,
    set: (to, typing) => put(to, typing ? { merge: `type ${key}`, stays: true } : {}),
    follow: (to) => put(to, { joins: true }),
    at: (name, named) =>
      value === undefined || isObject(value)
        ? docSpot(doc, [...path, name], joined(field, name), named ?? title, owner)
        : within(spot, name, joined(field, name)),
    item: (place) => within(spot, place, `${field}[${place}]`),
  };
  return spot;
}

/** A part of a value that is one value for the draft: lists, and what is in them. */
function within(parent: Spot, name: string | number, field: string): Spot {
  const from = parent.value;
  const value = Array.isArray(from) ? from[name as number] : isObject(from) ? from[name] : undefined;
  const spot: Spot = {
    value: value ?? undefined,
    field,
    key: `${parent.key}/${name}`,
    set: (to, typing) => parent.set(replaced(from, name, to), typing),
    follow: (to) => parent.follow(replaced(from, name, to)),
    at: (key) => within(spot, key, joined(field, key)),
    item: (place) => within(spot, place, `${field}[${place}]`),
  };
  return spot;
}

function replaced(from: Json | undefined, name: string | number, to: Json | undefined): Json {
  if (typeof name === "number") {
    const list = Array.isArray(from) ? [...from] : [];
    if (to === undefined) list.splice(name, 1);
    else list[name] = to;
    return list;
  }
  const { [name]: _old, ...rest } = isObject(from) ? from : {};
  // The order of keys stays where one is set again.
  if (to === undefined) return rest;
  return isObject(from) ? { ...from, [name]: to } : { [name]: to };
}

/** The problems of a spot; with `deep` also those of what is in it. */
export function problemsAt(problems: Problem[], field: string, deep: boolean): Problem[] {
  return problems.filter(
    ({ field: at }) => at === field || (deep && (at.startsWith(`${field}.`) || at.startsWith(`${field}[`))),
  );
}
