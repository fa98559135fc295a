// Steps within a step: added, moved, copied and removed as all others, by keys and by forms.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { hands } from "./hands.mjs";
import { open, until } from "./island.mjs";
import { load, source } from "./load.mjs";

const [
  commands,
  clips,
  snippets,
  moving,
  forms,
  graph,
  bodies,
  boxes,
  { definitionOf, keyed },
  { apply, inverses },
  tidying,
] = await load(
  "model/commands.ts",
  "model/clips.ts",
  "model/snippets.ts",
  "model/moving.ts",
  "model/forms.ts",
  "model/graph.ts",
  "model/bodies.ts",
  "model/boxes.ts",
  "model/document.ts",
  "model/changes.ts",
  "canvas/tidy.ts",
);
const palette = JSON.parse(readFileSync(join(source, "../../tests/workflows/palette.json"), "utf8"));
const catalogue = Object.fromEntries(palette.step_types.map((type) => [type.name, type]));

const step = (id, more = {}) => ({ id, type: "noop", ...more });
const each = (id, ...steps) => ({ id, type: "map", params: { items: "{{ input }}", body: { steps } } });
const doc = (nodes, edges = [], layout = {}) => keyed({ nodes, edges }, layout);
const draft = () =>
  doc(
    [step("first"), each("each", step("a"), step("b")), step("last")],
    [
      { from: "first", to: "each" },
      { from: "each", to: "last" },
    ],
    {
      nodes: {
        first: { x: 0, y: 0 },
        each: { x: 330, y: 0 },
        a: { x: 30, y: 90 },
        b: { x: 360, y: 90 },
        last: { x: 1100, y: 0 },
      },
    },
  );
const body = (made, id = "each") => definitionOf(made).nodes.find((node) => node.id === id).params.body;
const ids = (steps) => steps.map(({ id }) => id);

test("a container that is added has room for steps, and those come one behind the other", () => {
  let now = doc([]);
  const add = (type, where) => {
    const made = commands.addStep(now, catalogue, type, where);
    now = apply(now, made.changes);
    return made.select[0];
  };
  const map = add("map", { at: { x: 0, y: 0 } });
  assert.deepEqual(body(now, map), { steps: [] });
  const one = add("noop", { inside: map });
  const two = add("noop", { inside: map });
  const three = add("noop", { after: one });
  const between = add("transform", { edge: `${one}>${two}` });
  assert.deepEqual(body(now, map).edges, [
    { from: one, to: between },
    { from: between, to: two },
    { from: one, to: three },
  ]);
  assert.deepEqual(new Set(bodies.stepsIn(now, map)), new Set([one, two, three, between]));
  for (const id of bodies.stepsIn(now, map)) assert.ok(boxes.place(now, id).y >= boxes.FIRST.y);
});

test("steps of a chain stay one, so that its definition names no edges", () => {
  const made = commands.addStep(draft(), catalogue, "noop", { inside: "each" });
  assert.equal(body(apply(draft(), made.changes)).edges, undefined);
});

test("what grows lets what stands behind it give way", () => {
  const before = draft();
  const was = boxes.boxOf(before, "each");
  const now = apply(before, commands.addStep(before, catalogue, "noop", { inside: "each" }).changes);
  const grown = boxes.boxOf(now, "each").w - was.w;
  assert.ok(grown > 0);
  assert.equal(boxes.place(now, "last").x, 1100 + grown);
  assert.equal(boxes.place(now, "first").x, 0);
});

/** By how much the frame grew, and what stands behind it went to the right. */
function growth(before, now) {
  return [
    boxes.boxOf(now, "each").w - boxes.boxOf(before, "each").w,
    boxes.place(now, "last").x - boxes.place(before, "last").x,
  ];
}

test("what stands behind a frame gives way once to a group of steps that is put in there", () => {
  const before = draft();
  const group = palette.snippets.find(({ name }) => name === "text_digest");
  const made = snippets.addSnippet(before, catalogue, group, { inside: "each" });
  const [grown, moved] = growth(before, apply(before, made.changes));
  assert.ok(grown > 0);
  assert.equal(moved, grown);
});

test("what stands behind a frame gives way once to steps that are pasted, and no more to those that come back", () => {
  const before = draft();
  const clip = clips.copy(before, { nodes: ["a", "b"], edges: [] });
  const [grown, moved] = growth(before, apply(before, clips.paste(before, clip, { x: 700, y: 0 }, {}, "each").changes));
  assert.ok(grown > 0);
  assert.equal(moved, grown);
  const other = apply(before, forms.formed(before, "each", "workflow", null));
  const [wider, gone] = growth(other, apply(other, forms.formed(other, "each", "steps", forms.held(before, "each"))));
  assert.ok(wider > 0);
  assert.equal(gone, 0, "there is room for them still");
});

