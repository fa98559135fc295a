// Steps that are done once for each item, in a test run: on their cards, in its list, and pinned.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { becomes, open, says, until } from "./island.mjs";
import { load, source } from "./load.mjs";

const [inner, { gave }, { keyed }] = await load("panels/inner.ts", "panels/asked.ts", "model/document.ts");
const { step_types } = JSON.parse(readFileSync(join(source, "../../tests/workflows/palette.json"), "utf8"));
const catalogue = Object.fromEntries(step_types.map((type) => [type.name, type]));

const DEFINITION = {
  nodes: [
    {
      id: "each",
      type: "map",
      title: "For each order",
      params: {
        items: "{{ input }}",
        body: {
          steps: [
            { id: "price", type: "noop", title: "Price it" },
            { id: "again", type: "loop", params: { body: { steps: [{ id: "deep", type: "noop" }] } } },
          ],
        },
      },
    },
  ],
};
const example = (node, place, output, more = {}) => ({
  node,
  title: node,
  status: "COMPLETED",
  index: place,
  places: [place],
  run_id: `part-${place}`,
  input: { n: place },
  output,
  ...more,
});
const PRICE = {
  node: "price",
  container: "each",
  counts: { COMPLETED: 3, FAILED: 1 },
  total: 5,
  first: example("price", 1, { price: 7 }),
  failed: example("price", 2, null, { status: "FAILED", error: { message: "No such price." } }),
};
const TRIAL = {
  id: "run-1",
  status: "COMPLETED",
  steps: [{ node: "each", title: "For each order", status: "COMPLETED", output: { results: [] } }],
  stubbed: [],
};

test("a step has failed over all items if it did for one, and goes on while there are more", () => {
  const over = (counts, total, hasEnded = true) => inner.statusOver({ counts, total }, hasEnded);
  assert.equal(over({ COMPLETED: 3, FAILED: 1, RUNNING: 1 }, 5), "FAILED");
  assert.equal(over({ COMPLETED: 3, WAITING: 1 }, 4, false), "WAITING");
  assert.equal(over({ COMPLETED: 3, QUEUED: 1, RUNNING: 1 }, 5, false), "RUNNING");
  assert.equal(over({ COMPLETED: 3 }, 5, false), "RUNNING");
  assert.equal(over({ COMPLETED: 3 }, 5), "COMPLETED");
  assert.equal(over({ SKIPPED: 2 }, 2), "SKIPPED");
});

test("how far it is fits on a card", () => {
  const far = (counts, total) => inner.farOver({ counts, total });
  assert.equal(far({ COMPLETED: 3 }, 5), "3 of 5");
  assert.equal(far({ COMPLETED: 3, FAILED: 1 }, 1200), "1 of 1,200 failed");
  assert.equal(far({ SKIPPED: 2 }, 2), "skipped");
  assert.equal(far({ COMPLETED: 2, SKIPPED: 1 }, null), "2 of 3");
  assert.equal(inner.countsInWords(PRICE), "3 completed, 1 failed");
});

test("where not all items were counted it says so", () => {
  const of = (counts) => ({ counts, total: 10000, cut: true });
  assert.equal(inner.farOver(of({ COMPLETED: 2000 })), "2,000+ of 10,000");
  assert.equal(inner.farOver(of({ COMPLETED: 1997, FAILED: 3 })), "3+ of 10,000 failed");
  assert.equal(inner.countsInWords(of({ COMPLETED: 2000 })), "2,000 completed, of the first items only");
});

test("steps of items come behind their container, and nothing before another test reads them", () => {
  const trial = inner.withInner({ ...TRIAL, inner_steps: [PRICE] }, true);
  assert.deepEqual(
    trial.steps.map(({ node, status }) => [node, status]),
    [
      ["each", "COMPLETED"],
      ["price", "FAILED"],
    ],
  );
  assert.deepEqual(inner.givenBy(trial, "price").output, { price: 7 }, "of the first item for which it completed");
  assert.deepEqual(Object.keys(gave(trial)), ["each"]);
  assert.equal(inner.givenBy(trial, "nobody"), null);
});

test("places are said as each container counts", () => {
  const doc = keyed(DEFINITION, {});
  assert.equal(inner.placeInWords(doc, catalogue, "each", [1]), "item 2");
  assert.equal(inner.placeInWords(doc, catalogue, "again", [1, 0]), "item 2, round 1");
  const installed = { ...catalogue, map: { ...catalogue.map, has_rounds: true } };
  assert.equal(inner.placeInWords(doc, installed, "each", [1]), "round 2", "the type says so, not its name");
  assert.equal(inner.partFor(doc, "deep"), "each");
});

test("the panel shows a step for the first item and for the first that failed, and P pins the first", async () => {
  const island = await open(DEFINITION);
  const { page, store, press } = island;
  store.set({ panel: "test", trial: inner.withInner({ ...TRIAL, inner_steps: [PRICE] }, true) });
  store.select({ nodes: ["price"] });
  const head = await until(() => {
    const found = page.querySelector(".test-step-head");
    return found?.textContent.includes("Price it") && found;
  });
  await says(() => head.textContent, /item 2.*item 3, failed.*3 completed, 1 failed/);
  await says(() => page.querySelector(".test-data").textContent, /price: 7|price/);
  const [, failed] = head.querySelectorAll("[aria-label='Which item is shown'] button");
  failed.click();
  await until(() => page.querySelector(".test-values .bad-words")?.textContent === "No such price.");
  await says(() => page.querySelector(".test-bar").textContent, /Only For each order/);
  page.body.focus();
  press("p");
  await until(() => store.state().doc.layout.pins?.price);
  assert.deepEqual(store.state().doc.layout.pins, { price: { price: 7 } });
  press("p");
  await until(() => store.state().doc.layout.pins?.price === undefined);
});

test("a card says for how many items it was done", async () => {
  const { page, store } = await open(DEFINITION);
  store.set({ trial: inner.withInner({ ...TRIAL, inner_steps: [PRICE] }, true) });
  const shown = () => {
    const badge = page.querySelector(".react-flow__node[data-id=price] .badge.status");
    return badge && [badge.textContent, badge.getAttribute("data-status"), badge.title];
  };
  await becomes(shown, ["1 of 5 failed", "FAILED", "3 completed, 1 failed"]);
});
