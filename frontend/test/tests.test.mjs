// What a test run is asked for, what restoring a version does to the canvas, and test cases that are typed.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ caseOf, gave, madeUpBefore, stillThere }, { restored }, { foreign }] = await load(
  "panels/asked.ts",
  "canvas/layout.ts",
  "panels/text.ts",
);

const step = (type, params) => ({ type, ...(params ? { params } : {}) });
const chain = (...ids) => ({
  nodes: Object.fromEntries(ids.map((id) => [id, step("noop")])),
  edges: Object.fromEntries(ids.slice(1).map((id, at) => [`${ids[at]}>${id}`, { from: ids[at], to: id }])),
  settings: {},
  layout: {},
});

test("what was chosen for a step that is deleted is not asked for any more", () => {
  const doc = {
    ...chain("a"),
    nodes: { a: step("noop"), ask: step("human.approval", { outcomes: [{ name: "yes" }, { name: "no" }] }) },
  };
  assert.deepEqual(stillThere(doc, { live: ["a", "mail"], outcomes: { ask: "no", gone: "yes" } }), {
    live: ["a"],
    outcomes: { ask: "no" },
  });
  assert.deepEqual(
    stillThere(doc, { live: [], outcomes: { ask: "approved" } }).outcomes,
    {},
    "an outcome that has another name now",
  );
});

test("a step alone reads what others really gave, not what was made up or left out", () => {
  const done = (node, output, more = {}) => ({ node, status: "COMPLETED", title: node, output, ...more });
  const steps = [
    done("a", 1),
    done("b", 2),
    done("c", 3),
    done("d", null, { truncated: { output: 300000 } }),
    done("e", 5, { index: 1 }),
    { ...done("f", null), status: "FAILED" },
  ];
  const stubbed = [
    { node: "b", why: "waits", made_up: true },
    { node: "c", why: "pinned", made_up: false },
  ];
  assert.deepEqual(gave({ id: "x", status: "FAILED", steps, stubbed }), { a: 1, c: 3 });
});

test("a run that failed over a made-up output says of which step", () => {
  const doc = chain("ask", "judge");
  const failed = (node, made_up) => ({
    id: "x",
    status: "FAILED",
    error: { node },
    steps: [],
    stubbed: [{ node: "ask", why: "waits", made_up }],
  });
  assert.equal(madeUpBefore(doc, failed("ask", true)), "ask");
  assert.equal(madeUpBefore(doc, failed("judge", true)), "ask");
  assert.equal(madeUpBefore(doc, failed("judge", false)), null);
});

test("what is left out of a test case that is typed is nothing", () => {
  assert.deepEqual(caseOf('{"input": {"a": 1}}'), { input: { a: 1 }, stubs: {}, expect: {} });
  for (const wrong of ["[1]", '"abc"', "1", "nope"]) assert.throws(() => caseOf(wrong), SyntaxError);
});

test("a step that a restored version brings back does not stand on another one", async () => {
  const now = { ...chain("a"), layout: { nodes: { a: { x: 0, y: 0 } }, pins: { a: 1 } } };
  const { layout } = await restored(now, chain("a", "b", "c"));
  assert.equal(new Set(Object.values(layout.nodes).map(({ x, y }) => `${x} ${y}`)).size, 3);
  assert.deepEqual(layout.nodes.a, { x: 0, y: 0 });
  assert.deepEqual(layout.pins, { a: 1 });
});

test("a text in another dialect is not taken for a draft without steps", () => {
  assert.equal(foreign({ name: "x", steps: ["text.clean"] }), "steps");
  assert.equal(foreign({ configuration: ["Clean Text"] }), "configuration");
  assert.equal(foreign({ dag: { nodes: [] } }), "dag");
  assert.equal(foreign({ nodes: [{ step_name: "a" }], edges: [] }), "step_name");
  assert.equal(foreign({ nodes: [{ id: "a", depends_on: [] }] }), "depends_on");
  assert.equal(foreign({ nodes: [{ id: "a" }], edges: [{ from: "a", to: "b", condition: "x" }] }), "condition");
  assert.equal(foreign({ nodes: [{ id: "a", type: "noop" }], edges: [], steps: 1 }), null);
});

test("the last ten test runs are remembered, each once with how it ended", async () => {
  const [{ readRuns, withRun, withStatus }] = await load("panels/remembered.ts");
  const run = (id) => ({ id, at: "2027-01-31T09:00:00Z", revision: 3, status: "RUNNING", part: "", stubbed: [] });
  let runs = [];
  for (let at = 0; at < 12; at += 1) runs = withRun(runs, run(`${at}`));
  assert.deepEqual(
    runs.map((each) => each.id),
    ["11", "10", "9", "8", "7", "6", "5", "4", "3", "2"],
  );
  const ended = withStatus(runs, "10", "COMPLETED");
  assert.equal(ended[1].status, "COMPLETED");
  assert.equal(withStatus(ended, "10", "COMPLETED"), ended);
  assert.equal(withStatus(ended, "gone", "FAILED"), ended);
  assert.deepEqual(readRuns(JSON.stringify(ended)), ended);
  for (const text of [null, "", "{", "7", '[null, {"id": 7}, "x"]']) assert.deepEqual(readRuns(text), [], `${text}`);
});
