// What a test run shows: each step with what it was given and what it gave side by side, as one wants to read it.
import assert from "node:assert/strict";
import test from "node:test";
import { open, until } from "./island.mjs";

const ROWS = [
  { sku: "a", count: 1 },
  { sku: "b", count: 2 },
];
const TRIAL = {
  id: "run-1",
  status: "COMPLETED",
  output: { total: 3 },
  steps: [
    { node: "read", title: "Read", status: "COMPLETED", input: { order: 7 }, output: { rows: ROWS, by: "Ada" } },
    { node: "sum", title: "Sum", status: "COMPLETED", input: { rows: ROWS }, output: { total: 3 } },
  ],
  stubbed: [],
};

async function shown(layout = {}) {
  const island = await open(
    {
      nodes: [
        { id: "read", type: "noop", title: "Read" },
        { id: "sum", type: "noop", title: "Sum" },
      ],
      edges: [{ from: "read", to: "sum" }],
    },
    { layout },
  );
  island.store.set({ panel: "test", trial: structuredClone(TRIAL) });
  const row = await until(() =>
    [...island.page.querySelectorAll(".test-both [role=option]")].find((each) => each.textContent.includes("Read")),
  );
  row.click();
  const part = (title) =>
    until(() =>
      [...island.page.querySelectorAll(".test-data > .data")].find(
        (each) => each.querySelector("h3").textContent === title,
      ),
    );
  const view = async (title, name) => {
    const button = [...(await part(title)).querySelectorAll(".switch button")].find((each) =>
      (each.getAttribute("aria-label") ?? each.textContent).includes(name),
    );
    button.click();
    await until(() => button.getAttribute("aria-pressed") === "true");
  };
  return { ...island, part, view };
}

test("input and output of a step stand side by side, as a tree, as a table or as JSON", async () => {
  const { part, view, page } = await shown();
  assert.match((await part("Input")).textContent, /order/);
  const output = await part("Output");
  assert.equal((await part("Input")).parentElement, output.parentElement);
  assert.ok(output.querySelector("[role=tree]"));
  await view("Output", "As a table");
  assert.deepEqual(
    [...output.querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("td")].map((cell) => cell.textContent),
    ),
    [
      ['"a"', "1"],
      ['"b"', "2"],
    ],
  );
  await view("Output", "As JSON");
  assert.match(output.querySelector("pre").textContent, /"by": "Ada"/);
  const from = [...page.querySelectorAll(".test-verbs button")].map((each) => each.textContent.trim());
  assert.ok(from.includes("Run from here"), from.join(", "));
});

test("an output that is pinned is compared with what the step gave", async () => {
  const { part, view } = await shown({ pins: { read: { rows: ROWS, by: "Bo", old: true } } });
  await view("Output", "changes from the pinned output");
  assert.deepEqual(
    [...(await part("Output")).querySelectorAll(".data-changes li")].map((row) => [
      row.querySelector("code").textContent,
      row.querySelector("small").textContent,
    ]),
    [
      ["by", "changed"],
      ["old", "gone"],
    ],
  );
});
