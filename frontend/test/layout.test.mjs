// The layout: whatever a graph is like, no two steps lie on each other, it stays in bounds, and is the same each time.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [
  { tidy },
  boxes,
  { routesOf },
  { labelShapes },
  { beginning },
  starts,
  { inOrder, whyNot },
  { apply },
  commands,
] = await load(
  "canvas/tidy.ts",
  "model/boxes.ts",
  "model/routes.ts",
  "model/labels.ts",
  "canvas/opening.ts",
  "canvas/starts.ts",
  "model/graph.ts",
  "model/changes.ts",
  "model/commands.ts",
);

const range = (count) => Array.from({ length: count }, (_, at) => at);

function graph(nodes, ways) {
  const edges = {};
  for (const [from, to, more = {}] of ways) {
    let key = `${from}>${to}`;
    for (let at = 2; key in edges; at += 1) key = `${from}>${to}#${at}`;
    edges[key] = { from, to, ...more };
  }
  return { nodes, edges, settings: {}, layout: {} };
}
const noops = (ids) => Object.fromEntries(ids.map((id) => [id, { type: "noop" }]));
const chain = (count) =>
  graph(
    noops(range(count).map((at) => `s${at}`)),
    range(count - 1).map((at) => [`s${at}`, `s${at + 1}`]),
  );
const fan = (count) =>
  graph(
    noops(["a", ...range(count).map((at) => `b${at}`), "z"]),
    range(count).flatMap((at) => [
      ["a", `b${at}`, { when: `input.kind == 'sort number ${at}'` }],
      [`b${at}`, "z"],
    ]),
  );

/** The same numbers for each seed, from 0 to 1. */
function numbers(seed) {
  let now = seed;
  return () => {
    now = (now * 1103515245 + 12345) % 2147483648;
    return now / 2147483648;
  };
}

function random(seed) {
  const next = numbers(seed);
  const count = 5 + Math.floor(next() * 60);
  const nodes = noops(range(count).map((at) => `s${at}`));
  for (const at of range(count)) {
    const id = `s${at}`;
    if (next() < 0.15) nodes[id] = { type: "map", params: { body: { steps: [] } } };
    if (next() < 0.1) nodes[id].compensate = { type: "noop" };
    const home = `s${Math.floor(next() * at)}`;
    if (at && next() < 0.4 && nodes[home]?.params) nodes[id].in = home;
  }
  const words = [undefined, "approved", "status is 'SUCCESS' and amount > 10,000 and not vip", "otherwise"];
  const ways = [];
  for (let at = 0; at < count * 1.6; at += 1) {
    const from = Math.floor(next() * count);
    const to = from + 1 + Math.floor(next() * 5);
    if (to >= count || nodes[`s${from}`].in !== nodes[`s${to}`].in) continue;
    const branch = words[Math.floor(next() * words.length)];
    ways.push([`s${from}`, `s${to}`, branch ? { branch } : {}]);
  }
  return graph(nodes, ways);
}

const GRAPHS = {
  "no step": graph({}, []),
  "one step": chain(1),
  "a chain of 10": chain(10),
  "a chain of 200": chain(200),
  "a chain of 500": chain(500),
  "30 branches": fan(30),
  "200 branches": fan(200),
  "200 steps that nothing connects": graph(noops(range(200).map((at) => `s${at}`)), []),
  ...Object.fromEntries(range(25).map((seed) => [`random graph ${seed}`, random(seed + 1)])),
};

const laid = (doc) => ({ ...doc, layout: { nodes: tidy(doc) } });
const home = (doc, id) => doc.nodes[id].in ?? null;
const meets = (one, other) =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

function routed(doc) {
  const ways = Object.entries(doc.edges).map(([key, { from, to, branch, when }]) => ({
    key,
    from,
    to,
    words: branch ?? when ?? "",
  }));
  return { ways, found: routesOf(doc, ways) };
}

