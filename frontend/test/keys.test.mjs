// What keys do to a chain of three steps: each is one act, which one undo takes back.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, settled, until } from "./island.mjs";

const CHAIN = {
  nodes: ["first", "second", "third"].map((id) => ({ id, type: "noop", title: id })),
  edges: [
    { from: "first", to: "second" },
    { from: "second", to: "third" },
  ],
};
const opened = (boot) =>
  open(structuredClone(CHAIN), {
    layout: { nodes: { first: { x: 0, y: 0 }, second: { x: 300, y: 0 }, third: { x: 600, y: 0 } } },
    ...boot,
  });
const ids = (island) => Object.keys(island.store.state().doc.nodes);
const ways = (island) => Object.values(island.store.state().doc.edges).map(({ from, to }) => `${from}>${to}`);

/** Presses a key, then undoes what it did; gives what was seen in between. */
async function pressed(island, key, seen) {
  const before = island.store.state();
  island.press(key);
  await becomes(() => island.store.state().undo.length, before.undo.length + 1, "one act");
  const between = seen(island);
  island.press("Control+z");
  assert.deepEqual(island.document.definitionOf(island.store.state().doc), island.document.definitionOf(before.doc));
  assert.deepEqual(island.store.state().doc.layout.notes ?? {}, before.doc.layout.notes ?? {});
  assert.deepEqual(island.store.state().doc.layout.groups ?? {}, before.doc.layout.groups ?? {});
  return between;
}

for (const [key, left, around] of [
  ["Delete", ["first", "third"], []],
  ["Backspace", ["first", "third"], []],
  ["Control+Delete", ["first", "third"], ["first>third"]],
]) {
  test(`${key} deletes the selected step${around.length ? " and connects what stood around it" : ""}`, async () => {
    const island = await opened();
    island.store.select({ nodes: ["second"] });
    const seen = await pressed(island, key, () => [ids(island), ways(island), island.store.state().selected.nodes]);
    assert.deepEqual(seen, [left, around, ["first"]]);
  });
}

test("everything is selected, duplicated, grouped and noted, each by a key and each one act", async () => {
  const island = await opened();
  island.press("Control+a");
  assert.deepEqual(island.store.state().selected.nodes, ["first", "second", "third"]);
  assert.equal((await pressed(island, "Control+d", ids)).length, 6);
  island.store.select({ nodes: ["first", "second"] });
  assert.deepEqual(
    await pressed(island, "g", () => Object.values(island.store.state().doc.layout.groups).map((group) => group.nodes)),
    [["first", "second"]],
  );
  assert.equal((await pressed(island, "n", () => Object.keys(island.store.state().doc.layout.notes))).length, 1);
});

test("arrows select what comes before and after", async () => {
  const island = await opened();
  island.store.select({ nodes: ["second"] });
  island.press("Shift+ArrowRight");
  assert.deepEqual(island.store.state().selected.nodes.toSorted(), ["second", "third"]);
  island.store.select({ nodes: ["second"] });
  island.press("Shift+ArrowLeft");
  assert.deepEqual(island.store.state().selected.nodes.toSorted(), ["first", "second"]);
  island.press("Escape");
  assert.deepEqual(island.store.state().selected.nodes, []);
});

test("the search for a step adds it behind the selected one, before it, or on the selected way", async () => {
  for (const [select, key, wanted] of [
    [{ nodes: ["first"] }, "a", ["first>second", "second>third", "first>do_nothing"]],
    [{ nodes: ["first"] }, "/", ["first>second", "second>third", "first>do_nothing"]],
    [{ nodes: ["second"] }, "i", ["first>do_nothing", "do_nothing>second", "second>third"]],
    [{ edges: ["second>third"] }, "a", ["first>second", "second>do_nothing", "do_nothing>third"]],
  ]) {
    const island = await opened();
    island.store.select(select);
    island.press(key);
    await island.search("Do nothing");
    island.press("Enter");
    await becomes(() => ways(island).toSorted(), wanted.toSorted(), JSON.stringify([select, key]));
    assert.deepEqual(island.store.state().selected.nodes, ["do_nothing"]);
  }
});

for (const [from, to, why] of [
  ["third", "first", "That would create a cycle: first comes before third."],
  ["first", "second", "first is already connected to second."],
]) {
  test(`${from} is not connected with ${to}: ${why}`, async () => {
    const island = await opened();
    island.store.select({ nodes: [from] });
    island.press("c");
    await island.search(to);
    island.press("Enter");
    await until(() => island.page.body.textContent.includes(why));
    assert.deepEqual(ways(island), ["first>second", "second>third"]);
    assert.deepEqual(island.done().undo, []);
  });
}

test("the outline goes by arrows, Home and End, and moves nothing while one is at its end", async () => {
  const island = await opened();
  island.press("o");
  await island.at("[data-node=first]");
  for (const [key, id] of [
    ["End", "third"],
    ["ArrowUp", "second"],
    ["Home", "first"],
    ["ArrowUp", "first"],
    ["ArrowDown", "second"],
  ]) {
    island.press(key);
    await island.at(`[data-node=${id}]`);
    assert.deepEqual(island.store.state().selected.nodes, [id]);
  }
});

test("who may only look changes nothing by any key", async () => {
  const island = await opened({ may_write: false, may_publish: false });
  assert.equal(island.page.querySelector(".save-state").textContent, "View only");
  const before = island.document.definitionOf(island.store.state().doc);
  island.store.select({ nodes: ["second"] });
  for (const { keys } of island.keys.KEYS) {
    for (const key of keys) {
      island.press(key.replace("Ctrl", "Control"));
      await settled(0);
      assert.deepEqual(
        [island.store.state().adding, island.store.state().connecting, island.store.state().publishing],
        [null, null, false],
        key,
      );
    }
  }
  assert.deepEqual(island.document.definitionOf(island.store.state().doc), before);
  assert.equal(island.store.state().pending.length, 0);
});

test("keys that somebody types in a field are letters, not commands", async () => {
  const island = await opened();
  island.store.select({ nodes: ["second"] });
  island.press("F2");
  await island.at("[data-title]");
  for (const key of ["a", "c", "n", "g", "Delete", "Control+z", "Control+a", "Control+d"]) island.press(key);
  assert.deepEqual(
    [island.store.state().adding, island.store.state().connecting, ids(island), island.done().undo],
    [null, null, ["first", "second", "third"], []],
  );
});
