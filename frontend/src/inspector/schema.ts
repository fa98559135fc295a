/** What a JSON Schema says of a field, as far as a form shows it. */

import type { Json, JsonObject } from "../model/json";
import { isObject } from "../model/json";

export interface Shape {
  name: string;
  title: string;
  help: string;
  isRequired: boolean;
  widget: string;
  /** Without "or null" and references. */
  schema: JsonObject;
  root: JsonObject;
  fallback: Json | undefined;
  /** Whether a text may stand there, a list, a number, … */
  takes: Set<string>;
  /** Another field that says the same in another way: one of the two is shown. */
  insteadOf: string;
  /** Whose names stand there: `people`, `groups`, or nobody's. */
  names: string;
}

/** A field that no schema describes. */
export function anyShape(name: string, title: string, help = "", widget = "code"): Shape {
  return {
    name,
    title,
    help,
    isRequired: false,
    widget,
    schema: {},
    root: {},
    fallback: undefined,
    takes: new Set(),
    insteadOf: "",
    names: "",
  };
}

/** References followed, "or null" left out. */
export function plain(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref === "string") {
    const defs = isObject(root.$defs) ? root.$defs : {};
    const found = defs[schema.$ref.split("/").pop() ?? ""];
    const { $ref: _ref, ...own } = schema;
    return isObject(found) ? plain({ ...found, ...own }, root) : own;
  }
  const choices = alternatives(schema, root);
  if (choices.length !== 1 || !Array.isArray(schema.anyOf)) return schema;
  const { anyOf: _any, ...own } = schema;
  return plain({ ...choices[0], ...own }, root);
}

/** What may stand there, null left out. */
export function alternatives(schema: JsonObject, root: JsonObject): JsonObject[] {
  const list = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return list
    .filter(isObject)
    .map((each) => plain(each, root))
    .filter((each) => each.type !== "null");
}

function typesOf(schema: JsonObject, root: JsonObject): Set<string> {
  const found = new Set<string>();
  const { type } = schema;
  for (const each of Array.isArray(type) ? type : [type]) if (typeof each === "string") found.add(each);
  for (const choice of alternatives(schema, root)) for (const each of typesOf(choice, root)) found.add(each);
  return found;
}

export function shapeOf(name: string, given: JsonObject, root: JsonObject, isRequired: boolean): Shape {
  const schema = plain(given, root);
  const fallback = given.default ?? schema.default;
  return {
    name,
    title: text(given.title) || text(schema.title) || words(name),
    help: text(given.description) || text(schema.description),
    isRequired,
    insteadOf: text(given["x-instead-of"]),
    names: text(given["x-names"]),
    widget: text(given["x-widget"]) || text(schema["x-widget"]) || guessed(schema),
    schema,
    root,
    fallback: fallback === null ? undefined : fallback,
    takes: typesOf(schema, root),
  };
}

/** The fields of an object's schema, in its order. */
export function shapesOf(schema: JsonObject, root: JsonObject = schema): Shape[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, given]) =>
    isObject(given) ? [shapeOf(name, given, root, required.includes(name))] : [],
  );
}

/** Everybody's own schemas, such as a form's, name no widgets. */
function guessed(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return "select";
  const known: Record<string, string> = { boolean: "switch", integer: "number", number: "number", string: "text" };
  if (schema.type === "object") return isObject(schema.properties) ? "group" : "pairs";
  if (schema.type === "array") return isObject(schema.items) && schema.items.type === "string" ? "list" : "code";
  return known[String(schema.type)] ?? "code";
}

export function itemsOf(shape: Shape): JsonObject[] {
  const list = [shape.schema, ...alternatives(shape.schema, shape.root)].find((each) => isObject(each.items));
  if (!list) return [];
  const items = plain(list.items as JsonObject, shape.root);
  const several = alternatives(items, shape.root);
  return several.length ? several : [items];
}

export function options(shape: Shape): Json[] {
  return Array.isArray(shape.schema.enum) ? shape.schema.enum : [];
}

/** `on_timeout` is "On timeout". */
export function words(name: string): string {
  const said = name.replace(/[_-]+/g, " ").trim();
  return said.charAt(0).toUpperCase() + said.slice(1);
}

/** A value in a few letters, for a placeholder or a summary. */
export function short(value: Json | undefined, most = 60): string {
  const said = value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return said.length > most ? `${said.slice(0, most - 1)}…` : said;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
