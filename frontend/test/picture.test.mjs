// The picture that only shows: what stands in it and where.
import assert from "node:assert/strict";
import test from "node:test";
import { Window } from "happy-dom";
import { load } from "./load.mjs";

const [{ drawn }, { keyed }, { knowTypes }] = await load("picture/drawn.ts", "model/document.ts", "model/graph.ts");
const FACES = {
  noop: { title: "Do nothing", icon: "circle", group: "flow" },
  decision: { title: "Decision", icon: "split", group: "flow" },
};

function picture(definition, layout) {
  const { document } = new Window();
  globalThis.document = document;
  knowTypes(Object.entries(FACES).map(([name, face]) => ({ name, title: face.title })));
  return drawn(keyed(definition, layout), FACES, "/sprite.svg");
}

const DEFINITION = {
  nodes: [
    { id: "ask", type: "decision", title: "<b>Good?</b>" },
    { id: "yes", type: "noop" },
    { id: "odd", type: "their.own" },
  ],
  edges: [
    { from: "ask", to: "yes", branch: "premium" },
    { from: "ask", to: "odd", on: "error" },
  ],
};
const LAYOUT = {
  nodes: { ask: { x: -100, y: 50 }, yes: { x: 300, y: 0 }, odd: { x: 300, y: 200 } },
  notes: { n: { x: -100, y: -300, w: 200, h: 100, text: "Mind this.", color: "yellow" } },
  groups: { g: { title: "Both ends", nodes: ["yes", "odd", "gone"] } },
};

test("steps, ways with their words, notes and frames stand within the picture", async () => {
  const { board, frame } = await picture(DEFINITION, LAYOUT);
  const steps = [...board.querySelectorAll(".picture-step")];
  assert.deepEqual(
    steps.map((step) => [
      step.dataset.group,
      ...["strong", "small"].map((line) => step.querySelector(line).textContent),
    ]),
    [
      ["flow", "<b>Good?</b>", "Decision"],
      ["flow", "Do nothing", "yes"],
      ["unknown", "their.own", "odd"],
    ],
  );
  assert.equal(board.querySelectorAll(".picture-line").length, 2);
  assert.equal(board.querySelectorAll(".picture-line.error").length, 1);
  assert.deepEqual(
    [...board.querySelectorAll(".picture-label")].map((label) => label.textContent),
    ["premium", "on error"],
  );
  assert.equal(board.querySelector(".picture-note").textContent, "Mind this.");
  assert.equal(board.querySelector(".picture-group").textContent, "Both ends");
  for (const part of board.querySelectorAll(".picture-step, .picture-note, .picture-group")) {
    const [left, top, width, height] = ["left", "top", "width", "height"].map((name) => parseFloat(part.style[name]));
    assert.ok(left >= 0 && top >= 0, part.textContent);
    assert.ok(left + width <= frame.width && top + height <= frame.height, part.textContent);
  }
});

test("what others wrote is text, never markup", async () => {
  const { board } = await picture(DEFINITION, LAYOUT);
  assert.equal(board.querySelectorAll("b").length, 0);
});

test("what is collapsed in the draft is shown all the same, with room for it", async () => {
  const each = (id, ...steps) => ({ id, type: "map", params: { items: [1], body: { steps } } });
  const { board } = await picture(
    { nodes: [each("each", { id: "a", type: "noop" }), { id: "last", type: "noop" }], edges: [] },
    {
      nodes: { each: { x: 0, y: 0 }, a: { x: 30, y: 90 }, last: { x: 330, y: 0 } },
      collapsed: { each: true, gone: true },
    },
  );
  const box = (id) => {
    const { left, width } = board.querySelector(`[data-node=${id}]`).style;
    return { left: parseFloat(left), right: parseFloat(left) + parseFloat(width) };
  };
  assert.ok(box("a").right < box("each").right);
  assert.ok(box("last").left >= box("each").right);
});
