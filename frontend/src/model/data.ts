/** Values as the builder shows them: rows of a tree, tables, a text, differences. Pure; all that is shown is bounded. */

import type { Json, JsonObject } from "./json";
import { isObject } from "./json";
import { counted } from "./words";

export type Key = string | number;
export type Kind = "object" | "list" | "text" | "number" | "boolean" | "nothing";

/** So many rows of a tree are shown at once: an input and an output together stay below 500. */
export const MOST_ROWS = 240;
/** So many entries of a container are shown until somebody asks for more. */
export const PAGE = 50;
/** Below this a value is its text. */
export const DEEPEST = 40;
const MOST_HITS = 200;
const MOST_CHANGES = 200;
const MOST_COLUMNS = 12;
const MOST_TABLES = 10;
const PREVIEW = 120;
/** A container with so few entries is open at first where it stands right below the root. */
const FEW = 12;

export interface Row {
  /** Its place as a JSON pointer. */
  id: string;
  keys: Key[];
  name: string;
  depth: number;
  kind: Kind;
  said: string;
  value: Json;
  /** Null: there is nothing to open. */
  isOpen: boolean | null;
  at: number;
  of: number;
}

/** The end of a page: there are more entries. */
export interface More {
  id: string;
  depth: number;
  /** The container, and how many of its entries are shown. */
  parent: string;
  shown: number;
  left: number;
}

export interface Opened {
  open: ReadonlyMap<string, boolean>;
  /** How many entries of a container are shown. */
  pages: ReadonlyMap<string, number>;
}

export interface Found {
  hits: ReadonlySet<string>;
  /** Those that were found, and what they are in. */
  within: ReadonlySet<string>;
  /** There is more that fits. */
  isCut: boolean;
}

export function kindOf(value: Json): Kind {
  if (Array.isArray(value)) return "list";
  if (value === null) return "nothing";
  if (typeof value === "object") return "object";
  if (typeof value === "string") return "text";
  return typeof value === "number" ? "number" : "boolean";
}

export function isContainer(value: Json | undefined): value is Json[] | JsonObject {
  return typeof value === "object" && value !== null;
}

