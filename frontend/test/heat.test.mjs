// Heat on the canvas: which share of the time or of the failures a step has, in levels and in words.
import assert from "node:assert/strict";
import test from "node:test";
import { open, says, until } from "./island.mjs";
import { load } from "./load.mjs";

const [heat] = await load("model/heat.ts");
const row = (node, more = {}) => ({
  node,
  count: 10,
  failed: 0,
  completed: 10,
  average_ms: 2000,
  share_of_time: 0.2,
  share_of_failures: 0,
  ...more,
});

test("a larger share is a higher level", () => {
  const levels = [0, 0.009, 0.01, 0.05, 0.2, 0.35, 1].map(
    (share) => heat.heatOf([...heat.figuresOf([row("a", { share_of_time: share })]).values()][0], "time").level,
  );
  assert.deepEqual(levels, [0, 0, 1, 2, 3, 4, 4]);
});

test("the figures are told in words", () => {
  const [one] = heat.figuresOf([row("a", { failed: 3, share_of_failures: 0.75 })]).values();
  assert.equal(heat.heatOf(one, "time").words, "20 % of the time: 10 steps, 2.0 s on average");
  assert.equal(heat.heatOf(one, "failures").words, "75 % of the failures: 3 of 10 steps failed");
  assert.equal(heat.heatOf({ ...one, failed: 0, failures: 0, count: 1 }, "failures").words, "no failure: 1 step");
});

test("the items of a container count to it", () => {
  const [one] = heat.figuresOf([row("a"), row("a", { share_of_time: 0.3 }), row(null)]).values();
  assert.deepEqual([one.count, one.time, one.took], [20, 0.5, 40_000]);
});

test("times are told in one unit", () => {
  assert.deepEqual([0, 420, 4200, 90_000, 7_200_000, 864_000_000].map(heat.lasting), [
    "0 ms",
    "420 ms",
    "4.2 s",
    "1.5 min",
    "2.0 h",
    "10 d",
  ]);
});

const definition = {
  nodes: [
    { id: "a", type: "noop", title: "First" },
    { id: "b", type: "noop", title: "Second" },
  ],
  edges: [{ from: "a", to: "b" }],
};

const buttons = (page) =>
  new Map([...page.querySelectorAll(".heat button")].map((button) => [button.textContent, button]));

test("what was never published has no heat", async () => {
  const island = await open(definition);
  await until(() => island.page.querySelector(".step-card"));
  assert.equal(island.page.querySelector(".heat"), null);
});

test("the switch asks once, colours the steps, and says what the colours mean", async () => {
  const island = await open(definition, { latest: 1 });
  const asked = [];
  const usual = island.server.answer.bind(island.server);
  island.server.answer = (request, body) => {
    if (!request.url.includes("/telemetry")) return usual(request, body);
    asked.push(new URL(request.url, "http://127.0.0.1").searchParams.get("workflow"));
    return [200, { results: [row("b", { share_of_time: 0.9, failed: 1, share_of_failures: 1 }), row("a")] }];
  };
  const heats = () => [...island.page.querySelectorAll(".step-card")].map((card) => card.dataset.heat ?? null);
  await until(() => buttons(island.page).size === 3);
  assert.deepEqual(heats(), [null, null]);
  buttons(island.page).get("Time").click();
  await until(() => heats().join() === "3,4");
  await says(() => island.page.querySelector(".heat-legend").textContent, /Share of the time, last 30 days/);
  await says(() => island.page.querySelectorAll(".step-card")[1].title, /90 % of the time: 10 steps/);
  buttons(island.page).get("Failures").click();
  await until(() => heats().join() === "0,4");
  buttons(island.page).get("Off").click();
  await until(() => heats().every((level) => level === null));
  assert.deepEqual(asked, ["ours"]);
});

test("why there are no figures is said, and nothing is coloured", async () => {
  const island = await open(definition, { latest: 1 });
  await until(() => buttons(island.page).size === 3);
  buttons(island.page).get("Time").click();
  await until(() => island.store.state().said.kind === "bad");
  assert.equal(island.store.state().heat.by, null);
});
