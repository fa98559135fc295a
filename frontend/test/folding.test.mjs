// Containers that are collapsed to a card, and opened again: by keys, by mouse, and where somebody looks for what is in them.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, says, until } from "./island.mjs";
import { load } from "./load.mjs";

const [folding, levels, boxes, { keyed, definitionOf }, { apply }] = await load(
  "model/folding.ts",
  "model/levels.ts",
  "model/boxes.ts",
  "model/document.ts",
  "model/changes.ts",
);

const step = (id, more = {}) => ({ id, type: "noop", title: id, ...more });
const each = (id, ...steps) => ({ id, type: "map", title: id, params: { items: "{{ input }}", body: { steps } } });
const NODES = [step("first"), each("each", step("a"), each("inner", step("b"))), step("last"), step("below")];
const EDGES = [
  { from: "first", to: "each" },
  { from: "each", to: "last" },
];
const PLACES = {
  first: { x: 0, y: 0 },
  each: { x: 330, y: 0 },
  a: { x: 30, y: 90 },
  inner: { x: 360, y: 90 },
  b: { x: 30, y: 90 },
  last: { x: 1200, y: 0 },
  below: { x: 330, y: 400 },
};
const doc = (layout = {}) => keyed({ nodes: NODES, edges: EDGES }, { nodes: PLACES, ...layout });
const opened = (layout = {}) =>
  open({ nodes: structuredClone(NODES), edges: EDGES }, { layout: { nodes: PLACES, ...layout } });
const rows = (island) => [...island.page.querySelectorAll("[role=treeitem]")].map((row) => row.dataset.node);
const cards = (island) => [...island.page.querySelectorAll(".react-flow__node-step")].map((card) => card.dataset.id);

test("a container is a card with what stood around it nearer, and opened all is where it was", () => {
  const before = doc();
  const closed = apply(before, folding.collapsed(before, "each"));
  assert.deepEqual(definitionOf(closed), definitionOf(before), "no part of what is published");
  assert.deepEqual(boxes.sizeOf(closed, "each"), { w: boxes.WIDTH, h: boxes.HEIGHT });
  assert.deepEqual(Object.keys(levels.drawn(closed).nodes), ["first", "each", "last", "below"]);
  const by = boxes.sizeOf(before, "each").w - boxes.WIDTH;
  assert.equal(boxes.place(closed, "last").x, 1200 - by);
  assert.equal(boxes.place(closed, "first").x, 0);
  assert.ok(boxes.place(closed, "below").y < 400);
  assert.equal(folding.countIn(closed, "each"), 3);
  const again = apply(closed, folding.opened(closed, ["each"]));
  assert.deepEqual(again.layout.nodes, before.layout.nodes);
});

test("nothing comes so near that it would lie on something else", () => {
  const before = doc({ nodes: { ...PLACES, below: { x: 900, y: -300 }, last: { x: 1200, y: -300 } } });
  const closed = apply(before, folding.collapsed(before, "each"));
  assert.deepEqual(boxes.place(closed, "last"), { x: 1200, y: -300 });
  const again = apply(closed, folding.opened(closed, ["each"]));
  assert.deepEqual(again.layout.nodes, before.layout.nodes, "where there is room nothing gives way");
});

test("F collapses the container that a step stands in, and opens it; each is undone", async () => {
  const island = await opened();
  island.store.goTo("a");
  island.press("f");
  assert.deepEqual(island.store.state().selected.nodes, ["each"]);
  await until(() => !rows(island).includes("a"));
  await until(() => !cards(island).includes("a"));
  await says(() => island.page.querySelector(".react-flow__node[data-id=each]").textContent, /3 steps/);
  const row = () => island.page.querySelector("[role=treeitem][data-node=each]");
  await becomes(() => row().getAttribute("aria-expanded"), "false");
  island.press("f");
  await until(() => rows(island).includes("a") && cards(island).includes("b"));
  island.store.undo();
  await until(() => !rows(island).includes("a"));
  island.store.undo();
  await until(() => rows(island).includes("a"));
  assert.deepEqual(island.store.state().doc.layout.nodes, PLACES);
  assert.deepEqual(island.done().redo, ["Open each", "Collapse each"]);
});

