// Where a slash asks for the list of values and functions, and what a function leaves to be filled in.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, settled, until } from "./island.mjs";
import { load } from "./load.mjs";

const [{ MOST_SHOWN, blanks, headOf, method, slashAt }] = await load("model/slash.ts");
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

test("an expression that is emptied stays the field in which one types", async () => {
  const request = { id: "ask", type: "http.request", params: { method: "GET", url: "{{ input.url }}" } };
  const island = await open({ nodes: [request] });
  island.store.select({ nodes: ["ask"] });
  const field = await until(() =>
    [...island.page.querySelectorAll(".inspector textarea")].find((each) => each.value === "{{ input.url }}"),
  );
  field.focus();
  island.put("");
  await settled();
  assert.equal(island.page.activeElement, field);
  island.put("/");
  await becomes(() => island.store.state().doc.nodes.ask.params.url, "/");
});

test("a slash in an empty field for texts turns it into the editor for expressions", async () => {
  const island = await open({ nodes: [{ id: "ask", type: "http.request", params: { method: "GET" } }] });
  island.store.select({ nodes: ["ask"] });
  const label = await until(() =>
    [...island.page.querySelectorAll(".inspector label")].find((each) => each.textContent.startsWith("Address")),
  );
  island.page.getElementById(label.htmlFor).focus();
  island.put("/");
  await until(() => island.page.querySelector(".inspector .expression textarea")?.value === "/");
  await island.at(".expression *");
});

test("a list of more than can be seen at once says so, and how the others are found", () => {
  assert.equal(headOf("Input", MOST_SHOWN), "Input");
  assert.match(headOf("Input", 1234), /^Input \(1234 in all, 1000 shown: keep typing to find the others\)$/);
});
