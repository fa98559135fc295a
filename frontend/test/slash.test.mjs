// Where a slash asks for the list of values and functions, and what a function leaves to be filled in.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ blanks, method, slashAt }] = await load("model/slash.ts");
const asks = (text, isText) => slashAt(text, text.length, isText) !== null;

test("in a text a slash asks at the beginning of a word", () => {
  for (const text of ["/", "Dear /", "Dear /inp", "a\n/steps.a"]) assert.ok(asks(text, true), text);
  for (const text of ["https:/", "https://", "and/or", "/a/", "/ ", "a", ""]) assert.ok(!asks(text, true), text);
  assert.equal(slashAt("Dear /inp", 9, true), 5);
});

test("in an expression a slash asks where a value is expected, and divides elsewhere", () => {
  for (const text of ["/", "size(/", "{{ /", "{{/in", "a == /", "a && /x", "f(1, /"])
    assert.ok(asks(text, false), text);
  for (const text of ["a /", "a / b", "size(a) /", "a[0]/", "'a' /", "2 /"]) assert.ok(!asks(text, false), text);
});

test("what a function is asked about is left to be filled in", () => {
  assert.equal(blanks("list.map(item, value)"), "#{list}.map(#{item}, #{value})");
  assert.equal(blanks("value in list"), "#{value} in #{list}");
  assert.equal(blanks("has(value.key)"), "has(#{value}.#{key})");
  assert.equal(method("text.contains(part)"), ".contains(part)");
  assert.equal(method("size(value)"), null);
  assert.equal(method("has(value.key)"), null);
});
