/** The fields of an object's schema, those with a condition included, and changes of them: pure.
 *
 * A field that is shown only if another one has a value stands in a branch of `allOf`:
 * `{if: {properties: {other: {const: value}}, required: [other]}, then: {properties, required}}`.
 */

import type { Json, JsonObject } from "../../model/json";
import { isObject, same } from "../../model/json";

export interface Condition {
  field: string;
  value: Json;
}

export interface Field {
  name: string;
  schema: Json;
  isRequired: boolean;
  when: Condition | null;
  /** Where its schema stands. */
  path: (string | number)[];
}

/** A branch that the editor shows; what is anything more than that stays as it is. */
interface Branch {
  place: number;
  when: Condition;
  /** What `then` holds. */
  shown: JsonObject;
}

/** Where the order of the fields stands: stored objects have none. */
export const ORDER = "x-order";

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

function namesIn(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === "string") : [];
}

function isOnly(value: Json | undefined, keys: string[]): value is JsonObject {
  return isObject(value) && Object.keys(value).every((key) => keys.includes(key));
}

/** The condition that `if` states; null for any other. */
function conditionOf(part: Json | undefined): Condition | null {
  if (!isOnly(part, ["properties", "required"]) || !isObject(part.properties)) return null;
  const tests = Object.entries(part.properties);
  if (tests.length !== 1) return null;
  const [field, test] = tests[0];
  if (!isOnly(test, ["const"]) || !Object.hasOwn(test, "const") || !same(part.required, [field])) return null;
  return { field, value: test.const };
}

