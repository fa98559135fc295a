// Where a value of a test run can be read: a step's output by what comes after it, its input by itself alone.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ carried, whyNotThere }] = await load("inspector/expression/target.ts");
const doc = {
  nodes: { a: { type: "noop", title: "First" }, b: { type: "noop" }, aside: { type: "noop" } },
  edges: { "a>b": { from: "a", to: "b" }, "a>aside": { from: "a", to: "aside" } },
  settings: {},
  layout: {},
};
const output = (step) => ({ path: `steps.${step}.output`, step, isInput: false });
const input = (step) => ({ path: "prev", step, isInput: true });
const why = (value, place) => whyNotThere(doc, value, place);

test("an output is read by what comes after its step", () => {
  assert.equal(why(output("a"), { place: "params", node: "b" }), null);
  assert.equal(why(output("a"), { place: "when", edge: { from: "a", to: "b" } }), null);
  assert.equal(why(output("b"), { place: "output" }), null);
  assert.match(why(output("b"), { place: "params", node: "a" }), /^noop \(b\) isn't done before First/);
  assert.match(why(output("a"), { place: "params", node: "a" }), /isn't done before/);
  assert.match(why(output("b"), { place: "params", node: "aside" }), /isn't done before/);
  assert.match(why(output("a"), { place: "business_key" }), /before any step is done/);
});

test("what a step was given is read in its own settings", () => {
  assert.equal(why(input("a"), { place: "params", node: "a" }), null);
  assert.match(why(input("a"), { place: "params", node: "b" }), /Only First itself/);
  assert.match(why(input("a"), { place: "output" }), /Only First itself/);
});

test("what a drag carries is a value of ours or nothing", () => {
  const data = (text) => ({ getData: (type) => (type === "application/x-handoff-value" ? text : "x") });
  assert.deepEqual(carried(data(JSON.stringify(output("a")))), output("a"));
  for (const text of ["", "nope", "null", "{}", "[1]"]) assert.equal(carried(data(text)), null);
  assert.equal(carried(null), null);
});
