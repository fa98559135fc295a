// Where what is added stands, what has the focus then, and what keys do meanwhile.
import assert from "node:assert/strict";
import test from "node:test";
import { hands } from "./hands.mjs";
import { becomes, open, until } from "./island.mjs";

const CHAIN = {
  nodes: ["first", "second", "third"].map((id) => ({ id, type: "noop", title: id })),
  edges: [
    { from: "first", to: "second" },
    { from: "second", to: "third" },
  ],
};
const PLACES = { first: { x: 0, y: 0 }, second: { x: 330, y: 0 }, third: { x: 660, y: 0 } };
const opened = () => open(structuredClone(CHAIN), { layout: { nodes: structuredClone(PLACES) } });
const places = (island) => island.store.state().doc.layout.nodes;

/** Adds a step where the selection is. */
async function added(island, selection) {
  island.store.select(selection);
  island.press("a");
  const count = Object.keys(island.store.state().doc.nodes).length;
  await island.search("Do nothing");
  island.press("Enter");
  await becomes(() => Object.keys(island.store.state().doc.nodes).length, count + 1);
}

test("a step on a line stands in it, and what comes after makes room; one undo takes it all back", async () => {
  const island = await opened();
  await added(island, { edges: ["first>second"] });
  assert.deepEqual(places(island), {
    first: { x: 0, y: 0 },
    do_nothing: { x: 330, y: 0 },
    second: { x: 660, y: 0 },
    third: { x: 990, y: 0 },
  });
  island.store.undo();
  assert.deepEqual(places(island), PLACES);
});

test("where a line has room already nothing else moves", async () => {
  const island = await open(structuredClone(CHAIN), {
    layout: { nodes: { ...PLACES, second: { x: 800, y: 0 }, third: { x: 1130, y: 0 } } },
  });
  await added(island, { edges: ["first>second"] });
  assert.deepEqual([places(island).do_nothing, places(island).second.x], [{ x: 400, y: 0 }, 800]);
});

test("a note hides no step and no other note", async () => {
  const island = await opened();
  await until(() => island.page.querySelector(".react-flow__node"));
  const notes = () => Object.values(island.store.state().doc.layout.notes ?? {});
  const note = () => {
    island.store.select({});
    island.press("n");
  };
  // Where a note comes by itself a step stands from now on.
  note();
  const [{ x, y }] = notes();
  island.store.undo();
  island.store.act("Move", [{ path: ["layout", "nodes", "first"], from: PLACES.first, to: { x, y } }]);
  note();
  note();
  const steps = Object.values(places(island)).map((place) => ({ ...place, w: 240, h: 72 }));
  const [one, other] = notes();
  const hides = (top, below) =>
    top.x < below.x + below.w && below.x < top.x + top.w && top.y < below.y + below.h && below.y < top.y + top.h;
  assert.deepEqual(
    [one, other].map((each) => steps.filter((step) => hides(each, step))),
    [[], []],
  );
  assert.ok(!hides(one, other), JSON.stringify([one, other]));
});

test("the form of another step begins at its top, that of the same step stays where it is", async () => {
  const island = await opened();
  const form = hands(island);
  const pane = island.page.querySelector(".builder-right");
  await form.select("first");
  pane.scrollTop = 300;
  await form.text("Title", "Changed");
  assert.equal(pane.scrollTop, 300);
  await form.select("second");
  assert.equal(pane.scrollTop, 0);
});

test("a name goes on to its kind, its value, and then to what removes it", async () => {
  const island = await open({ nodes: [{ id: "set", type: "set", params: { values: { total: "1" } } }] });
  const form = hands(island);
  await form.select("set");
  const row = await until(() => island.page.querySelector(".insp-pair"));
  const stops = [...row.querySelectorAll("input, select, textarea, button")].map((stop) =>
    stop.matches(".pair-name")
      ? "name"
      : stop.matches(".any-kind")
        ? "kind"
        : stop.matches("button")
          ? "remove"
          : "value",
  );
  assert.deepEqual(stops, ["name", "kind", "value", "remove"]);
});

test("F8 speaks as the forms do, and does nothing behind a dialog", async () => {
  const island = await opened();
  const message = "`second` is not reachable";
  island.judged([{ code: "cycle", severity: "error", node: "second", field: "nodes[1]", message }]);
  island.store.set({ showsKeys: true });
  await until(() => island.page.querySelector("dialog[open]"));
  island.press("F8");
  assert.deepEqual(island.store.state().selected.nodes, []);
  island.page.querySelector("dialog[open]").close();
  await until(() => !island.page.querySelector("dialog[open]"));
  island.press("F8");
  assert.deepEqual(island.store.state().selected.nodes, ["second"]);
  assert.doesNotMatch(island.store.state().said.text, /`/);
});
