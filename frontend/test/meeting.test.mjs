// Somebody types in a field, or has not sent yet what was done, while somebody else sets the field or renames the step.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, until } from "./island.mjs";
import { load } from "./load.mjs";

const [{ renamed }, { keyed }] = await load("model/renames.ts", "model/document.ts");
const TWO = {
  nodes: [
    { id: "first", type: "text.clean", title: "First" },
    { id: "second", type: "text.summarize", title: "Second" },
  ],
  edges: [{ from: "first", to: "second" }],
};
const titles = (island) => Object.values(island.store.state().doc.nodes).map((node) => node.title);
const title = (id, from, to) => [{ path: ["nodes", id, "title"], from, to }];

/** A builder in which the title of the first step was just typed, and is saved. */
async function typed(text = "Mine") {
  const island = await open(structuredClone(TWO));
  island.store.select({ nodes: ["first"] });
  island.press("F2");
  await island.at("[data-title]");
  island.write(text);
  await island.saved();
  return island;
}

function eve(island, changes) {
  island.server.changed({
    revision: island.server.revision,
    groups: [{ id: `eve ${island.server.revision}`, label: "Hers", changes }],
  });
}

/** Another id for a step, as its form gives it: with its ways and its place. */
function renames(island, from, to, more = {}) {
  const { [from]: place, ...places } = island.server.layout.nodes ?? {};
  const called = (id) => (id === from ? to : id);
  island.server.definition = {
    ...island.server.definition,
    nodes: island.server.definition.nodes.map((node) => (node.id === from ? { ...node, ...more, id: to } : node)),
    edges: island.server.definition.edges.map((edge) => ({ ...edge, from: called(edge.from), to: called(edge.to) })),
  };
  if (place) island.server.layout = { ...island.server.layout, nodes: { ...places, [to]: place } };
  island.server.revision += 1;
}

const shown = (island) => island.page.querySelector("[data-title]").value;

test("what is typed stays in its field when a poll brings another's value, which stands among the conflicts", async () => {
  const island = await typed("Mine");
  eve(island, title("first", "Mine", "Eve's"));
  await island.sync.send();
  await until(() => island.store.state().conflicts.length === 1 && !island.store.state().pending.length);
  assert.equal(shown(island), "Mine");
  await island.at("[data-title]");
  island.put("Mine at last");
  await until(() => island.store.state().conflicts[0].yours === "Mine at last");
  assert.equal(shown(island), "Mine at last");
  assert.equal(island.server.definition.nodes[0].title, "Eve's", "the first one stands");
  const said = island.store.state().said.count;
  island.put("Mine after all");
  await until(() => island.store.state().conflicts[0].yours === "Mine after all");
  assert.equal(island.store.state().said.count, said, "who types on is told once");
  island.page.activeElement.blur();
  await becomes(() => titles(island), ["Eve's", "Second"], "a field that is left shows what the draft has");
  const [conflict] = island.store.state().conflicts;
  assert.deepEqual([conflict.theirs, conflict.by], ["Eve's", "eve"]);
  island.sync.resolve([conflict], "mine");
  await until(() => island.server.definition.nodes[0].title === "Mine after all");
});

test("a value of another that comes while nothing was typed is shown at once", async () => {
  const island = await open(structuredClone(TWO));
  island.store.select({ nodes: ["first"] });
  island.press("F2");
  await island.at("[data-title]");
  eve(island, title("first", "First", "Eve's"));
  await island.sync.send();
  await until(() => shown(island) === "Eve's");
  assert.deepEqual(island.store.state().conflicts, []);
});