test("arrows go into a container in the outline, and out of it", async () => {
  const island = await opened();
  island.store.goTo("each");
  const row = await until(() => island.page.querySelector("[data-node=each][tabindex='0']"));
  row.focus();
  const one = () => island.store.state().selected.nodes[0];
  const isCollapsed = () => island.store.state().doc.layout.collapsed?.each === true;
  island.press("ArrowRight");
  assert.equal(one(), "a");
  island.press("ArrowLeft");
  await until(() => one() === "each");
  await island.at("[data-node=each]");
  island.press("ArrowLeft");
  assert.ok(isCollapsed());
  await until(() => !rows(island).includes("a"));
  island.press("ArrowRight");
  assert.ok(!isCollapsed());
});

test("whoever looks for a step finds it, though what it stands in is collapsed", async () => {
  const island = await opened({ collapsed: { each: true, inner: true } });
  await until(() => cards(island).length === 4);
  const filter = island.page.querySelector(".outline-filter input");
  filter.focus();
  island.put("b");
  await until(() => rows(island).includes("b"));
  island.put("");
  island.store.goTo("b");
  await until(() => cards(island).includes("b") && rows(island).includes("b"));
  assert.deepEqual(island.store.state().doc.layout.collapsed, { each: true, inner: true }, "for nobody else");
  assert.deepEqual(island.store.state().pending, []);
});

// So near that it is in the way of what is opened.
const NEAR = { ...PLACES, last: { x: 700, y: 0 } };

/** What somebody else did is there. */
async function heard(island, isThere) {
  await until(async () => {
    await island.sync.send();
    return isThere(island.store.state());
  });
}

test("who looks for a step has the way back and forth as it was, and collapses it for themselves", async () => {
  const island = await opened({ nodes: NEAR, collapsed: { each: true } });
  island.store.act("Call it", [{ path: ["nodes", "first", "title"], from: "first", to: "One" }]);
  island.store.act("Call it so", [{ path: ["nodes", "first", "title"], from: "One", to: "Two" }]);
  island.store.undo();
  const before = island.done();
  island.store.goTo("a");
  await until(() => cards(island).includes("a"));
  const far = () => island.page.querySelector(".react-flow__node[data-id=last]").style.transform.match(/[\d.]+/)[0];
  await until(() => Number(far()) > NEAR.last.x);
  assert.deepEqual(island.done(), before);
  island.store.redo();
  assert.equal(island.store.state().doc.nodes.first.title, "Two");
  island.store.undo();
  await until(() => cards(island).includes("a"));
  island.press("f");
  await until(() => !cards(island).includes("a"));
  assert.deepEqual(island.store.state().selected.nodes, ["each"]);
  assert.deepEqual(island.done(), before);
  await island.saved();
  assert.deepEqual(island.server.layout.nodes, NEAR);
  assert.deepEqual(island.server.layout.collapsed, { each: true });
});

test("a container that was looked into stays open while others change the draft, and under another id", async () => {
  const island = await opened({ collapsed: { each: true } });
  island.store.goTo("a");
  island.server.definition.nodes[0].title = "Other";
  island.server.revision += 1;
  await heard(island, ({ doc }) => doc.nodes.first.title === "Other");
  await until(() => rows(island).includes("a"));
  island.server.definition.nodes[1].id = "all";
  for (const edge of island.server.definition.edges)
    for (const end of ["from", "to"]) if (edge[end] === "each") edge[end] = "all";
  island.server.layout = { ...island.server.layout, collapsed: { all: true }, nodes: { ...PLACES, all: PLACES.each } };
  island.server.revision += 1;
  await heard(island, ({ doc }) => doc.nodes.all);
  await until(() => rows(island).includes("all") && rows(island).includes("a"));
});

test("what is placed by eye beside a container that was looked into stays where it is seen", async () => {
  const island = await opened({ nodes: NEAR, collapsed: { each: true } });
  island.store.goTo("a");
  const { seen } = island.store;
  const at = boxes.place(seen(), "last");
  const to = { x: at.x + 10, y: at.y };
  island.folds.actAsSeen("Move last", [{ path: ["layout", "nodes", "last"], from: at, to }]);
  assert.deepEqual(boxes.place(seen(), "last"), to);
  assert.ok(at.x > NEAR.last.x);
  island.store.undo();
  assert.deepEqual(island.store.state().doc.layout.nodes, NEAR);
  await until(() => rows(island).includes("a"));
  assert.deepEqual(boxes.place(seen(), "last"), at);
});

test("doing a collapse again shows it, though it was looked into before", async () => {
  const island = await opened();
  island.store.goTo("each");
  island.press("f");
  island.store.goTo("a");
  island.store.undo();
  island.store.redo();
  await until(() => !rows(island).includes("a"));
  assert.deepEqual(island.store.state().selected.nodes, ["each"]);
});