test("a container that is tried in one form and another pushes away only what is in its way, once", () => {
  let now = doc([{ id: "each", type: "map", params: { body: { type: "noop" } } }, step("last")], [], {
    nodes: { each: { x: 0, y: 0 }, last: { x: 330, y: 0 } },
  });
  const kept = {};
  const seen = [];
  for (const form of ["steps", "step", "steps", "workflow", "steps"]) {
    kept[forms.formOf(now, "each")] = forms.held(now, "each");
    now = apply(now, forms.formed(now, "each", form, kept[form] ?? null));
    seen.push(boxes.place(now, "last").x);
  }
  assert.ok(seen[0] >= boxes.sizeOf(now, "each").w);
  assert.deepEqual(new Set(seen).size, 1);
});

test("a copy of a collapsed container is collapsed, and takes no more room than its card", () => {
  const before = { ...draft(), layout: { ...draft().layout, collapsed: { each: true } } };
  const clip = clips.asClip(JSON.stringify(clips.copy(before, { nodes: ["each"], edges: [] })));
  const made = clips.paste(before, clip, { x: 0, y: 200 });
  const now = apply(before, made.changes);
  assert.deepEqual(now.layout.collapsed, { each: true, each_2: true });
  assert.deepEqual(boxes.sizeOf(now, "each_2"), { w: boxes.WIDTH, h: boxes.HEIGHT });
  assert.deepEqual(boxes.place(now, "last"), boxes.place(before, "last"));
  const { collapsed: _none, ...earlier } = clip;
  assert.equal(apply(draft(), clips.paste(draft(), earlier, { x: 0, y: 0 }).changes).layout.collapsed, undefined);
});

test("steps of different levels can't be connected, and it says why", () => {
  const why = "noop (a) is a step of map (each): connect it to others in there, or connect map (each) itself.";
  assert.equal(graph.whyNot(draft(), "first", "a"), why);
  assert.equal(graph.whyNot(draft(), "a", "last"), why);
  assert.equal(graph.whyNot(draft(), "first", "last"), null);
});

test("the outline has what stands in a step below it", () => {
  assert.deepEqual(
    graph.inOrder(draft()).map(({ id, depth }) => [id, depth]),
    [
      ["first", 0],
      ["each", 0],
      ["a", 1],
      ["b", 1],
      ["last", 0],
    ],
  );
});

test("a container goes with what stands in it, and comes back with it", () => {
  const before = draft();
  const changes = commands.remove(before, { nodes: ["each"], edges: [] }, true);
  const now = apply(before, changes);
  assert.deepEqual(ids(definitionOf(now).nodes), ["first", "last"]);
  assert.deepEqual(definitionOf(now).edges, [{ from: "first", to: "last" }]);
  assert.deepEqual(Object.keys(now.layout.nodes), ["first", "last"]);
  assert.deepEqual(definitionOf(apply(now, inverses(changes))), definitionOf(before));
});

test("a copy has all that stands in it, under ids of its own, and can be put into another container", () => {
  const before = doc([
    each("each", step("a"), step("b", { params: { set: { n: "{{ steps.a.output }}" } } })),
    each("other", step("c")),
  ]);
  const clip = clips.asClip(JSON.stringify(clips.copy(before, { nodes: ["each"], edges: [] })));
  const made = clips.paste(before, clip, { x: 0, y: 0 }, {}, "other");
  const now = apply(before, made.changes);
  assert.deepEqual(made.select, ["each_2"]);
  const [, inner] = body(now, "other").steps;
  assert.deepEqual(ids(inner.params.body.steps), ["a_2", "b_2"]);
  assert.equal(inner.params.body.steps[1].params.set.n, "{{ steps.a_2.output }}");
  const out = clips.copy(now, { nodes: ["a_2"], edges: [] });
  assert.equal(out.nodes.a_2.in, undefined, "on the outside in a clip");
  assert.ok(out.places.a_2.y > boxes.spotOf(now, "other").y);
});

test("steps move in and out, and what they leave is connected again", () => {
  const before = draft();
  const inside = apply(before, moving.moveInto(before, ["last"], "each"));
  assert.deepEqual(ids(body(inside).steps), ["a", "b", "last"]);
  assert.equal(body(inside).edges, undefined, "behind the last one");
  assert.deepEqual(definitionOf(inside).edges, [{ from: "first", to: "each" }]);
  const outside = apply(inside, moving.moveInto(inside, ["b"], null));
  assert.deepEqual(ids(body(outside).steps), ["a", "last"]);
  assert.equal(body(outside).edges, undefined);
  assert.deepEqual(definitionOf(outside).edges.at(-1), { from: "each", to: "b" });
  assert.deepEqual(moving.moveInto(before, ["each"], "each"), [], "not into itself");
});

test("a form that another takes the place of is there again", () => {
  const before = draft();
  const kept = forms.held(before, "each");
  const one = apply(before, forms.formed(before, "each", "workflow", null));
  assert.deepEqual(body(one), {});
  assert.deepEqual(ids(definitionOf(one).nodes), ["first", "each", "last"]);
  const again = apply(one, forms.formed(one, "each", "steps", kept));
  assert.deepEqual(definitionOf(again), definitionOf(before));
  assert.deepEqual(again.layout.nodes.a, before.layout.nodes.a);
});

