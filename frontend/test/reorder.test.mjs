// A way out of a step is checked earlier or later than the others of that step.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ apply }, { reorder }] = await load("model/changes.ts", "model/commands.ts");

const step = { type: "noop" };
const doc = {
  nodes: { a: step, b: step, c: step, d: step },
  edges: {
    "a>b": { from: "a", to: "b" },
    "b>d": { from: "b", to: "d" },
    "a>c": { from: "a", to: "c" },
    "a>d": { from: "a", to: "d" },
  },
  settings: {},
  layout: {},
};
const waysOf = (from, { edges }) => Object.keys(edges).filter((key) => edges[key].from === from);

for (const [key, by, expected] of [
  ["a>c", -1, ["a>c", "a>b", "a>d"]],
  ["a>c", 1, ["a>b", "a>d", "a>c"]],
  ["a>b", 1, ["a>c", "a>b", "a>d"]],
])
  test(`${key} goes ${by === 1 ? "down" : "up"} by one`, () => {
    assert.deepEqual(waysOf("a", apply(doc, reorder(doc, "edges", key, by))), expected);
  });

test("the first goes no higher and the last no lower", () => {
  assert.deepEqual(reorder(doc, "edges", "a>b", -1), []);
  assert.deepEqual(reorder(doc, "edges", "a>d", 1), []);
});
