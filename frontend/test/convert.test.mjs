// What a field holds becomes an expression and comes back as it was, with its type.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ asExpression, asLiteral, isExpression }] = await load("inspector/convert.ts");

for (const value of ["plain", "", 7, -0.5, true, false, [1, [2]], { a: { b: {} } }, { "}}": ["{{"] }, []])
  test(`${JSON.stringify(value)} comes back`, () => {
    const text = asExpression(value);
    assert.equal(isExpression(text), typeof value !== "string");
    assert.deepEqual(asLiteral(text), value);
  });

test("what reads or computes something is no literal", () => {
  for (const text of ["{{ input.amount }}", "{{ 1 + 1 }}", "to {{ 7 }}", "{{ 7 }}{{ 7 }}"])
    assert.equal(asLiteral(text), undefined, text);
});