test("Delete behind a collapsed container selects its card, and no step out of sight", async () => {
  const island = await opened({ collapsed: { each: true } });
  island.store.goTo("last");
  island.press("Delete");
  assert.deepEqual(island.store.state().selected.nodes, ["each"]);
  assert.ok(island.store.state().doc.nodes.b);
});

/** Somebody else collapses it. */
async function collapsedByOthers(island) {
  island.server.layout = { ...island.server.layout, collapsed: { each: true } };
  island.server.revision += 1;
  await heard(island, ({ doc }) => doc.layout.collapsed?.each);
}

test("a container that somebody else collapses is selected in place of what is in it", async () => {
  const island = await opened();
  island.store.goTo("b");
  await collapsedByOthers(island);
  assert.deepEqual(island.store.state().selected.nodes, ["each"]);
  island.store.select({ nodes: ["first", "a"] });
  island.store.keepSelectionTrue();
  assert.deepEqual(island.store.state().selected.nodes, ["first", "each"]);
});

test("whoever types in a step goes on, though somebody else collapses what it is in", async () => {
  const island = await opened();
  island.store.goTo("a");
  island.press("F2");
  await island.at("[data-title]");
  island.write("Price");
  await island.saved();
  await collapsedByOthers(island);
  assert.deepEqual(island.store.state().doc.layout.collapsed, { each: true });
  assert.equal(island.store.state().selected.nodes.length, 1);
  assert.equal(island.store.state().doc.nodes[island.store.state().selected.nodes[0]].title, "Price");
  await island.at("[data-title]");
});

test("what is moved into a collapsed container opens it, and one undo takes both back", async () => {
  const island = await opened({ collapsed: { each: true } });
  island.store.goTo("last");
  island.press(">");
  await until(() => rows(island).includes("a"));
  assert.equal(island.store.state().doc.nodes.last.in, "each");
  island.press("Control+z");
  await until(() => !rows(island).includes("a"));
  assert.equal(island.store.state().doc.nodes.last.in, undefined);
});

test("problems of steps that are out of sight stand at the card that covers them", async () => {
  const island = await opened({ collapsed: { each: true } });
  island.judged([{ code: "x", severity: "error", node: "b", field: "nodes[1]", message: "No." }]);
  const has = (place) => island.page.querySelector(place) !== null;
  const atCover = () => ({
    card: has(".react-flow__node[data-id=each] .badge.bad"),
    row: has("[role=treeitem][data-node=each].has-errors"),
  });
  await becomes(atCover, { card: true, row: true });
  island.page.body.focus();
  island.press("F8");
  await until(() => island.store.state().selected.nodes[0] === "b" && rows(island).includes("b"));
});

test("a container that gets another id, or goes, takes with it that it is collapsed", async () => {
  const island = await opened({ collapsed: { each: true } });
  island.store.select({ nodes: ["each"] });
  island.press("Delete");
  assert.deepEqual(island.store.state().doc.layout.collapsed ?? {}, {});
  island.press("Control+z");
  assert.deepEqual(island.store.state().doc.layout.collapsed, { each: true });
});

test("who may only read opens a container for themselves", async () => {
  const island = await open(
    { nodes: structuredClone(NODES), edges: EDGES },
    { layout: { nodes: PLACES, collapsed: { each: true } }, may_write: false },
  );
  island.store.goTo("each");
  island.press("f");
  await until(() => cards(island).includes("a"));
  assert.deepEqual(island.store.state().pending, []);
  island.server.definition.nodes[0].title = "Other";
  island.server.revision += 1;
  await heard(island, ({ doc }) => doc.nodes.first.title === "Other");
  await until(() => cards(island).includes("a"));
  island.store.goTo("inner");
  island.press("f");
  await until(() => !cards(island).includes("b") && cards(island).includes("inner"));
});

test("while somebody types, nothing is placed again on account of what they looked into", () => {
  const before = doc({ collapsed: { each: true } });
  const folds = { each: false };
  const typed = apply(before, [{ path: ["nodes", "first", "title"], from: "first", to: "One" }]);
  const [was, now] = [folding.asSeen(before, folds), folding.asSeen(typed, folds)];
  assert.equal(now.nodes.first.title, "One");
  assert.equal(now.layout.nodes, was.layout.nodes);
  assert.equal(now.layout.collapsed, was.layout.collapsed);
  assert.equal(folding.asSeen(typed, folds), now);
});
