// The order fulfilment of the examples, every field of it, built from nothing by the forms.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { hands } from "./hands.mjs";
import { open, until } from "./island.mjs";
import { source } from "./load.mjs";

const file = "../../workflows/versions/example_definitions/8-order-fulfillment.json";
const ORDER = JSON.parse(readFileSync(join(source, file), "utf8"));
const KINDS = {
  job: "External job",
  signal: "Wait for a signal",
  transform: "Set values",
  "human.approval": "Ask for an approval",
};
const titleOf = (id) => ORDER.nodes.find((node) => node.id === id).title;
const time = (seconds) => (seconds % 86_400 === 0 ? [`${seconds / 86_400}`, "days"] : [`${seconds}`, "seconds"]);
const compact = (value) => JSON.stringify(value);

async function settle(hand) {
  await hand.text("Description", ORDER.description);
  await hand.press("JSON Schema");
  await hand.text("Input", compact(ORDER.input_schema));
  await hand.text("Sample input", compact(ORDER.metadata.sample_input));
  await hand.unfold("Key and deadline");
  await hand.text("Business key", ORDER.business_key);
}

const PARAMS = {
  job: (hand, params) => hand.pairs("Settings", params),
  transform: (hand, params) => hand.pairs("Values", params.set),
  async signal(hand, params) {
    await hand.text("Signal", params.name);
    await hand.amount("Wait at most", ...time(params.timeout_seconds));
  },
  async "human.approval"(hand, params) {
    await hand.text("Question", params.title);
    await hand.text("Instructions", params.instructions);
    await hand.pairs("Facts", params.facts);
    for (const role of params.candidates.roles) await hand.tick(role[0].toUpperCase() + role.slice(1));
    await hand.amount("Deadline", ...time(params.due_seconds));
  },
};

const RETRY = {
  max_retries: "How often",
  base_seconds: "First pause",
  factor: "Growth",
  max_seconds: "Longest pause",
  jitter: "Spread",
};

async function fails(hand, { on_error, retry, compensate }) {
  if (!on_error && !retry && !compensate) return;
  await hand.unfold("When it fails");
  if (on_error) await hand.pick("If it fails for good", "Continue anyway");
  if (retry) await hand.pick("Retries", retry === "none" ? "Never" : "Custom…");
  for (const [name, label] of Object.entries(RETRY)) {
    if (retry?.[name] === undefined) continue;
    if (name.endsWith("seconds")) await hand.amount(label, `${retry[name]}`, "seconds");
    else await hand.text(label, `${retry[name]}`);
  }
  if (!compensate) return;
  await hand.press("Add an undo step");
  await hand.pick("Type", KINDS[compensate.type]);
  await hand.text("Title", compensate.title);
  await PARAMS[compensate.type](hand, compensate.params);
  await hand.unfold("More");
  await hand.amount("Silence allowed", ...time(compensate.lease_seconds));
  await hand.text("Queue", compensate.queue);
}

async function describe(hand, node) {
  await PARAMS[node.type](hand, node.params);
  await fails(hand, node);
  if (!node.queue) return;
  await hand.unfold("Where it runs");
  await hand.text("Queue", node.queue);
  await hand.amount("Silence allowed", ...time(node.lease_seconds));
}

/** A step by the search for one, its title and its id by its form. */
async function add(island, hand, node) {
  await hand.select(null);
  island.press("a");
  await island.search(KINDS[node.type]);
  const count = Object.keys(island.store.state().doc.nodes).length;
  island.press("Enter");
  const id = await until(() => Object.keys(island.store.state().doc.nodes)[count]);
  await hand.select(id);
  await hand.text("Title", node.title);
  await hand.press("Change…");
  (await hand.field("Id")).focus();
  island.put(node.id);
  island.press("Enter");
  await until(() => island.page.querySelector(".insp-id code")?.textContent === node.id);
}

async function connect(island, hand, from, to) {
  await hand.select(from);
  island.press("c");
  await island.search(titleOf(to));
  island.press("Enter");
}

async function sayWhen(hand, edge) {
  await hand.select(edge.from);
  await hand.press(`Edit the connection to ${titleOf(edge.to)}`);
  if (edge.when) {
    await hand.take("If…");
    await hand.press("Expression");
    await hand.text("Condition", edge.when);
  } else if (edge.branch) {
    await hand.take("On an outcome");
    await hand.pick("Outcome", edge.branch);
  } else await hand.take("Otherwise");
}

test("an order is built by forms, undone back to nothing and done again", async () => {
  const island = await open({ title: ORDER.title });
  const hand = hands(island);
  await settle(hand);
  for (const node of ORDER.nodes) {
    await add(island, hand, node);
    await describe(hand, node);
  }
  for (const key of Object.keys(island.store.state().doc.edges))
    island.store.act("Delete", [{ path: ["edges", key], from: island.store.state().doc.edges[key] }]);
  for (const { from, to } of ORDER.edges) await connect(island, hand, from, to);
  await connect(island, hand, "ship", "charge");
  await until(() => island.page.querySelector(".said")?.textContent.includes("That would create a cycle"));
  island.press("Escape");
  for (const edge of ORDER.edges) if (Object.keys(edge).length > 2) await sayWhen(hand, edge);
  await hand.select("done");
  await hand.unfold("When it starts");
  await hand.pick("Starts when", "All paths were taken");
  island.page.activeElement.blur();

  const saved = await island.saved();
  const { name, ...wanted } = ORDER;
  assert.deepEqual({ ...saved, name }, { name, ...wanted });

  const doc = island.document.definitionOf(island.store.state().doc);
  while (island.store.state().undo.length) island.press("Control+z");
  assert.deepEqual(await island.saved(), { name: "ours", title: ORDER.title, nodes: [], edges: [] });
  while (island.store.state().redo.length) island.press("Control+Shift+Z");
  assert.deepEqual(await island.saved(), doc);
});
