// A step of the draft is found by its title, its id or its kind, from wherever the hands are.
import assert from "node:assert/strict";
import test from "node:test";
import { open, until } from "./island.mjs";

const DRAFT = {
  nodes: [
    { id: "reserve", type: "noop", title: "Reserve the items" },
    { id: "ask", type: "human.approval", title: "Ask the manager" },
    { id: "stop", type: "noop", title: "Stop here" },
  ],
};

/** What the search shows, once it shows so many. */
async function options(island, count) {
  return until(() => {
    const found = [...island.page.querySelectorAll("dialog [role=option] strong")].map((each) => each.textContent);
    return found.length === count && found;
  });
}

for (const [search, title, id] of [
  ["items RESERVE", "Reserve the items", "reserve"],
  ["stop", "Stop here", "stop"],
  ["approval", "Ask the manager", "ask"],
]) {
  test(`“${search}” leads to ${title}`, async () => {
    const island = await open(structuredClone(DRAFT));
    island.press("Control+f");
    await island.at("[role=combobox]");
    await options(island, 3);
    island.put(search);
    assert.deepEqual(await options(island, 1), [title]);
    island.press("Enter");
    await until(() => !island.page.querySelector("dialog"));
    const { selected, look } = island.store.state();
    assert.deepEqual([selected.nodes, look.node], [[id], id]);
  });
}

test("the search opens out of a field, too, and who only looks has it", async () => {
  const island = await open(structuredClone(DRAFT), { may_write: false });
  island.store.select({ nodes: ["ask"] });
  const title = await until(() => island.page.querySelector("[data-title]"));
  const { KeyboardEvent } = island.page.defaultView;
  title.dispatchEvent(new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true }));
  await options(island, 3);
});
