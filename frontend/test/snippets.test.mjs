// Ready-made groups of steps: each is one act, stands where there is room, and is found by what it says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { becomes, open, until } from "./island.mjs";
import { load, source } from "./load.mjs";

const [{ addSnippet, fitting }, { apply }] = await load("model/snippets.ts", "model/changes.ts");
const { snippets, step_types } = JSON.parse(readFileSync(join(source, "../../tests/workflows/palette.json"), "utf8"));
const catalogue = Object.fromEntries(step_types.map((type) => [type.name, type]));
const digest = snippets.find(({ name }) => name === "text_digest");
const places = (doc) => Object.values(doc.layout.nodes);
const overlaps = (one, other) => Math.abs(one.x - other.x) < 240 && Math.abs(one.y - other.y) < 72;

test("a group that is added twice has ids of its own, reads its own steps and hides none", () => {
  let doc = { nodes: { a: { type: "noop" } }, edges: {}, settings: {}, layout: { nodes: { a: { x: 0, y: 0 } } } };
  for (let at = 0; at < 2; at += 1) doc = apply(doc, addSnippet(doc, catalogue, digest, { after: "a" }).changes);
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
  await becomes(() => island.done().undo, ["Add Approval with reminders"]);
  const { doc, selected } = island.store.state();
  assert.deepEqual(Object.keys(doc.nodes), ["first", "approval", "approved", "rejected"]);
  assert.deepEqual(selected.nodes, ["approval", "approved", "rejected"]);
  assert.ok(doc.edges["first>approval"]);
  island.store.undo();
  assert.deepEqual(Object.keys(island.store.state().doc.nodes), ["first"]);
  assert.deepEqual(Object.keys(island.store.state().doc.edges), []);
});

test("the search for a step has the groups, too, and puts one on a line, which goes on behind it", async () => {
  const island = await open(
    {
      nodes: ["first", "last"].map((id) => ({ id, type: "noop", title: id })),
      edges: [{ from: "first", to: "last", branch: "yes" }],
    },
    { layout: { nodes: { first: { x: 0, y: 0 }, last: { x: 330, y: 0 } } } },
  );
  island.store.select({ edges: ["first>last"] });
  island.press("a");
  await island.at("[role=combobox]");
  island.put("approvals four eyes");
  await until(() => island.page.querySelectorAll("dialog [role=option]").length === 1);
  island.press("Enter");
  await until(() => Object.keys(island.store.state().doc.nodes).length === 6);
  const { doc, selected } = island.store.state();
  assert.deepEqual(selected.nodes, ["first_approval", "second_approval", "approved", "rejected"]);
  assert.equal(doc.edges["first>last"], undefined);
  assert.equal(doc.edges["first>first_approval"].branch, "yes", "what was said of the line is said of the way to it");
  assert.deepEqual(doc.edges["approved>last"], { from: "approved", to: "last" });
  assert.equal(doc.edges["rejected>last"], undefined, "one end goes on");
  const all = places(doc);
  assert.ok(all.every((one, at) => all.every((other, each) => each === at || !overlaps(one, other))));
  assert.ok(doc.layout.nodes.last.x >= doc.layout.nodes.approved.x + 240, "what comes after makes room");
  island.store.undo();
  assert.deepEqual(Object.keys(island.store.state().doc.edges), ["first>last"]);
  assert.deepEqual(island.store.state().doc.layout.nodes.last, { x: 330, y: 0 });
});

test("a group goes before a step, and where nothing stands, too", () => {
  const doc = {
    nodes: { a: { type: "noop" }, b: { type: "noop" } },
    edges: { "a>b": { from: "a", to: "b" } },
    settings: {},
    layout: { nodes: { a: { x: 0, y: 0 }, b: { x: 330, y: 0 } } },
  };
  const before = apply(doc, addSnippet(doc, catalogue, digest, { before: "b" }).changes);
  assert.deepEqual(
    Object.keys(before.edges).filter((key) => /^a>|>b$/.test(key)),
    ["a>clean", "digest>b"],
  );
  const empty = { nodes: {}, edges: {}, settings: {}, layout: {} };
  const made = apply(empty, addSnippet(empty, catalogue, digest, { at: { x: 50, y: 60 } }).changes);
  assert.deepEqual(made.layout.nodes.clean, { x: 50, y: 60 });
});
