// The graph of a run: where its steps are put, and which ways are taken.
import assert from "node:assert/strict";
import test from "node:test";
import { Window } from "happy-dom";
import { load } from "./load.mjs";

const [{ drawn }, { keyed }, { markWays, putSteps, takeSpots }] = await load(
  "picture/drawn.ts",
  "model/document.ts",
  "graph/steps.ts",
);

const DEFINITION = {
  nodes: [
    { id: "ask", type: "decision" },
    { id: "yes", type: "noop" },
    { id: "no", type: "noop" },
  ],
  edges: [
    { from: "ask", to: "yes", when: "true" },
    { from: "ask", to: "no", default: true },
  ],
};
const LAYOUT = { nodes: { ask: { x: 0, y: 0 }, yes: { x: 330, y: 0 }, no: { x: 330, y: 108 } } };

async function graph(steps) {
  const { document } = new Window();
  globalThis.document = document;
  const { board, frame } = await drawn(keyed(DEFINITION, LAYOUT), {}, "/sprite.svg");
  const card = document.createElement("section");
  for (const [id, status, taken] of steps) {
    const step = document.createElement("li");
    step.className = "graph-step";
    Object.assign(step.dataset, { step: id, status }, taken ? { taken: JSON.stringify(taken) } : {});
    card.append(step);
  }
  card.append(board);
  return { card, board, frame };
}

const ways = (card) =>
  Object.fromEntries(
    [...card.querySelectorAll(".picture-line")].map((line) => [
      line.dataset.to,
      ["taken", "dead"].filter((name) => line.classList.contains(name)).join(),
    ]),
  );

test("each step stands where the canvas has it, and what undoes others below all of it", async () => {
  const { card, board, frame } = await graph([
    ["ask", "COMPLETED"],
    ["yes", "QUEUED"],
    ["no", "PENDING"],
    ["ask:compensate", "QUEUED"],
  ]);
  const spots = takeSpots(card, board);
  assert.equal(board.querySelectorAll(".picture-step").length, 0);
  assert.ok(putSteps(card, spots, frame) > 0);
  const [ask, yes, no, undo] = [...card.querySelectorAll("li")].map(({ style }) => [
    Number.parseFloat(style.left),
    Number.parseFloat(style.top),
  ]);
  assert.deepEqual([yes[0] - ask[0], yes[1] - ask[1]], [330, 0]);
  assert.deepEqual([no[0] - ask[0], no[1] - ask[1]], [330, 108]);
  assert.ok(undo[1] >= frame.height);
});

test("a way is taken, not taken, or not yet decided", async () => {
  const before = await graph([
    ["ask", "RUNNING"],
    ["yes", "PENDING"],
    ["no", "PENDING"],
  ]);
  markWays(before.card);
  assert.deepEqual(ways(before.card), { yes: "", no: "" });
  const after = await graph([
    ["ask", "COMPLETED", ["yes"]],
    ["yes", "QUEUED"],
    ["no", "SKIPPED"],
  ]);
  markWays(after.card);
  assert.deepEqual(ways(after.card), { yes: "taken", no: "dead" });
});
