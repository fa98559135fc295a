// What was added has the focus, however it was added; and each question of a form is asked once.
import assert from "node:assert/strict";
import test from "node:test";
import { hands } from "./hands.mjs";
import { open, settled, until } from "./island.mjs";

const CHAIN = {
  nodes: [
    { id: "first", type: "noop", title: "First" },
    { id: "second", type: "noop", title: "Second" },
  ],
  edges: [{ from: "first", to: "second" }],
};

/** The title of the step that is selected, once it has the focus. */
async function titled(island, id) {
  await island.at("[data-title]");
  await until(() => island.page.querySelector(".insp-id code").textContent === id);
  assert.deepEqual(island.store.state().selected.nodes, [id]);
}

function clipboard(island, type, text) {
  const event = new island.page.defaultView.Event(type, { bubbles: true, cancelable: true });
  let kept = text;
  event.clipboardData = {
    setData: (_kind, given) => {
      kept = given;
    },
    getData: () => kept,
  };
  (island.page.activeElement ?? island.page.body).dispatchEvent(event);
  return kept;
}

test("a step that is chosen in the search has the focus in its title, wherever the search was opened", async () => {
  for (const from of ["outline", "page"]) {
    const island = await open(structuredClone(CHAIN));
    if (from === "outline") {
      island.press("o");
      await island.at("[data-node=first]");
    }
    island.press("a");
    await island.search("Do nothing");
    island.press("Enter");
    await titled(island, "do_nothing");
    assert.equal(island.page.activeElement.selectionEnd, island.page.activeElement.value.length, "typing names it");
  }
});

test("a step of the palette has the focus in its title", async () => {
  const island = await open(structuredClone(CHAIN));
  island.page.getElementById("tab-add").click();
  const button = await until(() =>
    [...island.page.querySelectorAll(".palette-step")].find((each) => each.textContent.includes("Do nothing")),
  );
  button.focus();
  button.click();
  await titled(island, "do_nothing");
});

test("a step that is pasted has the focus in its title, and another paste adds another step", async () => {
  const island = await open(structuredClone(CHAIN));
  island.store.select({ nodes: ["first"] });
  const text = clipboard(island, "copy");
  clipboard(island, "paste", text);
  const [one] = await until(
    () => island.store.state().selected.nodes[0] !== "first" && island.store.state().selected.nodes,
  );
  await titled(island, one);
  clipboard(island, "paste", text);
  await until(() => Object.keys(island.store.state().doc.nodes).length === 4);
  await titled(island, island.store.state().selected.nodes[0]);
  assert.notEqual(island.store.state().selected.nodes[0], one);
});

test("Ctrl+Z takes away what was just added; once its title is typed in, the key is the field's", async () => {
  const island = await open(structuredClone(CHAIN));
  const add = async () => {
    island.press("a");
    await island.search("Do nothing");
    island.press("Enter");
    await titled(island, "do_nothing");
  };
  await add();
  island.press("Control+z");
  assert.deepEqual(Object.keys(island.store.state().doc.nodes), ["first", "second"]);
  island.page.activeElement?.blur();
  await add();
  island.write("Third");
  island.press("Control+z");
  assert.equal(island.store.state().doc.nodes.do_nothing.title, "Third");
});

test("no way of adding leads beyond what may be published, and each says so", async () => {
  const island = await open(structuredClone(CHAIN), { most_steps: 2 });
  const words = /A workflow has at most 2 steps/;
  const refused = async (does) => {
    island.store.say("");
    await does();
    assert.match(island.store.state().said.text, words);
    assert.deepEqual(Object.keys(island.store.state().doc.nodes), ["first", "second"]);
  };
  await refused(async () => {
    island.press("a");
    await island.search("Do nothing");
    island.press("Enter");
    await until(() => words.test(island.store.state().said.text));
  });
  island.page.activeElement?.blur();
  island.store.select({ nodes: ["first"] });
  await refused(() => island.press("Control+d"));
  const text = clipboard(island, "copy");
  await refused(() => clipboard(island, "paste", text));
});

test("a wait asks once how long, and shows the way in which it is said already", async () => {
  const island = await open({
    nodes: [
      { id: "new", type: "wait", title: "New" },
      { id: "old", type: "wait", title: "Old", params: { duration: "P3D" } },
      { id: "both", type: "wait", title: "Both", params: { duration: "P3D", seconds: 5 } },
    ],
  });
  const fields = () =>
    [...island.page.querySelectorAll(".insp-body .insp-amount, .insp-body [type=datetime-local]")].length;
  for (const [id, count] of [
    ["new", 2],
    ["old", 2],
    ["both", 3],
  ]) {
    await hands(island).select(id);
    assert.equal(fields(), count, id);
  }
  await hands(island).select("old");
  const field = await hands(island).field("Wait for");
  field.focus();
  for (const typed of ["", "5"]) {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, typed);
    field.dispatchEvent(new island.page.defaultView.Event("input", { bubbles: true }));
    await settled(0);
  }
  assert.equal(island.page.activeElement, field, "an empty field stays the field that it was");
  assert.deepEqual(island.store.state().doc.nodes.old.params, { duration: "P5D" });
});

test("Enter in the search takes what is marked, though the list moved under a mouse at rest", async () => {
  const island = await open(structuredClone(CHAIN));
  island.press("Control+f");
  await island.at("[role=combobox]");
  const options = () => [...island.page.querySelectorAll("dialog [role=option]")];
  await until(() => options().length === 2);
  const move = (movementX) =>
    options()[1].dispatchEvent(new island.page.defaultView.MouseEvent("mousemove", { bubbles: true, movementX }));
  const marked = () => options().findIndex((each) => each.getAttribute("aria-selected") === "true");
  move(3);
  await until(() => marked() === 1);
  island.press("ArrowUp");
  await until(() => marked() === 0);
  move(0);
  await settled();
  assert.equal(marked(), 0);
  island.press("Enter");
  await until(() => !island.page.querySelector("dialog"));
  assert.deepEqual(island.store.state().selected.nodes, ["first"]);
});

test("Enter in the list of values puts in what is marked", async () => {
  const island = await open({
    nodes: [{ id: "mail", type: "email.send", title: "Mail", params: { subject: "{{ input.x }}" } }],
  });
  const { answer } = island.server;
  const entry = (path) => ({ path, title: "", type: "text", from: "Input", always: true });
  island.server.answer = function (request, body) {
    if (!request.url.endsWith("/scope")) return answer.call(this, request, body);
    return [200, { entries: [entry("input.one"), entry("input.two")], functions: [], problems: [], sample: null }];
  };
  await hands(island).select("mail");
  await hands(island).press("Insert…");
  await island.at("[role=combobox]");
  await until(() => island.page.querySelectorAll("dialog [role=option]").length === 2);
  island.press("ArrowDown");
  await until(() => island.page.querySelectorAll("dialog [role=option]")[1].getAttribute("aria-selected") === "true");
  island.press("Enter");
  await until(() => island.store.state().doc.nodes.mail.params.subject.includes("input.two"));
  assert.equal(island.page.querySelector("dialog"), null);
});
