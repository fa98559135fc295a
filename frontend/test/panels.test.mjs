// The panels around the canvas: pulled, moved by keys, closed and remembered; and steps found in them.
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
const line = (island, side) => until(() => island.page.querySelector(`[role=separator][data-side=${side}]`));
const shown = (island) => island.page.querySelector(".builder").style;

for (const [side, larger, smaller] of [
  ["left", "ArrowRight", "ArrowLeft"],
  ["right", "ArrowLeft", "ArrowRight"],
]) {
  test(`the panel on the ${side} is moved by keys within its limits, reset, closed and remembered`, async () => {
    const island = await open(structuredClone(DRAFT));
    const divider = await line(island, side);
    const now = () => Number(divider.getAttribute("aria-valuenow"));
    divider.focus();
    const [least, most] = ["min", "max"].map((end) => Number(divider.getAttribute(`aria-value${end}`)));
    for (const [key, wanted] of [
      ["Home", least],
      [smaller, least],
      [larger, least + 16],
      ["End", most],
      [larger, most],
      [smaller, most - 16],
    ]) {
      island.press(key);
      await until(() => now() === wanted);
      assert.equal(shown(island).getPropertyValue(`--${side}`), `${wanted}px`);
    }
    const kept = JSON.parse(localStorage.getItem("handoff-panels:ann"));
    assert.deepEqual(kept[side], { size: most - 16, isClosed: false });
    divider.dispatchEvent(new island.page.defaultView.MouseEvent("dblclick", { bubbles: true }));
    await until(() => shown(island).getPropertyValue(`--${side}`) === "");
    divider.blur();
    const key = side === "left" ? "[" : "]";
    const isClosed = () => island.page.querySelector(".builder").hasAttribute(`data-no-${side}`);
    island.press(key);
    assert.equal(isClosed(), true);
    assert.equal(JSON.parse(localStorage.getItem("handoff-panels:ann"))[side].isClosed, true);
    island.press(key);
    assert.equal(isClosed(), false);
  });
}

test("a line is pulled by the mouse", async () => {
  const island = await open(structuredClone(DRAFT));
  const divider = await line(island, "right");
  const pointer = (type, clientX) =>
    divider.dispatchEvent(new island.page.defaultView.PointerEvent(type, { bubbles: true, clientX }));
  divider.focus();
  island.press("Home");
  const least = Number(divider.getAttribute("aria-valuemin"));
  pointer("pointerdown", 1000);
  pointer("pointermove", 960);
  pointer("pointerup", 960);
  pointer("pointermove", 800);
  assert.equal(island.store.state().panels.right.size, least + 40);
});

test("a closed form opens for who asks for it, and for what was added", async () => {
  const island = await open(structuredClone(DRAFT));
  island.store.select({ nodes: ["ask"] });
  island.press("]");
  island.press("F2");
  await island.at("[data-title]");
  assert.equal(island.page.querySelector(".builder").hasAttribute("data-no-right"), false);
});

test("the outline is filtered by title, id and kind, and goes on by arrows", async () => {
  const island = await open(structuredClone(DRAFT));
  const field = await until(() => island.page.querySelector(".outline-filter input"));
  field.focus();
  for (const [search, titles] of [
    ["items RESERVE", ["Reserve the items"]],
    ["ask", ["Ask the manager"]],
    ["nothing", ["Reserve the items", "Stop here"]],
    ["no such step", []],
  ]) {
    island.put(search);
    await until(() => island.rows().join() === titles.join());
  }
  assert.match(island.page.querySelector(".outline").textContent, /No matching steps/);
  island.put("stop");
  await until(() => island.rows().length === 1);
  island.press("ArrowDown");
  await island.at("[data-node=stop]");
  field.focus();
  island.press("Escape");
  await until(() => island.rows().length === 3);
});

test("Ctrl+K is told of the steps that are searched for", async () => {
  const island = await open(structuredClone(DRAFT));
  const asked = (search) => {
    const found = [];
    const { CustomEvent } = island.page.defaultView;
    island.page.dispatchEvent(new CustomEvent("handoff:find", { detail: { search, found } }));
    return found;
  };
  await until(() => asked("stop").length);
  assert.deepEqual(asked(""), []);
  const [{ name, about, run }, ...others] = asked("manager");
  assert.deepEqual([name, about, others], ["Ask the manager", "Step: Ask for an approval", []]);
  run();
  assert.deepEqual(island.store.state().selected.nodes, ["ask"]);
});

test("the history tells moments in the zone and the language of its reader, and people by their names", async () => {
  const island = await open({ nodes: [{ id: "a", type: "noop" }] }, {}, { zone: "Asia/Tokyo", locale: "de" });
  const { answer } = island.server;
  const at = "2027-01-31T20:30:00Z";
  island.server.answer = function (request, body) {
    if (request.url.includes("/versions?"))
      return [
        200,
        { results: [{ version: 1, note: "", published_by: "eve", published_by_name: "Eve Sato", published_at: at }] },
      ];
    if (request.url.includes("/draft/changes?"))
      return [200, { results: [{ revision: 2, label: "Add a step", by: "eve", by_name: "", at }] }];
    return answer.call(this, request, body);
  };
  island.store.set({ panel: "history" });
  const said = await until(() => {
    const text = island.page.querySelector(".history")?.textContent;
    return text?.includes("Add a step") && text.includes("Version 1") && text;
  });
  assert.match(said, /01\.02\.2027, 05:30 by Eve Sato/);
  assert.match(said, /eve, 01\.02\.2027, 05:30/);
});
