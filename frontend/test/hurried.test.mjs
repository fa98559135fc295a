// Hands that are faster than the page, or slower than it thinks: no key is lost, and each undoes what it should.
import assert from "node:assert/strict";
import test from "node:test";
import { open, settled, until } from "./island.mjs";

/** A step behind the one that has the focus, or the first, with a title. */
async function add(island, title) {
  island.press("a");
  await island.search("Do nothing");
  island.press("Enter");
  await named(island, title);
}

/** The focus is in the title, as it is when a step was added. */
async function named(island, title) {
  await island.at("[data-title]");
  island.write(title);
  island.press("Escape");
  await island.at("[role=treeitem]");
}

async function two() {
  const island = await open();
  island.press("o");
  await island.at("[data-first-step]");
  for (const title of ["First", "Second"]) await add(island, title);
  await until(() => Object.keys(island.store.state().doc.nodes).join() === "first,second");
  return island;
}

const WAITS = {
  "none at all": () => undefined,
  "a moment": () => Promise.resolve(),
  "a turn": () => settled(0),
  "a frame": () => new Promise((resolve) => requestAnimationFrame(resolve)),
};

for (const [name, wait] of Object.entries(WAITS)) {
  test(`each press undoes one act, and does one again, with ${name} between two`, async () => {
    const island = await two();
    for (let round = 0; round < 3; round += 1) {
      for (const [key, count] of [
        ["Control+z", 0],
        ["Control+Shift+Z", 2],
      ]) {
        for (let each = 0; each < 4; each += 1) {
          island.press(key);
          await wait();
        }
        assert.equal(Object.keys(island.store.state().doc.nodes).length, count, key);
      }
    }
  });
}

test("the outline keeps the focus when the step that has it is undone", async () => {
  const island = await two();
  for (let each = 0; each < 2; each += 1) island.press("Control+z");
  await until(
    () => island.page.activeElement.textContent.includes("First") && island.page.activeElement.role === "treeitem",
  );
  for (let each = 0; each < 2; each += 1) island.press("Control+z");
  await island.at("[data-first-step]");
  island.press("Control+Shift+Z");
  await island.at("[role=treeitem]");
});

test("what is typed in a field is one act until it is left, however slowly", async (context) => {
  const island = await open();
  island.press("o");
  await island.at("[data-first-step]");
  await add(island, "First");
  await until(() => island.store.state().doc.nodes.first);
  island.press("F2");
  await island.at("[data-title]");
  island.write("S");
  const now = Date.now();
  context.mock.method(Date, "now", () => now + 60_000);
  island.write("Second");
  assert.deepEqual(island.done().undo, [
    "Add Do nothing",
    "Change the title of Do nothing (do_nothing)",
    "Change the title of First",
  ]);
  island.press("Escape");
  await island.at("[role=treeitem]");
  island.press("F2");
  await island.at("[data-title]");
  context.mock.method(Date, "now", () => now + 120_000);
  island.write("Third");
  assert.equal(island.done().undo.filter((label) => label.startsWith("Change")).length, 3);
});

test("an id that follows a title late is no act of its own", async () => {
  const island = await open();
  const held = [];
  island.server.before = ({ url }) =>
    url.endsWith("/rename-step") ? new Promise((resolve) => held.push(resolve)) : undefined;
  island.press("o");
  await island.at("[data-first-step]");
  await add(island, "First");
  await until(() => held.length);
  await add(island, "Second");
  await until(() => held.length === 2);
  while (!island.store.state().doc.nodes.first || !island.store.state().doc.nodes.second) {
    held.shift()?.();
    await settled();
  }
  assert.deepEqual(island.done().undo, [
    "Add Do nothing",
    "Change the title of Do nothing (do_nothing)",
    "Add Do nothing",
    "Change the title of Do nothing (do_nothing_2)",
  ]);
  for (let each = 0; each < 4; each += 1) island.press("Control+z");
  assert.deepEqual(island.store.state().doc.nodes, {});
  for (let each = 0; each < 4; each += 1) island.press("Control+Shift+Z");
  assert.deepEqual(
    Object.entries(island.store.state().doc.nodes).map(([id, { title }]) => `${id} ${title}`),
    ["first First", "second Second"],
  );
});

test("a step that is added behind one whose id follows its title meanwhile is connected to it", async () => {
  const island = await open();
  const held = [];
  island.server.before = ({ url }) =>
    url.endsWith("/rename-step") ? new Promise((resolve) => held.push(resolve)) : undefined;
  island.press("o");
  await island.at("[data-first-step]");
  await add(island, "First");
  await until(() => held.length);
  [...island.page.querySelectorAll("button")].find((each) => each.textContent.trim() === "Add after").click();
  await island.at("[role=combobox]");
  // The list is open behind "do_nothing"; now it is called "first".
  held[0]();
  await until(() => island.store.state().doc.nodes.first);
  await island.search("Do nothing");
  island.press("Enter");
  await until(() => Object.keys(island.store.state().doc.nodes).length === 2);
  assert.deepEqual(Object.keys(island.store.state().doc.edges), ["first>do_nothing"]);
});

test("a step that is to be connected goes on where its id follows its title meanwhile", async () => {
  const island = await open();
  const held = [];
  island.server.before = ({ url }) =>
    url.endsWith("/rename-step") ? new Promise((resolve) => held.push(resolve)) : undefined;
  island.press("o");
  await island.at("[data-first-step]");
  await add(island, "First");
  await until(() => held.length);
  held.shift()();
  await until(() => island.store.state().doc.nodes.first);
  await add(island, "Second");
  await until(() => held.length);
  island.press("c");
  await island.at("[role=combobox]");
  // What is connected is "do_nothing"; now it is called "second".
  while (!island.store.state().doc.nodes.second) {
    held.shift()?.();
    await settled();
  }
  await until(() => island.page.querySelector("dialog").getAttribute("aria-label") === "Connect Second to a step");
  assert.doesNotMatch(island.page.querySelector("dialog").textContent, /does not exist/);
});

test("an id does not follow a title that was taken back while the server was asked", async () => {
  const island = await open();
  const held = [];
  island.server.before = ({ url }) =>
    url.endsWith("/rename-step") ? new Promise((resolve) => held.push(resolve)) : undefined;
  island.press("o");
  await island.at("[data-first-step]");
  await add(island, "First");
  await until(() => held.length);
  island.press("Control+z");
  held[0]();
  await settled(50);
  held[1]?.();
  await settled(50);
  assert.deepEqual(Object.keys(island.store.state().doc.nodes), ["do_nothing"]);
  assert.deepEqual(island.done(), { undo: ["Add Do nothing"], redo: ["Change the title of Do nothing (do_nothing)"] });
});
