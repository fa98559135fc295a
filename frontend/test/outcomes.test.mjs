// What a new way says by itself: out of a decision, out of a step that asks people, out of any other.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { hands } from "./hands.mjs";
import { becomes, open, until } from "./island.mjs";
import { load, source } from "./load.mjs";

const [{ addStep, usualCondition }, { endsInWords, outcomesOf }] = await load("model/commands.ts", "model/outcomes.ts");
const { apply } = await load("model/changes.ts").then(([one]) => one);
const { step_types } = JSON.parse(readFileSync(join(source, "../../tests/workflows/palette.json"), "utf8"));
const catalogue = Object.fromEntries(step_types.map((type) => [type.name, type]));
const named = (...names) => ({ outcomes: names.map((name) => ({ name })) });
const doc = (type, ways, params) => ({
  nodes: { a: { type, ...(params ? { params } : {}) } },
  edges: Object.fromEntries(ways.map((way, at) => [`a>${at}`, { from: "a", to: String(at), ...way }])),
  settings: {},
  layout: {},
});

for (const [words, type, ways, wanted, params] of [
  ["the first way out of an approval is for its first outcome", "human.approval", [], { branch: "approved" }],
  ["the second one is for the next outcome", "human.approval", [{}], { branch: "rejected" }],
  ["whichever the first is for", "human.approval", [{ branch: "rejected" }], { branch: "approved" }],
  ["outcomes of its own count", "human.approval", [{ branch: "yes" }], { branch: "no" }, named("yes", "no", "later")],
  ["one after the other", "human.approval", [{ branch: "yes" }, {}], { branch: "later" }, named("yes", "no", "later")],
  [
    "where all are used it is beside the first",
    "human.approval",
    [{ branch: "approved" }, { branch: "rejected" }],
    { branch: "approved" },
  ],
  [
    "beside otherwise it is for an outcome, too",
    "human.approval",
    [{ branch: "approved" }, { default: true }],
    { branch: "rejected" },
  ],
  ["a form with one outcome leads on", "human.form", [], {}],
  ["the way of a failure is for no outcome", "human.approval", [{ on: "error" }], { branch: "approved" }],
  ["a decision's second way is the rest", "decision", [{ when: "true" }], { default: true }],
  ["other steps say nothing", "noop", [{}], {}],
])
  test(words, () => assert.deepEqual(usualCondition(doc(type, ways, params), catalogue, "a"), wanted));

test("outcomes are those that are given, else those of the type, and what is used already", () => {
  const schema = catalogue["human.approval"].output_schema;
  assert.deepEqual(outcomesOf(doc("human.approval", []), "a", schema), ["approved", "rejected"]);
  assert.deepEqual(outcomesOf(doc("human.approval", [{ branch: "held" }], named("yes")), "a", schema), ["yes", "held"]);
});

for (const [words, where] of [
  ["on an edge", { edge: "a>b" }],
  ["before a step", { before: "b" }],
])
  test(`an approval that is put ${words} goes on when it is approved`, () => {
    const before = {
      nodes: { a: { type: "noop" }, b: { type: "noop" } },
      edges: { "a>b": { from: "a", to: "b" } },
      settings: {},
      layout: {},
    };
    const made = addStep(before, catalogue, "human.approval", where);
    const { edges } = apply(before, made.changes);
    const [id] = made.select;
    assert.deepEqual(Object.values(edges), [
      { from: "a", to: id },
      { from: id, to: "b", branch: "approved" },
    ]);
  });

for (const [words, type, ways, wanted, params] of [
  ["nothing follows", "human.approval", [], "approved, rejected: the run ends here"],
  ["one leads on", "human.approval", [{ branch: "approved" }], "rejected: the run ends here"],
  [
    "a failure follows no outcome",
    "human.approval",
    [{ branch: "rejected" }, { on: "error" }],
    "approved: the run ends here",
  ],
  ["each leads on", "human.approval", [{ branch: "approved" }, { branch: "rejected" }], ""],
  ["otherwise takes the others", "human.approval", [{ branch: "approved" }, { default: true }], ""],
  ["a condition may take them", "human.approval", [{ when: "output.data.ok" }], ""],
  ["outcomes of its own count", "human.form", [{ branch: "ok" }], "not ok: the run ends here", named("ok", "not_ok")],
  ["one outcome is no choice", "human.form", [], ""],
  ["nobody is asked", "noop", [], ""],
])
  test(`which outcomes end the run: ${words}`, () => {
    const { nodes, ...rest } = doc(type, ways, params);
    const others = Object.fromEntries(ways.map((_, at) => [String(at), { type: "noop" }]));
    assert.equal(endsInWords({ nodes: { ...nodes, ...others }, ...rest }, catalogue, "a"), wanted);
  });

test("the outline and the form say which outcome ends the run, until a step is added for it", async () => {
  const island = await open({
    nodes: [
      { id: "ask", type: "human.approval", title: "Ask" },
      { id: "accept", type: "noop", title: "Accept" },
    ],
    edges: [{ from: "ask", to: "accept", branch: "approved" }],
  });
  island.store.select({ nodes: ["ask"] });
  const said = () => island.page.body.textContent.split("rejected: the run ends here").length - 1;
  await becomes(() => said() >= 2, true);
  island.press("a");
  await island.search("Do nothing");
  island.press("Enter");
  await becomes(said, 0);
});

test("a step that is added behind an approval as its second has the next outcome, which the form offers", async () => {
  const island = await open({
    nodes: [
      { id: "ask", type: "human.approval", title: "Ask" },
      { id: "accept", type: "noop", title: "Accept" },
    ],
    edges: [{ from: "ask", to: "accept", branch: "approved" }],
  });
  island.store.select({ nodes: ["ask"] });
  island.press("a");
  await island.search("Do nothing");
  island.press("Enter");
  await becomes(() => island.store.state().doc.edges["ask>do_nothing"]?.branch, "rejected");
  island.store.select({ edges: ["ask>do_nothing"] });
  const select = await until(() => island.page.querySelector(".insp-field select[id]"));
  assert.deepEqual(
    [...select.options].map((each) => each.textContent),
    ["approved", "rejected", "Other…"],
  );
  assert.equal(select.value, "rejected");
  await hands(island).take("Otherwise");
  assert.deepEqual(
    { branch: undefined, ...island.store.state().doc.edges["ask>do_nothing"] },
    { branch: undefined, from: "ask", to: "do_nothing", default: true },
  );
});