for (const [name, given] of Object.entries(GRAPHS))
  test(`${name}: nothing lies on anything, it is neither very wide nor very high, and the same each time`, () => {
    const doc = laid(given);
    assert.deepEqual(tidy(given), doc.layout.nodes);
    const all = Object.keys(doc.nodes).map((id) => ({ id, ...boxes.boxOf(doc, id) }));
    for (const one of all)
      for (const other of all)
        if (one.id < other.id && home(doc, one.id) === home(doc, other.id))
          assert.ok(!meets(one, other), `${one.id} lies on ${other.id}`);
    if (!all.length) return;
    const width = Math.max(...all.map((box) => box.x + box.w)) - Math.min(...all.map((box) => box.x));
    const height = Math.max(...all.map((box) => box.y + box.h)) - Math.min(...all.map((box) => box.y));
    assert.ok(width <= 2000 || width <= 3 * height, `${width} × ${height}`);
    assert.ok(height <= 4000 || height <= 3 * width, `${width} × ${height}`);
  });

for (const name of ["a chain of 200", "30 branches", "200 branches"])
  test(`${name}: no line runs through a step, and all words are whole, on no step and on no other words`, () => {
    const doc = laid(GRAPHS[name]);
    const { ways, found } = routed(doc);
    const all = Object.keys(doc.nodes).map((id) => boxes.boxOf(doc, id));
    const labels = [];
    for (const { key, words } of ways) {
      const { points, label } = found.get(key);
      for (const [at, other] of points.slice(1).entries()) {
        const one = points[at];
        const line = {
          x: Math.min(one.x, other.x) + 2,
          y: Math.min(one.y, other.y) + 2,
          w: Math.abs(one.x - other.x) - 4,
          h: Math.abs(one.y - other.y) - 4,
        };
        for (const box of all) assert.ok(!meets(line, box), `${key} runs through a step`);
      }
      if (!words) continue;
      const shape = labelShapes(words).find(({ w }) => w === label.width);
      assert.ok(shape, "it is as wide as one of its shapes");
      const box = { x: label.x - shape.w / 2, y: label.y - shape.h / 2, ...shape };
      for (const other of [...all, ...labels]) assert.ok(!meets(box, other), `the words of ${key} lie on something`);
      labels.push(box);
    }
  });

test("two ways to the same step are two lines, with words of their own", () => {
  const doc = laid(
    graph(noops(["ask", "tell"]), [
      ["ask", "tell", { branch: "rejected" }],
      ["ask", "tell", { branch: "more information" }],
    ]),
  );
  const [one, other] = [...routed(doc).found.values()];
  for (const at of [0, -1]) assert.ok(Math.abs(one.points.at(at).y - other.points.at(at).y) >= 10);
  assert.ok(Math.abs(one.label.y - other.label.y) >= 20 || Math.abs(one.label.x - other.label.x) >= one.label.width);
});

test("each way out of a step leaves at a height of its own", () => {
  const doc = laid(
    graph(noops(["a", "b", "c", "d"]), [
      ["a", "b"],
      ["a", "c"],
      ["a", "d"],
    ]),
  );
  const heights = [...routed(doc).found.values()].map(({ points }) => points[0].y);
  assert.equal(new Set(heights).size, 3);
});

test("words of any length are whole, a long text on several lines", () => {
  const long = "amount > 10,000 and customer.country is not 'DE' and customer.vip does not exist";
  const [widest, ...narrower] = labelShapes(long);
  assert.ok(widest.w <= 240 && widest.h > 40);
  for (const { w, h } of narrower) assert.ok(w < widest.w && h >= widest.h);
  assert.deepEqual(labelShapes(""), []);
});

test("branches stand in the order of the document, from top to bottom", () => {
  const { nodes } = laid(fan(12)).layout;
  const heights = range(12).map((at) => nodes[`b${at}`].y);
  assert.deepEqual(
    heights,
    heights.toSorted((one, other) => one - other),
  );
});

test("500 steps are laid out, and their lines found, in seconds", () => {
  const next = numbers(7);
  const ways = range(700).flatMap(() => {
    const from = Math.floor(next() * 500);
    const to = from + 1 + Math.floor(next() * 6);
    return to < 500 ? [[`s${from}`, `s${to}`]] : [];
  });
  const start = performance.now();
  const doc = laid(graph(noops(range(500).map((at) => `s${at}`)), ways));
  routed(doc);
  // On a quiet machine five, of which dagre takes nearly all; a chain takes one.
  assert.ok(performance.now() - start < 30_000);
});

