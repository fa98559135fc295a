// The kinds of fields: each is recognized, made and changed without a loss. The server's test reads the same file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { load } from "./load.mjs";

const [{ GROUPS, asKind, kindOf, optionsOf, sampleInput, withOptions }] = await load("inspector/form/kinds.ts");
const kinds = JSON.parse(readFileSync(new URL("../../tests/workflows/field_kinds.json", import.meta.url)));
const ABOUT = { title: "Title", description: "Help." };

test("each kind of the choice is in the file that the server checks", () => {
  const offered = GROUPS.flatMap(([, list]) => list.map(([kind]) => kind));
  assert.deepEqual([...offered, "other"].sort(), kinds.map(({ kind }) => kind).sort());
});

test("each kind is recognized, and made of each other one, with title and help", () => {
  for (const { kind, schema } of kinds) {
    assert.equal(kindOf(schema), kind);
    assert.deepEqual(asKind(schema, kind), schema);
    if (kind === "other") continue;
    for (const before of kinds) {
      const made = asKind({ ...before.schema, ...ABOUT }, kind);
      assert.deepEqual(made, { ...schema, ...ABOUT }, `${before.kind} as ${kind}`);
    }
  }
});

test("what says nothing of the kind goes with it, what two kinds share stays", () => {
  const text = { type: "string", pattern: "^A", "x-message": "Begin with A.", default: "A1", maxLength: 40 };
  assert.deepEqual(asKind(text, "email"), {
    type: "string",
    format: "email",
    pattern: "^A",
    "x-message": "Begin with A.",
    maxLength: 40,
  });
  assert.deepEqual(asKind(text, "integer"), { type: "integer" });
  assert.deepEqual(asKind({ type: "string", maxLength: 5000 }, "text"), { type: "string" });
  assert.deepEqual(asKind({ type: "number", minimum: 1, default: 2 }, "money"), {
    type: "number",
    "x-currency": "EUR",
    minimum: 1,
    default: 2,
  });
  const choice = { oneOf: [{ const: "a", title: "A" }] };
  const several = asKind(choice, "checks");
  assert.deepEqual(several, { type: "array", items: choice });
  assert.deepEqual(asKind(several, "choice"), choice);
  const group = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  assert.deepEqual(asKind(asKind(group, "rows"), "group"), group);
});

test("what is like a kind but more stays JSON", () => {
  const others = [
    {},
    { type: ["string", "null"] },
    { type: "object" },
    { type: "array", items: { type: "string", format: "date" } },
    { oneOf: [{ type: "string" }] },
    { oneOf: [{ const: 1, type: "integer" }] },
    { anyOf: [{ type: "string" }, { type: "null" }] },
    true,
  ];
  for (const schema of others) assert.equal(kindOf(schema), "other", JSON.stringify(schema));
});

test("options have titles as soon as one has", () => {
  const plain = { type: "string", enum: ["a", 2] };
  assert.deepEqual(withOptions(plain, optionsOf(plain)), plain);
  const titled = { type: "string", oneOf: [{ const: "a", title: "A", description: "First." }, { const: "b" }] };
  assert.deepEqual(withOptions(titled, optionsOf(titled)), titled);
  assert.deepEqual(withOptions(plain, [{ value: "a", title: "A" }]), {
    type: "string",
    oneOf: [{ const: "a", title: "A" }],
  });
  assert.deepEqual(withOptions(titled, [{ value: "a", title: "" }]), { type: "string", enum: ["a"] });
});

test("a sample has a value of each kind but a file", () => {
  const properties = Object.fromEntries(kinds.map(({ kind, schema }) => [kind, schema]));
  const sample = sampleInput({ type: "object", properties });
  assert.equal(sample.money, 12.5);
  assert.equal(sample.email, "ann@example.com");
  assert.deepEqual(sample.rows, [{}]);
  assert.ok(!("file" in sample));
});
