// What is done in one act, in parts, is undone as a whole.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ apply, applyWhatFits, inverses }, { squeezed }] = await load("model/changes.ts", "store.ts");

const step = { type: "noop", title: "First" };
const alone = { nodes: { a: step }, edges: {}, settings: {}, layout: {} };
const added = [
  { path: ["nodes", "b"], to: { type: "noop" }, at: "a" },
  { path: ["edges", "a>b"], to: { from: "a", to: "b" } },
];
// The id of the step before follows its title only now, and belongs to the act.
const renamed = [
  { path: ["edges", "a>b"], from: { from: "a", to: "b" }, was_at: null },
  { path: ["nodes", "a"], from: step, was_at: null },
  { path: ["nodes", "first"], to: step, at: null },
  { path: ["edges", "first>b"], to: { from: "first", to: "b" }, at: null },
];

test("a step that was added while the one before got its id is undone, and done again", () => {
  const changes = squeezed([...added, ...renamed]);
  const doc = apply(alone, changes);
  assert.deepEqual(Object.keys(doc.edges), ["first>b"]);
  const back = applyWhatFits(doc, inverses(changes));
  assert.deepEqual([back.doc, back.left], [alone, 0]);
  const again = applyWhatFits(back.doc, changes);
  assert.deepEqual([again.doc, again.left], [doc, 0]);
});

test("a value that is set several times is one change", () => {
  const title = (from, to) => ({ path: ["nodes", "a", "title"], from, to });
  assert.deepEqual(squeezed([title("First", "F"), title("F", "Fi")]), [title("First", "Fi")]);
  assert.deepEqual(squeezed([title(undefined, "F"), title("F", undefined)]), [title(undefined, undefined)]);
});