export function sizeOf(value: Json[] | JsonObject): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** How many entries, in words. */
export function sizeWords(value: Json[] | JsonObject): string {
  return counted(sizeOf(value), Array.isArray(value) ? "item" : "field");
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A value in a line. */
export function said(value: Json, most = PREVIEW): string {
  if (isContainer(value)) return sizeWords(value);
  return typeof value === "string" ? JSON.stringify(cut(value, most)) : String(value);
}

function below(id: string, key: Key): string {
  return `${id}/${typeof key === "number" ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function keysOf(value: Json[] | JsonObject): Key[] {
  return Array.isArray(value) ? [...value.keys()] : Object.keys(value);
}

function under(value: Json[] | JsonObject, key: Key): Json {
  return (value as Record<Key, Json>)[key];
}

/** The rows of a value, from the top; the root is none. With `found` only what was found, and all of it open. */
export function rowsOf(value: Json, { open, pages }: Opened, found?: Found): { rows: (Row | More)[]; isCut: boolean } {
  const rows: (Row | More)[] = [];
  let isCut = false;
  const walk = (parent: Json[] | JsonObject, parentId: string, parentKeys: Key[], depth: number): void => {
    const all = keysOf(parent);
    const keys = found ? all.filter((key) => found.within.has(below(parentId, key))) : all;
    const page = found ? keys.length : (pages.get(parentId) ?? PAGE);
    for (const [at, key] of keys.slice(0, page).entries()) {
      if (rows.length >= MOST_ROWS) {
        isCut = true;
        return;
      }
      const [each, id] = [under(parent, key), below(parentId, key)];
      const canOpen = isContainer(each) && depth < DEEPEST && sizeOf(each) > 0;
      const isOpen =
        canOpen && (found?.within.has(id) ? (open.get(id) ?? !found.hits.has(id)) : isOpened(open, id, each, depth));
      const name = typeof key === "number" ? `[${key}]` : key;
      const row = { id, keys: [...parentKeys, key], name, depth, kind: kindOf(each), said: said(each), value: each };
      rows.push({ ...row, isOpen: canOpen ? isOpen : null, at: at + 1, of: keys.length });
      if (isOpen) walk(each, id, row.keys, depth + 1);
    }
    if (keys.length > page && rows.length < MOST_ROWS)
      rows.push({ id: `${parentId}/ more`, depth, parent: parentId, shown: page, left: keys.length - page });
  };
  if (isContainer(value)) walk(value, "", [], 1);
  return { rows, isCut };
}

function isOpened(open: Opened["open"], id: string, value: Json[] | JsonObject, depth: number): boolean {
  return open.get(id) ?? (depth === 1 && sizeOf(value) <= FEW);
}

/** Whose name or text has the search in it. */
export function found(value: Json, search: string): Found {
  const wanted = search.toLowerCase();
  const hits = new Set<string>();
  const within = new Set<string>();
  const walk = (each: Json, id: string, name: string, depth: number): boolean => {
    if (hits.size >= MOST_HITS) return false;
    const text = isContainer(each) ? "" : String(each).toLowerCase();
    const isHit = name.toLowerCase().includes(wanted) || text.includes(wanted);
    if (isHit) hits.add(id);
    let isWithin = isHit;
    if (isContainer(each) && depth < DEEPEST)
      for (const key of keysOf(each)) {
        if (hits.size >= MOST_HITS) break;
        if (walk(under(each, key), below(id, key), typeof key === "string" ? key : "", depth + 1)) isWithin = true;
      }
    if (isWithin) within.add(id);
    return isWithin;
  };
  if (wanted && isContainer(value))
    for (const key of keysOf(value)) walk(under(value, key), below("", key), typeof key === "string" ? key : "", 1);
  return { hits, within, isCut: hits.size >= MOST_HITS };
}

/** What an expression can't have as the name of a field after a point. */
const RESERVED = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" "),
);

/** A value below a root as an expression reads it: `steps.a.output.items[0]["unit price"]`. */
export function reference(root: string, keys: Key[]): string {
  return root + keys.map(selected).join("");
}

function selected(key: Key): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !RESERVED.has(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** What a step gives as an expression reads it. */
export function outputOf(step: string): string {
  return `steps${selected(step)}.output`;
}

export interface Table {
  /** Where in the value it is. */
  keys: Key[];
  rows: JsonObject[];
  columns: string[];
  /** How many columns are left out. */
  more: number;
}

function isTable(value: Json): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.slice(0, PAGE).every(isObject);
}

/** The lists of objects in a value: itself, what it has, and what that has. */
export function tablesIn(value: Json): Table[] {
  const tables: Table[] = [];
  const look = (each: Json, keys: Key[]): void => {
    if (tables.length >= MOST_TABLES) return;
    if (isTable(each)) tables.push({ keys, rows: each.filter(isObject), ...columnsOf(each) });
    else if (isObject(each) && keys.length < 2)
      for (const [key, inner] of Object.entries(each)) look(inner, [...keys, key]);
  };
  look(value, []);
  return tables;
}

function columnsOf(rows: JsonObject[]): { columns: string[]; more: number } {
  const all = new Set(rows.slice(0, PAGE).flatMap((row) => Object.keys(row)));
  return { columns: [...all].slice(0, MOST_COLUMNS), more: Math.max(0, all.size - MOST_COLUMNS) };
}

/** A leaf that is another one, or was not there, or is no more. */
export interface Change {
  keys: Key[];
  kind: "added" | "changed" | "removed";
  was?: Json;
  now?: Json;
}

/** The leaves in which two values differ, in the order of the second one; an empty container is a leaf. */
export function difference(was: Json | undefined, now: Json | undefined): { changes: Change[]; isCut: boolean } {
  const changes: Change[] = [];
  let isCut = false;
  const add = (change: Change) => {
    if (changes.length < MOST_CHANGES) changes.push(change);
    else isCut = true;
  };
  const leaves = (value: Json, keys: Key[], kind: "added" | "removed"): void => {
    if (isCut) return;
    if (isContainer(value) && sizeOf(value) > 0 && keys.length < DEEPEST)
      for (const key of keysOf(value)) leaves(under(value, key), [...keys, key], kind);
    else add({ keys, kind, [kind === "added" ? "now" : "was"]: value });
  };
  const walk = (one: Json | undefined, other: Json | undefined, keys: Key[]): void => {
    if (isCut) return;
    if (one === undefined || other === undefined) {
      if (one !== undefined) leaves(one, keys, "removed");
      if (other !== undefined) leaves(other, keys, "added");
    } else if (keys.length >= DEEPEST) {
      if (JSON.stringify(one) !== JSON.stringify(other)) add({ keys, kind: "changed", was: one, now: other });
    } else if (isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const key of keysOf(other)) walk(ownOf(one, key), under(other, key), [...keys, key]);
      for (const key of keysOf(one))
        if (ownOf(other, key) === undefined) walk(under(one, key), undefined, [...keys, key]);
    } else if (isContainer(one) || isContainer(other) || one !== other)
      add({ keys, kind: "changed", was: one, now: other });
  };
  walk(was, now, []);
  return { changes, isCut };
}

function ownOf(value: Json[] | JsonObject, key: Key): Json | undefined {
  return Object.hasOwn(value, key) ? under(value, key) : undefined;
}

/** A text in pieces: what fits the search, and what is between. */
export function pieces(text: string, search: string): { text: string; isHit: boolean }[] {
  const [wanted, whole] = [search.toLowerCase(), text.toLowerCase()];
  // Some letters are longer in the other case: then places in one are none in the other.
  if (!wanted || whole.length !== text.length) return [{ text, isHit: false }];
  const found: { text: string; isHit: boolean }[] = [];
  let from = 0;
  for (let at = whole.indexOf(wanted); at >= 0 && found.length < MOST_HITS; at = whole.indexOf(wanted, from)) {
    if (at > from) found.push({ text: text.slice(from, at), isHit: false });
    found.push({ text: text.slice(at, at + wanted.length), isHit: true });
    from = at + wanted.length;
  }
  if (from < text.length) found.push({ text: text.slice(from), isHit: false });
  return found;
}

/** How long something took, in the unit that suits it. */
export function lasted(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
