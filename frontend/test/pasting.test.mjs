// Copied steps stand beside the others and are connected; keys act on the canvas and in the outline only.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, until } from "./island.mjs";
import { load } from "./load.mjs";

const [{ insertClip, placeFor, duplicated }, clips, { apply }, boxes] = await load(
  "model/inserting.ts",
  "model/clips.ts",
  "model/changes.ts",
  "model/boxes.ts",
);
const catalogue = { noop: { name: "noop", title: "Do nothing" }, decision: { name: "decision", decides: true } };

/** A chain of steps beside one another. */
function chain(...ids) {
  return {
    nodes: Object.fromEntries(ids.map((id) => [id, { type: "noop", title: id }])),
    edges: Object.fromEntries(ids.slice(1).map((to, at) => [`${ids[at]}>${to}`, { from: ids[at], to }])),
    settings: {},
    layout: { nodes: Object.fromEntries(ids.map((id, at) => [id, { x: at * 330, y: 0 }])) },
  };
}

function pasted(doc, what, selected = what) {
  const clip = clips.copy(doc, { edges: [], ...what });
  const made = insertClip(doc, catalogue, clip, placeFor(doc, clip, { nodes: [], edges: [], ...selected }));
  return { made, now: apply(doc, made.changes) };
}

function assertApart(doc) {
  const all = Object.keys(doc.nodes).map((id) => ({ id, ...boxes.boxOf(doc, id) }));
  for (const one of all)
    for (const other of all)
      if (one.id < other.id)
        assert.ok(
          one.x + one.w <= other.x ||
            other.x + other.w <= one.x ||
            one.y + one.h <= other.y ||
            other.y + other.h <= one.y,
          `${one.id} lies on ${other.id}`,
        );
}

test("a copy is inserted behind the selected step, and what came after makes room", () => {
  const { made, now } = pasted(chain("a", "b", "c"), { nodes: ["a"] });
  assert.deepEqual(made.select, ["a_2"]);
  assert.deepEqual(Object.keys(now.edges), ["a>a_2", "a_2>b", "b>c"]);
  assertApart(now);
});

test("copies of several steps go behind the last of them, in their order", () => {
  const { now } = pasted(chain("a", "b", "c"), { nodes: ["a", "b"] });
  assert.deepEqual(Object.keys(now.edges).toSorted(), ["a>b", "a_2>b_2", "b>a_2", "b_2>c"]);
  assertApart(now);
});

test("a copy goes behind the last step where nothing is selected, and onto a selected connection", () => {
  const { now } = pasted(chain("a", "b"), { nodes: ["a"] }, {});
  assert.ok(now.edges["b>a_2"]);
  const on = pasted(chain("a", "b"), { nodes: ["b"] }, { edges: ["a>b"] }).now;
  assert.deepEqual(Object.keys(on.edges), ["a>b_2", "b_2>b"]);
  assertApart(now);
  assertApart(on);
});

test("behind a step with several ways out a copy is one more way", () => {
  const doc = chain("a", "b", "c");
  doc.edges = { "a>b": { from: "a", to: "b", branch: "yes" }, "a>c": { from: "a", to: "c", branch: "no" } };
  const { now } = pasted(doc, { nodes: ["a"] });
  assert.deepEqual(Object.keys(now.edges), ["a>b", "a>c", "a>a_2"]);
  assertApart(now);
});

test("a copied container goes behind itself, another step into the selected one", () => {
  const doc = chain("a", "each");
  doc.nodes.each = { type: "map", params: { body: { steps: [] } } };
  doc.nodes.inner = { type: "noop", in: "each" };
  const home = Object.keys(doc.nodes.inner).length;
  assert.equal(home, 2);
  const both = pasted(doc, { nodes: ["each"] }).now;
  assert.ok(both.edges["each>each_2"]);
  assertApart({
    ...both,
    nodes: Object.fromEntries(Object.entries(both.nodes).filter(([id]) => !id.startsWith("inner"))),
  });
});

test("duplicates stand below what they are copies of, and hide nothing", () => {
  const doc = chain("a", "b", "c");
  const now = apply(doc, duplicated(doc, clips.copy(doc, { nodes: ["a", "b"], edges: [] }), {}, null).changes);
  assert.equal(now.layout.nodes.a_2.x, 0);
  assertApart(now);
});

/** An event of the clipboard at the element that has the focus. */
function clipboard(island, type, text, at = island.page.activeElement ?? island.page.body) {
  const event = new island.page.defaultView.Event(type, { bubbles: true, cancelable: true });
  let kept = text;
  event.clipboardData = { setData: (_kind, given) => (kept = given), getData: () => kept };
  at.dispatchEvent(event);
  return kept;
}

const CHAIN = {
  nodes: ["first", "second"].map((id) => ({ id, type: "noop", title: id })),
  edges: [{ from: "first", to: "second" }],
};
const edges = (island) => Object.keys(island.store.state().doc.edges);

test("one undo takes a paste back, with the connection that was there before", async () => {
  const island = await open(structuredClone(CHAIN));
  island.store.select({ nodes: ["first"] });
  clipboard(island, "paste", clipboard(island, "copy"));
  await becomes(() => edges(island), ["first>first_2", "first_2>second"]);
  assert.equal(island.store.state().undo.length, 1);
  island.store.undo();
  assert.deepEqual(edges(island), ["first>second"]);
});

for (const place of [".builder-bottom [role=tab]", ".builder-head a", ".builder-right [data-title]", "a.outside"])
  test(`a key and a paste change nothing at ${place}`, async () => {
    const island = await open(structuredClone(CHAIN));
    island.store.select({ nodes: ["first"] });
    const text = clipboard(island, "copy");
    if (place === "a.outside") {
      const link = island.page.createElement("a");
      link.className = "outside";
      link.href = "#";
      island.page.body.append(link);
    }
    const element = await until(() => island.page.querySelector(place));
    element.focus();
    const before = island.store.state().doc;
    for (const key of ["Delete", "Backspace", "Control+Delete", "a", "i", "c", "n", "g", "l", "Control+d"]) {
      island.press(key);
      assert.equal(island.store.state().adding, null, key);
    }
    if (!place.includes("data-title")) clipboard(island, "paste", text, element);
    assert.equal(island.store.state().doc, before);
  });

test("after a press on the page beside the graph, keys change nothing; after one on the canvas they do", async () => {
  const island = await open(structuredClone(CHAIN));
  island.store.select({ nodes: ["first"] });
  const press = (element) => {
    island.page.activeElement?.blur();
    element.dispatchEvent(new island.page.defaultView.Event("pointerdown", { bubbles: true }));
  };
  press(await until(() => island.page.querySelector(".builder-right")));
  island.press("Delete");
  assert.equal(island.store.state().undo.length, 0);
  press(island.page.querySelector(".builder-middle"));
  island.press("Delete");
  await becomes(() => Object.keys(island.store.state().doc.nodes), ["second"]);
});
