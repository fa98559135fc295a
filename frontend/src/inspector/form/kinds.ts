/** The kinds of fields that a form offers, as JSON Schema: pure. `lib/forms` has the fields that people fill in. */

import type { Json, JsonObject } from "../../model/json";
import { isObject } from "../../model/json";

export type Kind =
  | "text"
  | "long"
  | "email"
  | "uri"
  | "integer"
  | "number"
  | "money"
  | "boolean"
  | "date"
  | "moment"
  | "time"
  | "choice"
  | "checks"
  | "person"
  | "file"
  | "list"
  | "rows"
  | "group"
  | "other";

/** The kinds by group, in the order of the choice. */
export const GROUPS: [string, [Kind, string][]][] = [
  [
    "Text",
    [
      ["text", "Text"],
      ["long", "Long text"],
      ["email", "Email address"],
      ["uri", "Web address"],
    ],
  ],
  [
    "Number",
    [
      ["integer", "Whole number"],
      ["number", "Number"],
      ["money", "Money"],
    ],
  ],
  [
    "Time",
    [
      ["date", "Date"],
      ["moment", "Date and time"],
      ["time", "Time of day"],
    ],
  ],
  [
    "Choice",
    [
      ["boolean", "Yes or no"],
      ["choice", "Choice"],
      ["checks", "Several choices"],
      ["person", "Person"],
    ],
  ],
  ["File", [["file", "File"]]],
  [
    "Several fields",
    [
      ["list", "List of texts"],
      ["rows", "Rows"],
      ["group", "Group"],
    ],
  ],
];

const TITLES = Object.fromEntries(GROUPS.flatMap(([, kinds]) => kinds));

export function titleOf(kind: Kind): string {
  return TITLES[kind] ?? "Other (JSON)";
}

/** A text that may be longer has several lines: LONG_TEXT of lib/forms. */
const LONG = 200;
const FORMATS: Record<string, Kind> = {
  date: "date",
  "date-time": "moment",
  time: "time",
  email: "email",
  uri: "uri",
  person: "person",
  file: "file",
};

export function kindOf(schema: Json | undefined): Kind {
  if (!isObject(schema)) return "other";
  if (hasOptions(schema)) return "choice";
  switch (schema.type) {
    case "string":
      if (typeof schema.format === "string" && Object.hasOwn(FORMATS, schema.format)) return FORMATS[schema.format];
      return typeof schema.maxLength === "number" && schema.maxLength > LONG ? "long" : "text";
    case "integer":
      return "integer";
    case "number":
      return schema.format === "money" || schema["x-currency"] !== undefined ? "money" : "number";
    case "boolean":
      return "boolean";
    case "object":
      return isObject(schema.properties) ? "group" : "other";
    case "array":
      return kindOfList(schema.items);
  }
  return "other";
}

function kindOfList(items: Json | undefined): Kind {
  if (!isObject(items)) return "other";
  if (hasOptions(items)) return "checks";
  if (items.type === "string" && Object.keys(items).length === 1) return "list";
  return items.type === "object" && isObject(items.properties) ? "rows" : "other";
}

/** Whether it is a choice: an `enum`, or `oneOf` of nothing but constants with their titles. */
function hasOptions(schema: JsonObject): boolean {
  if (Array.isArray(schema.enum)) return true;
  const parts = schema.oneOf;
  return Array.isArray(parts) && parts.length > 0 && parts.every(isOption);
}

const OF_OPTION = new Set(["const", "title", "description"]);

function isOption(part: Json): part is JsonObject {
  return isObject(part) && Object.hasOwn(part, "const") && Object.keys(part).every((key) => OF_OPTION.has(key));
}

/** What says nothing of the kind, and stays when that is changed. */
const OF_ANY = ["title", "description"];
/** What two kinds may have in common, and stays between them. */
const TEXT = ["maxLength", "minLength", "pattern", "x-message"];
const NUMBER = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const LIST = ["minItems", "maxItems", "uniqueItems"];
const OBJECT = ["properties", "required", "allOf", "x-order"];
const SHARED: Partial<Record<Kind, string[]>> = {
  text: [...TEXT, "default"],
  long: [...TEXT, "default"],
  email: TEXT,
  uri: TEXT,
  integer: NUMBER,
  number: [...NUMBER, "default"],
  money: [...NUMBER, "default"],
  checks: LIST,
  list: LIST,
  rows: LIST,
};

function blank(kind: Kind): JsonObject {
  switch (kind) {
    case "integer":
    case "number":
    case "boolean":
      return { type: kind };
    case "long":
      return { type: "string", maxLength: 5000 };
    case "money":
      return { type: "number", "x-currency": "EUR" };
    case "choice":
      return { type: "string", enum: [] };
    case "checks":
      return { type: "array", items: { type: "string", enum: [] } };
    case "list":
      return { type: "array", items: { type: "string" } };
    case "rows":
      return { type: "array", items: { type: "object", properties: {} } };
    case "group":
      return { type: "object", properties: {} };
  }
  const format = Object.entries(FORMATS).find(([, each]) => each === kind)?.[0];
  return { type: "string", ...(format && { format }) };
}

