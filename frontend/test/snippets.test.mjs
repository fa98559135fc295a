// Ready-made groups of steps: each is one act, stands where there is room, and is found by what it says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { open, settled, until } from "./island.mjs";
import { load, source } from "./load.mjs";

const [{ addSnippet, fitting }, { apply }] = await load("model/snippets.ts", "model/changes.ts");
const { snippets, step_types } = JSON.parse(readFileSync(join(source, "../../tests/workflows/palette.json"), "utf8"));
const catalogue = Object.fromEntries(step_types.map((type) => [type.name, type]));
const digest = snippets.find(({ name }) => name === "text_digest");
const places = (doc) => Object.values(doc.layout.nodes);
const overlaps = (one, other) => Math.abs(one.x - other.x) < 240 && Math.abs(one.y - other.y) < 72;

test("a group that is added twice has ids of its own, reads its own steps and hides none", () => {
  let doc = { nodes: { a: { type: "noop" } }, edges: {}, settings: {}, layout: { nodes: { a: { x: 0, y: 0 } } } };
  for (let at = 0; at < 2; at += 1) doc = apply(doc, addSnippet(doc, catalogue, digest, "a").changes);
  assert.equal(Object.keys(doc.nodes).length, 9);
  assert.equal(doc.nodes.digest_2.params.set.summary, "{{ steps.summary_2.output.text }}");
  assert.ok(doc.edges["a>clean"] && doc.edges["a>clean_2"]);
  const all = places(doc);
  assert.ok(all.every((one, at) => all.every((other, each) => each === at || !overlaps(one, other))));
});

test("every word of a search is in a group's title or help", () => {
  const named = (search) => fitting(snippets, search).map(({ name }) => name);
  assert.deepEqual(named("retry api"), ["call_and_retry"]);
  assert.equal(named("").length, snippets.length);
  assert.deepEqual(named("nothing such"), []);
});

test("a press in the palette adds a group behind the selected step, and one undo takes all of it back", async () => {
  const island = await open({ nodes: [{ id: "first", type: "noop" }] });
  island.store.select({ nodes: ["first"] });
  island.page.getElementById("tab-add").click();
  const group = await until(() => island.page.querySelector(".palette-group"));
  group.click();
  await settled();
  const { doc, selected } = island.store.state();
  assert.deepEqual(Object.keys(doc.nodes), ["first", "approval", "approved", "rejected"]);
  assert.deepEqual(selected.nodes, ["approval", "approved", "rejected"]);
  assert.ok(doc.edges["first>approval"]);
  assert.deepEqual(island.done().undo, ["Add Approval with reminders"]);
  island.store.undo();
  assert.deepEqual(Object.keys(island.store.state().doc.nodes), ["first"]);
  assert.deepEqual(Object.keys(island.store.state().doc.edges), []);
});
