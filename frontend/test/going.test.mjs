// Going through a form by keys: part by part, to what is still to be said, and back to the step.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, until } from "./island.mjs";

const FLOW = {
  nodes: [
    { id: "call", type: "http.request", title: "Call" },
    { id: "ask", type: "human.approval", title: "Ask" },
  ],
  edges: [{ from: "call", to: "ask" }],
};

/** The form knows that nothing is left to be said. */
const filled = ({ page }) => becomes(() => page.querySelectorAll(".inspector [data-empty]").length, 0);

/** The form of a step that was opened by Enter in the outline. */
async function editing(id, boot) {
  const island = await open(structuredClone(FLOW), boot);
  island.store.select({ nodes: [id] });
  island.press("o");
  await island.at(`[data-node=${id}]`);
  island.press("Enter");
  await island.at("[data-title]");
  const called = () => {
    const { activeElement: here } = island.page;
    const label = island.page.getElementById(here.getAttribute("aria-labelledby") ?? "");
    return (here.querySelector("h3") ?? label ?? here).textContent.replace(/\*.*$/, "").trim();
  };
  return { ...island, called };
}

test("Enter goes to the next required field that is empty, and from the last one back to the outline", async () => {
  const island = await editing("call");
  island.press("Enter");
  await island.at("input");
  assert.equal(island.called(), "Address");
  island.put("https://example.org");
  await filled(island);
  island.press("Enter");
  await island.at("[data-node=call]");
});

test("Enter while a word is being composed is the composer's, and a button's Enter presses it", async () => {
  const island = await editing("call");
  const event = new island.page.defaultView.KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
  Object.defineProperty(event, "isComposing", { value: true });
  island.page.activeElement.dispatchEvent(event);
  assert.ok(island.page.activeElement.matches("[data-title]"));
  island.page.querySelector(".insp-id .link").focus();
  island.press("Enter");
  assert.ok(island.page.activeElement.matches(".insp-id .link"));
});

test("F6 goes from part to part of the form and back, and is the browser's at the end", async () => {
  const island = await editing("call");
  const seen = [];
  for (let at = 0; at < 20; at += 1) {
    if (island.press("F6")) break;
    seen.push(island.called());
  }
  assert.equal(seen[0], "What it does");
  assert.ok(seen.includes("Input") && seen.at(-1) === "Comments", seen.join(", "));
  assert.equal(island.press("F6"), true, "nobody took the key");
  for (const _ of seen) assert.equal(island.press("Shift+F6"), false);
  assert.ok(island.page.activeElement.matches("[data-title]"));
  assert.equal(island.press("Shift+F6"), true);
});

test("E goes to the first required field that is empty, and says where none is", async () => {
  const island = await editing("ask");
  island.press("Escape");
  await island.at("[data-node=ask]");
  island.press("e");
  await island.at("input");
  assert.equal(island.called(), "Question");
  island.put("Take it?");
  await filled(island);
  island.press("Escape");
  await island.at("[data-node=ask]");
  island.press("e");
  await until(() => /filled in/.test(island.store.state().said.text));
});

test("in the form of a way Enter goes from its kind to what that asks, and back once it is said", async () => {
  const island = await open({
    nodes: [
      { id: "a", type: "decision", title: "A" },
      { id: "b", type: "noop", title: "B" },
    ],
    edges: [{ from: "a", to: "b" }],
  });
  island.store.select({ edges: ["a>b"] });
  island.store.wantFocus("inspector");
  await island.at("[type=radio]");
  island.page.querySelectorAll(".taken input")[1].click();
  await until(() => island.page.querySelector("[data-starts]"));
  island.page.querySelector(".taken input:checked").focus();
  island.press("Enter");
  await island.at("[data-starts]");
});

test("who works on the canvas is led back to it", async () => {
  const island = await open(structuredClone(FLOW), {
    layout: { nodes: { call: { x: 0, y: 0 }, ask: { x: 330, y: 0 } } },
  });
  const card = await until(() => island.page.querySelector('.react-flow__node[data-id="call"]'));
  card.focus();
  island.store.select({ nodes: ["call"] });
  await until(() => card.classList.contains("selected"));
  island.store.wantFocus("title");
  await island.at("[data-title]");
  island.press("Enter");
  await island.at("input");
  island.put("https://example.org");
  await filled(island);
  island.press("Enter");
  await island.at(".react-flow__node");
});