/** The schema as another kind: its title and help stay, and of the rest what the new kind has, too. */
export function asKind(schema: JsonObject, kind: Kind): JsonObject {
  const from = kindOf(schema);
  if (kind === "other" || kind === from) return schema;
  const common = (SHARED[from] ?? []).filter((key) => SHARED[kind]?.includes(key));
  const kept = [...OF_ANY, ...common].filter((key) => Object.hasOwn(schema, key));
  // How long a text may be decides between a line and several.
  const isLong = typeof schema.maxLength === "number" && schema.maxLength > LONG;
  const rest = Object.fromEntries(
    kept.filter((key) => key !== "maxLength" || !isLong).map((key) => [key, schema[key]]),
  );
  return { ...inside(schema, from, kind), ...(kind === "long" ? { ...rest, maxLength: 5000 } : rest) };
}

/** What is of the new kind, with the options or the fields that the old one had. */
function inside(schema: JsonObject, from: Kind, kind: Kind): JsonObject {
  const made = blank(kind);
  const items = isObject(schema.items) ? schema.items : {};
  if (from === "choice" && kind === "checks") return { ...made, items: some(schema, ["type", "enum", "oneOf"]) };
  if (from === "checks" && kind === "choice") return some(items, ["type", "enum", "oneOf"]);
  if (from === "group" && kind === "rows") return { ...made, items: some(schema, ["type", ...OBJECT]) };
  if (from === "rows" && kind === "group") return some(items, ["type", ...OBJECT]);
  return made;
}

function some(schema: JsonObject, keys: string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(schema, key)).map((key) => [key, schema[key]]));
}

export interface Option {
  value: Json;
  title: string;
}

/** What a choice offers. */
export function optionsOf(schema: JsonObject): Option[] {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ value, title: "" }));
  const parts = Array.isArray(schema.oneOf) ? schema.oneOf.filter(isOption) : [];
  return parts.map((part) => ({ value: part.const, title: typeof part.title === "string" ? part.title : "" }));
}

/** The choice with these options: an `enum` as long as none has a title. */
export function withOptions(schema: JsonObject, options: Option[]): JsonObject {
  const { enum: _enum, oneOf, ...rest } = schema;
  if (!options.some(({ title }) => title)) return { ...rest, enum: options.map(({ value }) => value) };
  const before = Array.isArray(oneOf) ? oneOf.filter(isOption) : [];
  const parts = options.map(({ value, title }) => {
    const was = before.find((part) => JSON.stringify(part.const) === JSON.stringify(value));
    return {
      const: value,
      ...(title && { title }),
      ...(was?.description !== undefined && { description: was.description }),
    };
  });
  return { ...rest, oneOf: parts };
}

const SAMPLES: Partial<Record<Kind, Json>> = {
  text: "text",
  long: "A longer text.",
  email: "ann@example.com",
  uri: "https://example.com",
  integer: 1,
  number: 1.5,
  money: 12.5,
  boolean: true,
  date: "2027-01-31",
  moment: "2027-01-31T09:00:00Z",
  time: "09:00:00Z",
  person: "ann",
  list: ["text"],
};

/** A value that fits a field, for who has none at hand; undefined where none can be made up, as for a file. */
export function sampleOf(schema: Json | undefined): Json | undefined {
  const described = isObject(schema) ? schema : {};
  if (described.default !== undefined) return described.default;
  const kind = kindOf(schema);
  const items = isObject(described.items) ? described.items : {};
  if (kind === "choice") return optionsOf(described)[0]?.value ?? null;
  if (kind === "checks")
    return optionsOf(items)
      .slice(0, 1)
      .map(({ value }) => value);
  if (kind === "group") return sampleInput(described);
  if (kind === "rows") return [sampleInput(items)];
  if (kind === "file") return undefined;
  return SAMPLES[kind] ?? (described.type === "array" ? [] : null);
}

/** An object that fits its schema. */
export function sampleInput(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const made = inOrder(schema).map((name) => [name, sampleOf(properties[name])] as const);
  return Object.fromEntries(made.filter((pair): pair is readonly [string, Json] => pair[1] !== undefined));
}

/** Where the order of the fields stands: stored objects have none. */
export const ORDER = "x-order";

/** The fields as people see them: in the order that was chosen, else what is needed first, as it is listed. */
export function inOrder(schema: JsonObject): string[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const chosen = [schema[ORDER], schema.required].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...new Set([
      ...chosen.filter((name): name is string => typeof name === "string" && Object.hasOwn(properties, name)),
      ...Object.keys(properties),
    ]),
  ];
}