test("what is typed in a note stays in it while somebody else writes there, and goes with a note that is deleted", async () => {
  const note = { x: 0, y: 200, w: 220, h: 120, text: "", color: "yellow" };
  const island = await open(structuredClone(TWO), { layout: { notes: { note } } });
  const field = await until(() => island.page.querySelector(".note-card textarea"));
  field.focus();
  island.write("Mine");
  await island.saved();
  eve(island, [{ path: ["layout", "notes", "note", "text"], from: "Mine", to: "Eve's" }]);
  await island.sync.send();
  await until(() => island.store.state().conflicts.length === 1);
  assert.equal(island.page.querySelector(".note-card textarea").value, "Mine");
  eve(island, [{ path: ["layout", "notes", "note"], from: { ...note, text: "Eve's" } }]);
  await island.sync.send();
  await until(() => !island.page.querySelector(".note-card"));
  assert.equal(island.store.state().doc.layout.notes?.note, undefined);
});

test("a conflict is settled in one's own way while the field still has the focus", async () => {
  const island = await typed("Mine");
  eve(island, title("first", "Mine", "Eve's"));
  await island.sync.send();
  await until(() => island.store.state().conflicts.length === 1);
  island.sync.resolve(island.store.state().conflicts, "mine");
  await until(() => island.server.definition.nodes[0].title === "Mine");
});

for (const who of ["eve", "ann"]) {
  test(`what is not sent yet goes on in a step that ${who} gave another id meanwhile`, async () => {
    const island = await open(structuredClone(TWO));
    const { changed } = island.server;
    island.server.changed = function (body) {
      const answer = changed.call(this, body);
      for (const conflict of answer.conflicts) conflict.by = who;
      return answer;
    };
    island.store.select({ nodes: ["first"] });
    island.store.act("Change the title", title("first", "First", "Later"));
    renames(island, "first", "start");
    await until(() => island.server.definition.nodes[0].title === "Later");
    await island.saved();
    assert.deepEqual(Object.keys(island.store.state().doc.nodes), ["start", "second"]);
    assert.deepEqual(Object.keys(island.store.state().doc.edges), ["start>second"]);
    assert.deepEqual(island.store.state().selected.nodes, ["start"]);
    assert.deepEqual(island.store.state().conflicts, []);
    island.store.undo();
    await island.saved();
    assert.equal(island.server.definition.nodes[0].title, "First");
  });
}

test("who types in a step goes on in it when somebody else gives it another id", async () => {
  const island = await typed("Mine");
  renames(island, "first", "start");
  await island.sync.send();
  await until(() => island.page.querySelector(".insp-id code").textContent === "start");
  await island.at("[data-title]");
  island.put("Mine too");
  await island.saved();
  assert.equal(island.server.definition.nodes[0].title, "Mine too");
  assert.deepEqual(island.store.state().conflicts, []);
});

test("a step is known again under another id by what it is, or by its type and its place", () => {
  const doc = (nodes, places = {}) => keyed({ name: "flow", nodes, edges: [] }, { nodes: places });
  const clean = { type: "text.clean", title: "Clean it" };
  const noop = { type: "noop" };
  for (const [was, now, ids, places = [{}, {}]] of [
    [{ a: clean, b: noop }, { c: clean, b: noop }, { a: "c" }],
    [{ a: clean, b: noop }, { b: clean, a: noop }, {}],
    [
      { a: clean, b: noop },
      { x: clean, y: noop },
      { a: "x", b: "y" },
    ],
    [{ a: { ...clean, params: { n: "a" } } }, { b: { ...clean, params: { n: "b" } } }, { a: "b" }],
    [{ a: clean }, { b: noop }, {}],
    [{ a: noop, b: noop }, { c: noop, d: noop }, {}],
    [{ a: clean }, { b: { ...clean, title: "Tidy" } }, {}],
    [{ a: clean }, { b: { ...clean, title: "Tidy" } }, { a: "b" }, [{ a: { x: 1, y: 2 } }, { b: { x: 1, y: 2 } }]],
    [{ a: clean }, {}, {}],
  ]) {
    const steps = (all, at) =>
      doc(
        Object.entries(all).map(([id, body]) => ({ id, ...body })),
        at,
      );
    const found = renamed(steps(was, places[0]), steps(now, places[1]));
    assert.deepEqual(Object.fromEntries(found), ids, JSON.stringify([was, now]));
  }
});
