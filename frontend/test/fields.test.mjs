// The fields of a form with their conditions: what is read is written again as it was, and each change touches one field.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ added, conditioned, fieldsOf, ordered, otherRules, readable, removed, renamed, withRequired }] =
  await load("inspector/form/fields.ts");

const TEXT = { type: "string" };
const THEN = "then";
const rule = (field, value, properties, required) => ({
  if: { properties: { [field]: { const: value } }, required: [field] },
  [THEN]: { properties, ...(required && { required }) },
});
const TRIP = {
  type: "object",
  properties: { kind: { type: "string", enum: ["travel", "meal"] }, amount: { type: "number", minimum: 1 } },
  required: ["amount", "kind"],
  allOf: [rule("kind", "travel", { from: TEXT, to: TEXT }, ["to"])],
  "x-order": ["kind", "from", "to", "amount"],
};
const names = (schema) => fieldsOf(schema).map(({ name }) => name);
const at = (schema, path) => path.reduce((part, key) => part[key], schema);

test("fields stand in their order, each with its condition and its place", () => {
  const fields = fieldsOf(TRIP);
  assert.deepEqual(names(TRIP), ["kind", "from", "to", "amount"]);
  assert.deepEqual(
    fields.map(({ when, isRequired }) => [when, isRequired]),
    [
      [null, true],
      [{ field: "kind", value: "travel" }, false],
      [{ field: "kind", value: "travel" }, true],
      [null, true],
    ],
  );
  for (const { path, schema } of fields) assert.equal(at(TRIP, path), schema);
  assert.equal(otherRules(TRIP), 0);
  const { "x-order": _order, ...unordered } = TRIP;
  assert.deepEqual(names(unordered), ["amount", "kind", "to", "from"]);
});

test("a change and the one that takes it back leave the schema as it was", () => {
  const pairs = [
    [(now) => renamed(now, "kind", "sort"), (now) => renamed(now, "sort", "kind")],
    [(now) => renamed(now, "to", "city"), (now) => renamed(now, "city", "to")],
    [(now) => withRequired(now, "from", true), (now) => withRequired(now, "from", false)],
    [(now) => added(now, "note", TEXT), (now) => removed(now, "note")],
    [
      (now) => conditioned(now, "to", { field: "kind", value: "meal" }),
      (now) => conditioned(now, "to", { field: "kind", value: "travel" }),
    ],
    [
      (now) => conditioned(now, "amount", { field: "kind", value: "meal" }),
      (now) => withRequired(conditioned(now, "amount", null), "amount", true),
    ],
  ];
  for (const [change, back] of pairs) {
    const changed = change(TRIP);
    assert.notDeepEqual(changed, TRIP);
    const again = back(changed);
    assert.deepEqual({ ...again, required: again.required.toSorted() }, TRIP);
  }
});

test("a field gets a condition, shares one, and keeps its place, title and being required", () => {
  let form = { type: "object", properties: {} };
  for (const name of ["a", "b", "c"]) form = added(form, name, { ...TEXT, title: name.toUpperCase() });
  form = withRequired(form, "b", true);
  form = conditioned(form, "b", { field: "a", value: "x" });
  assert.deepEqual(form, {
    type: "object",
    properties: { a: { ...TEXT, title: "A" }, c: { ...TEXT, title: "C" } },
    allOf: [rule("a", "x", { b: { ...TEXT, title: "B" } }, ["b"])],
    "x-order": ["a", "b", "c"],
  });
  const shared = conditioned(form, "c", { field: "a", value: "x" });
  assert.deepEqual(shared.allOf, [rule("a", "x", { b: { ...TEXT, title: "B" }, c: { ...TEXT, title: "C" } }, ["b"])]);
  // Typing another value goes on in the same rule.
  assert.deepEqual(conditioned(form, "b", { field: "a", value: "xy" }).allOf, [
    rule("a", "xy", { b: { ...TEXT, title: "B" } }, ["b"]),
  ]);
  assert.deepEqual(names(conditioned(shared, "b", null)), ["a", "b", "c"]);
  assert.deepEqual(conditioned(form, "b", null).allOf, undefined);
});

test("what is shown by a field that is removed is shown always", () => {
  const left = removed(TRIP, "kind");
  assert.deepEqual(left, {
    type: "object",
    properties: { amount: { type: "number", minimum: 1 }, from: TEXT, to: TEXT },
    required: ["amount", "to"],
    "x-order": ["from", "to", "amount"],
  });
});

test("rules that are anything more stay as they are, and are counted", () => {
  const others = [
    { if: { properties: { kind: { const: "meal" } } }, [THEN]: { properties: { who: TEXT } } },
    { ...rule("kind", "meal", { who: TEXT }), else: { required: ["amount"] } },
    rule("kind", "meal", { amount: TEXT }),
    { if: { properties: { kind: { enum: ["meal"] } }, required: ["kind"] }, [THEN]: { properties: { who: TEXT } } },
    rule("kind", "meal", {}, ["amount"]),
    true,
  ];
  const form = { ...TRIP, allOf: [others[0], TRIP.allOf[0], ...others.slice(1)], dependentRequired: { to: ["from"] } };
  assert.equal(otherRules(form), others.length + 1);
  assert.deepEqual(names(form), names(TRIP));
  const changed = removed(removed(form, "from"), "to");
  assert.deepEqual(changed.allOf, others);
  assert.deepEqual(changed.dependentRequired, form.dependentRequired);
});

test("a condition reads no field that it shows itself", () => {
  const form = conditioned(TRIP, "amount", { field: "to", value: "Rome" });
  assert.deepEqual(
    readable(fieldsOf(form), "kind").map(({ name }) => name),
    [],
  );
  assert.deepEqual(
    readable(fieldsOf(form), "amount").map(({ name }) => name),
    ["kind", "from", "to"],
  );
});

test("an order that names nothing any more goes", () => {
  assert.deepEqual(ordered({ type: "object", "x-order": ["a"] }, []), { type: "object" });
});