test("what is opened begins with the first step, whatever is left of it further down", () => {
  const doc = laid(chain(200));
  const all = Object.keys(doc.nodes).map((id) => boxes.boxOf(doc, id));
  const view = beginning(all, { width: 800, height: 640 }, 0.18, 0.5);
  const first = boxes.boxOf(doc, "s0");
  const [x, y] = [first.x * view.zoom + view.x, first.y * view.zoom + view.y];
  assert.ok(x > 0 && x < 200 && y > 50 && y < 200, `${x}, ${y}`);
  assert.equal(view.zoom, 0.5);
});

test("what starts runs stands before the first step, on no step; many are counted", () => {
  const doc = laid(chain(10));
  doc.settings = { request: { category: "Travel" }, sla_seconds: 86_400 };
  const trigger = (at) => ({ kind: "Schedule", name: `n${at}`, does: "daily", is_on: true, path: "/x" });
  const found = starts.startsOf(doc, range(7).map(trigger), "/workflows/x");
  assert.deepEqual(
    found.map(({ kind }) => kind),
    ["Deadline", "Requests", "Schedule", "Schedule", "5 more"],
  );
  assert.equal(found[0].does, "each run: 1 day");
  const all = Object.keys(doc.nodes).map((id) => boxes.boxOf(doc, id));
  for (const { box } of found) {
    assert.ok(box.x + box.w < doc.layout.nodes.s0.x);
    assert.ok(all.every((other) => !meets(box, other)));
  }
  assert.deepEqual(starts.startsOf(chain(0), [trigger(1)], "/"), []);
});

test("in the outline branches stand below the step that they leave, before what they lead to together", () => {
  const doc = graph(noops(["ask", "yes", "both", "no"]), [
    ["ask", "both"],
    ["ask", "yes"],
    ["yes", "both"],
    ["ask", "no"],
  ]);
  assert.deepEqual(
    inOrder(doc).map(({ id, depth }) => `${depth} ${id}`),
    ["0 ask", "1 yes", "1 no", "0 both"],
  );
});

test("a second way to the same step needs a condition of its own", () => {
  const ways = [["a", "b", { branch: "yes" }]];
  const doc = graph(noops(["a", "b"]), ways);
  assert.equal(whyNot(doc, "a", "b", { branch: "no" }), null);
  for (const condition of [{}, { branch: "yes" }]) assert.match(whyNot(doc, "a", "b", condition), /already connected/);
  const made = apply(doc, commands.connect(doc, "a", "b", { branch: "no" }).changes);
  assert.deepEqual(Object.keys(made.edges), ["a>b", "a>b#2"]);
});

test("a step on a line into the next row stands at the end of its own, and nothing else moves", () => {
  const doc = laid(chain(10));
  const wrap = range(9).find((at) => doc.layout.nodes[`s${at + 1}`].x < doc.layout.nodes[`s${at}`].x);
  const made = commands.addStep(doc, { noop: { title: "New" } }, "noop", { edge: `s${wrap}>s${wrap + 1}` });
  const now = apply(doc, made.changes);
  const [id] = made.select;
  assert.equal(now.layout.nodes[id].y, doc.layout.nodes[`s${wrap}`].y);
  assert.ok(now.layout.nodes[id].x > doc.layout.nodes[`s${wrap}`].x);
  for (const each of Object.keys(doc.nodes)) assert.deepEqual(now.layout.nodes[each], doc.layout.nodes[each]);
});

test("one more way out of a step in the middle of full rows stands right below, and what is lower makes room", () => {
  const doc = laid(chain(40));
  const made = commands.addStep(doc, { noop: { title: "New" } }, "noop", { after: "s1" });
  const now = apply(doc, made.changes);
  const [id] = made.select;
  assert.ok(now.edges[`s1>${id}`]);
  const [at, from] = [now.layout.nodes[id], doc.layout.nodes.s1];
  assert.ok(at.x > from.x && at.y - from.y < 200, JSON.stringify(at));
  assert.deepEqual(now.layout.nodes.s2, doc.layout.nodes.s2);
  const all = Object.keys(now.nodes).map((each) => ({ each, ...boxes.boxOf(now, each) }));
  for (const one of all) for (const other of all) assert.ok(one.each >= other.each || !meets(one, other));
});