function branchesOf(schema: JsonObject): Branch[] {
  const found: Branch[] = [];
  const taken = new Set(Object.keys(propertiesOf(schema)));
  for (const [place, part] of (Array.isArray(schema.allOf) ? schema.allOf : []).entries()) {
    if (!isOnly(part, ["if", "then"]) || !isOnly(part.then, ["properties", "required"])) continue;
    const when = conditionOf(part.if);
    const names = Object.keys(propertiesOf(part.then));
    const isPlain = names.length > 0 && namesIn(part.then.required).every((name) => names.includes(name));
    if (!when || !isPlain || names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    found.push({ place, when, shown: part.then });
  }
  return found;
}

/** How many rules of a schema the editor does not show as fields. */
export function otherRules(schema: JsonObject): number {
  const parts = Array.isArray(schema.allOf) ? schema.allOf.length : 0;
  const keys = ["if", "dependentRequired", "dependentSchemas", "anyOf", "oneOf", "not", "$ref"];
  return parts - branchesOf(schema).length + keys.filter((key) => schema[key] !== undefined).length;
}

/** The fields as people see them: in the order that was chosen, else what is required first, as it is listed. */
export function fieldsOf(schema: JsonObject): Field[] {
  const parts: { holder: JsonObject; when: Condition | null; path: (string | number)[] }[] = [
    { holder: schema, when: null, path: [] },
    ...branchesOf(schema).map(({ place, when, shown }) => ({ holder: shown, when, path: ["allOf", place, "then"] })),
  ];
  const fields = parts.flatMap(({ holder, when, path }) =>
    Object.entries(propertiesOf(holder)).map(
      ([name, each]): Field => ({
        name,
        schema: each,
        isRequired: namesIn(holder.required).includes(name),
        when,
        path: [...path, "properties", name],
      }),
    ),
  );
  const byName = new Map(fields.map((field) => [field.name, field]));
  const first = [...namesIn(schema[ORDER]), ...parts.flatMap(({ holder }) => namesIn(holder.required))];
  const names = new Set([...first.filter((name) => byName.has(name)), ...byName.keys()]);
  return [...names].map((name) => byName.get(name) as Field);
}

function namesOf(schema: JsonObject): string[] {
  return fieldsOf(schema).map(({ name }) => name);
}

/** The object with a list under this key, or without the key where the list is empty. */
function withList(schema: JsonObject, key: string, list: Json[]): JsonObject {
  if (list.length) return same(schema[key], list) ? schema : { ...schema, [key]: list };
  const { [key]: _gone, ...rest } = schema;
  return rest;
}

export function ordered(schema: JsonObject, names: string[]): JsonObject {
  return withList(schema, ORDER, names);
}

/** The schema with its branches changed; one without fields goes. */
function withBranches(schema: JsonObject, changed: (branch: Branch) => Branch): JsonObject {
  const branches = new Map(branchesOf(schema).map((branch) => [branch.place, branch]));
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  const next = parts.flatMap((part, place) => {
    const branch = branches.get(place);
    if (!branch) return [part];
    const { when, shown } = changed(branch);
    return Object.keys(propertiesOf(shown)).length ? [ruleOf(when, shown)] : [];
  });
  return Array.isArray(schema.allOf) ? withList(schema, "allOf", next) : schema;
}

/** As a literal the linter takes it for a promise. */
const THEN = "then";

function ruleOf({ field, value }: Condition, shown: JsonObject): JsonObject {
  // Without `required` the condition would hold while the field is empty.
  return { if: { properties: { [field]: { const: value } }, required: [field] }, [THEN]: shown };
}

/** What holds a field (the schema itself, or `then` of a branch) changed. */
function within(schema: JsonObject, name: string, changed: (holder: JsonObject) => JsonObject): JsonObject {
  if (Object.hasOwn(propertiesOf(schema), name)) return changed(schema);
  return withBranches(schema, (branch) =>
    Object.hasOwn(propertiesOf(branch.shown), name) ? { ...branch, shown: changed(branch.shown) } : branch,
  );
}

function put(holder: JsonObject, name: string, schema: Json, isRequired: boolean): JsonObject {
  const next = { ...holder, properties: { ...propertiesOf(holder), [name]: schema } };
  return required(next, name, isRequired);
}

function required(holder: JsonObject, name: string, is: boolean): JsonObject {
  const names = namesIn(holder.required);
  if (is) return names.includes(name) ? holder : withList(holder, "required", [...names, name]);
  return Array.isArray(holder.required)
    ? withList(
        holder,
        "required",
        names.filter((each) => each !== name),
      )
    : holder;
}

function without(holder: JsonObject, name: string): JsonObject {
  const { [name]: _gone, ...rest } = propertiesOf(holder);
  return required({ ...holder, properties: rest }, name, false);
}

/** One more field, the last one. */
export function added(schema: JsonObject, name: string, field: JsonObject): JsonObject {
  const names = [...namesOf(schema), name];
  const next = put({ type: "object", ...schema }, name, field, false);
  return names.length > 1 ? ordered(next, names) : next;
}

export function withRequired(schema: JsonObject, name: string, is: boolean): JsonObject {
  return within(schema, name, (holder) => required(holder, name, is));
}

/** A field by another name, also where a condition reads it. */
export function renamed(schema: JsonObject, from: string, to: string): JsonObject {
  const as = (name: string) => (name === from ? to : name);
  const next = within(schema, from, (holder) => ({
    ...holder,
    properties: Object.fromEntries(Object.entries(propertiesOf(holder)).map(([name, each]) => [as(name), each])),
    ...(Array.isArray(holder.required) && { required: namesIn(holder.required).map(as) }),
  }));
  const read = withBranches(next, (branch) => ({ ...branch, when: { ...branch.when, field: as(branch.when.field) } }));
  return Array.isArray(schema[ORDER]) ? ordered(read, namesIn(schema[ORDER]).map(as)) : read;
}

/** Without a field; what was shown only by it is shown always. */
export function removed(schema: JsonObject, name: string): JsonObject {
  const shown = fieldsOf(schema).filter(({ when }) => when?.field === name);
  const free = shown.reduce((now, field) => conditioned(now, field.name, null), schema);
  const next = within(free, name, (holder) => without(holder, name));
  return Array.isArray(next[ORDER])
    ? ordered(
        next,
        namesIn(next[ORDER]).filter((each) => each !== name),
      )
    : next;
}

/** A field that is shown only under a condition, or always; it keeps its place. */
export function conditioned(schema: JsonObject, name: string, when: Condition | null): JsonObject {
  const fields = fieldsOf(schema);
  const field = fields.find((each) => each.name === name);
  if (!field || isSame(field.when, when)) return schema;
  const names = fields.map((each) => each.name);
  const isAlone = fields.filter((each) => same(each.path.slice(0, 2), field.path.slice(0, 2))).length === 1;
  const hasSuch = branchesOf(schema).some((branch) => isSame(branch.when, when));
  const moved = (): JsonObject => {
    // The only one of its branch stays in it: the order of the rules stays, too.
    if (when && field.when && isAlone && !hasSuch)
      return withBranches(schema, (branch) =>
        Object.hasOwn(propertiesOf(branch.shown), name) ? { ...branch, when } : branch,
      );
    const rest = within(schema, name, (holder) => without(holder, name));
    if (!when) return put(rest, name, field.schema, field.isRequired);
    if (hasSuch)
      return withBranches(rest, (branch) =>
        isSame(branch.when, when)
          ? { ...branch, shown: put(branch.shown, name, field.schema, field.isRequired) }
          : branch,
      );
    const rules = Array.isArray(rest.allOf) ? rest.allOf : [];
    return { ...rest, allOf: [...rules, ruleOf(when, put({}, name, field.schema, field.isRequired))] };
  };
  return ordered(moved(), names);
}

function isSame(one: Condition | null, other: Condition | null): boolean {
  return one?.field === other?.field && same(one?.value, other?.value);
}

/** The fields that a condition of this one may read: none that is shown by it, in however many steps. */
export function readable(fields: Field[], name: string): Field[] {
  const readsIt = (field: Field, hops = 0): boolean =>
    field.name === name ||
    (field.when !== null &&
      hops < fields.length &&
      fields.some((each) => each.name === field.when?.field && readsIt(each, hops + 1)));
  return fields.filter((field) => !readsIt(field));
}