test("one step becomes the only one of several, and back", () => {
  const alone = { type: "http.request", params: { url: "x" }, retry: "none", queue: "slow" };
  const single = doc([{ id: "each", type: "map", params: { body: alone } }]);
  const several = apply(single, forms.formed(single, "each", "steps", null));
  assert.deepEqual(body(several).steps, [{ id: "request", ...alone }]);
  const back = apply(several, forms.formed(several, "each", "step", null));
  assert.deepEqual(body(back), alone);
});

test("what the validator calls a step within a step is that step", () => {
  const now = doc([step("x"), each("each", step("a"), each("inner", step("b"), step("c")))]);
  assert.equal(bodies.fieldOf(now, "c"), "nodes[1].params.body.steps[1].params.body.steps[1]");
  assert.equal(bodies.edgeFieldOf(now, "b>c"), "nodes[1].params.body.steps[1].params.body.edges[0]");
  const keys = ["nodes", 1, "params", "body", "steps", 1, "params", "body", "steps", 1, "params", "url"];
  assert.deepEqual(bodies.entryAt(now, keys), { root: "nodes", key: "c", rest: ["params", "url"] });
  assert.deepEqual(bodies.entryAt(now, ["nodes", 1, "params", "items"]), {
    root: "nodes",
    key: "each",
    rest: ["params", "items"],
  });
});

test("tidied, no step lies on another, and what stands in a container lies within it", () => {
  const now = doc(
    [step("x"), each("each", step("a"), each("inner", step("b"), step("c")), step("d")), step("y"), step("z")],
    [
      { from: "x", to: "each" },
      { from: "x", to: "y" },
      { from: "each", to: "z" },
    ],
  );
  const made = { ...now, layout: { nodes: tidying.tidy(now) } };
  for (const home of [null, "each", "inner"]) {
    const level = bodies.stepsIn(made, home).map((id) => boxes.boxOf(made, id));
    for (const [at, one] of level.entries()) {
      for (const other of level.slice(at + 1))
        assert.ok(
          one.x + one.w <= other.x ||
            other.x + other.w <= one.x ||
            one.y + one.h <= other.y ||
            other.y + other.h <= one.y,
          JSON.stringify([one, other]),
        );
      if (home === null) continue;
      const frame = boxes.boxOf(made, home);
      assert.ok(one.x > frame.x && one.x + one.w < frame.x + frame.w && one.y + one.h < frame.y + frame.h);
    }
  }
});

test("a map of two steps and an approval by keys alone", async () => {
  const island = await open();
  const add = async (key, type) => {
    island.press(key);
    await island.search(type);
    island.press("Enter");
    await island.at("[data-title]");
    island.press("Escape");
    await island.at("[role=treeitem]");
  };
  await add("a", "For each item");
  await add("a", "Do nothing");
  await add("a", "Set values");
  await add("a", "Ask for an approval");
  const inner = () => body({ ...island.store.state().doc }, "for_each_item");
  assert.deepEqual(
    inner().steps.map(({ type }) => type),
    ["noop", "transform", "human.approval"],
  );
  assert.equal(inner().edges, undefined);
  island.press("<");
  assert.deepEqual(ids(inner().steps), ["do_nothing", "set_values"]);
  assert.deepEqual(definitionOf(island.store.state().doc).edges, [
    { from: "for_each_item", to: "ask_for_an_approval" },
  ]);
  island.press(">");
  assert.equal(inner().steps.length, 3);
  island.press("Control+z");
  island.press("Control+z");
  assert.equal(inner().steps.length, 3);
  const saved = await island.saved();
  assert.equal(saved.nodes.length, 1);
  assert.equal(saved.nodes[0].params.body.steps.length, 3);
});

test("the form of a container switches what it does, and leads to its steps", async () => {
  const island = await open({ nodes: [each("each", step("a", { title: "Inner" }))] });
  const hand = hands(island);
  await hand.select("each");
  await hand.press("A workflow");
  await hand.text("Workflow", "check");
  assert.deepEqual(body(island.store.state().doc), { workflow: "check" });
  await hand.press("Several steps");
  assert.deepEqual(ids(body(island.store.state().doc).steps), ["a"]);
  await hand.press("A workflow");
  assert.deepEqual(body(island.store.state().doc), { workflow: "check" }, "nothing that was typed is lost");
  await hand.press("One step");
  await hand.pick("Step type", "HTTP request");
  assert.deepEqual(body(island.store.state().doc), { type: "http.request" });
  await hand.press("Several steps");
  await hand.press("Inner");
  await until(() => island.page.querySelector(".insp-id code").textContent === "a");
});

test("one step that is all a container does says how it is tried again and where", async () => {
  const island = await open({ nodes: [each("each")] });
  const hand = hands(island);
  await hand.select("each");
  await hand.press("One step");
  await hand.pick("Step type", "Do nothing");
  await hand.unfold("More");
  await hand.pick("Retries", "Never");
  await hand.text("Queue", "blocking");
  const once = { type: "noop", retry: "none", queue: "blocking" };
  assert.deepEqual(body(island.store.state().doc), once);
  await hand.press("Several steps");
  assert.deepEqual(body(island.store.state().doc).steps, [{ id: "noop", ...once }]);
});
