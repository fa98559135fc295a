// Connections that meet another id of their step, checked against the vectors that the server's tests check, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { open, until } from "./island.mjs";
import { load, source } from "./load.mjs";

const vectors = JSON.parse(readFileSync(join(source, "../../tests/workflows/meanwhile_vectors.json"), "utf8"));
const [{ applyLate }, { apply, inverses }] = await load("model/meanwhile.ts", "model/changes.ts");
const ordered = (doc) => doc && { ...doc, nodes: Object.entries(doc.nodes), edges: Object.entries(doc.edges) };

for (const { name, known, others, changes, after } of vectors) {
  test(name, () => {
    const now = others.reduce((doc, group) => apply(doc, group), known);
    const made = applyLate(now, changes, known, now);
    assert.deepEqual(ordered(made.doc ?? null), ordered(after), JSON.stringify(made.misfit));
    if (after === null) return;
    assert.deepEqual(ordered(apply(now, made.changes)), ordered(after), "what was made is what was done");
    if (made.doc !== now)
      assert.deepEqual(ordered(apply(made.doc, inverses(made.changes))), ordered(now), "an undo leads back");
  });
}

const nodes = [
  { id: "first", type: "text.clean", title: "First" },
  { id: "second", type: "text.summarize", title: "Second" },
  { id: "third", type: "noop", title: "Third" },
];
const THREE = { nodes, edges: [{ from: "first", to: "second" }] };
const way = (from, to) => ({ path: ["edges", `${from}>${to}`], to: { from, to } });
const keyed = (island, definition) => island.document.keyed({ name: "ours", ...definition }, {});
const called = (id) => (id === "first" ? "begin" : id);

/** What gives the first step another id, as one knows the draft who has heard of nothing else. */
function renaming(island) {
  const edges = THREE.edges.map(({ from, to }) => ({ from: called(from), to: called(to) }));
  const next = { nodes: nodes.map((node) => ({ ...node, id: called(node.id) })), edges };
  return island.changes.diff(keyed(island, THREE), keyed(island, next));
}

/** Somebody else changes the draft as it is now. */
function eve(island, changes) {
  const { revision } = island.server;
  const { conflicts } = island.server.changed({
    revision,
    groups: [{ id: `eve ${revision}`, label: "Hers", changes }],
  });
  assert.deepEqual(conflicts, []);
}

async function opened() {
  const island = await open(structuredClone(THREE));
  await island.saved();
  return island;
}

const ways = (island) => island.server.definition.edges.map(({ from, to }) => `${from}>${to}`).toSorted();
const same = (island) => assert.deepEqual(Object.keys(island.store.state().doc.edges).toSorted(), ways(island));

test("a connection that is drawn while somebody else gives its step another id leads from there", async () => {
  const island = await opened();
  island.store.act("Connect", [way("first", "third")]);
  eve(island, renaming(island));
  await until(() => island.server.revision >= 3);
  await island.saved();
  assert.deepEqual(ways(island), ["begin>second", "begin>third"]);
  same(island);
  assert.deepEqual(island.store.state().conflicts, []);
  island.store.undo();
  await island.saved();
  assert.deepEqual(ways(island), ["begin>second"]);
});

test("a step that gets another id takes along what somebody else connects with it; an undo, what comes later", async () => {
  const island = await opened();
  island.store.act("Rename first to begin", renaming(island));
  eve(island, [way("first", "third")]);
  await until(() => island.server.revision >= 3);
  await island.saved();
  assert.deepEqual(ways(island), ["begin>second", "begin>third"]);
  same(island);
  eve(island, [way("second", "begin")]);
  await island.sync.send();
  await island.saved();
  island.store.undo();
  await island.saved();
  assert.deepEqual(ways(island), ["first>second", "first>third", "second>first"]);
  island.store.redo();
  await island.saved();
  assert.deepEqual(ways(island), ["begin>second", "begin>third", "second>begin"]);
  same(island);
});

for (const isDone of ["before", "while"])
  test(`what was done ${isDone} an answer came is no worse off`, async () => {
    const island = await opened();
    const meanwhile = () => island.store.act("Rename first to begin", renaming(island));
    if (isDone === "before") meanwhile();
    else {
      // The answer to one change tells of what somebody else did, while another one is done already.
      island.server.before = async (request) => {
        if (request.method !== "PATCH") return;
        island.server.before = async () => undefined;
        meanwhile();
      };
      island.store.act("Change the title", [{ path: ["settings", "title"], from: "Ours", to: "Mine" }]);
    }
    eve(island, [way("first", "third")]);
    await until(() => ways(island).includes("begin>third"));
    await island.saved();
    assert.deepEqual(ways(island), ["begin>second", "begin>third"]);
    same(island);
  });

for (const isDone of ["before", "while"])
  test(`a connection to a step that somebody deletes stands among the conflicts, drawn ${isDone} one hears of it`, async () => {
    const island = await opened();
    const meanwhile = () => island.store.act("Connect", [way("second", "third")]);
    if (isDone === "before") meanwhile();
    else {
      island.server.before = async (request) => {
        if (request.method !== "PATCH") return;
        island.server.before = async () => undefined;
        meanwhile();
      };
      island.store.act("Change the title", [{ path: ["settings", "title"], from: "Ours", to: "Mine" }]);
    }
    const { id: _id, ...third } = nodes[2];
    eve(island, [{ path: ["nodes", "third"], from: third }]);
    await until(() => island.store.state().conflicts.length === 1);
    await island.saved();
    assert.deepEqual(ways(island), ["first>second"]);
    same(island);
    const said = await until(() => island.page.querySelector(".conflicts")?.textContent);
    assert.match(said, /One change is of a step that someone else deleted/);
    assert.match(said, /\(the step is deleted\)/);
    assert.doesNotMatch(said, /also changed by someone else/);
    assert.match(island.store.state().said.text, /Someone else deleted the step/);
    island.sync.resolve(island.store.state().conflicts, "mine");
    assert.match(island.store.state().said.text, /gone/);
    island.sync.resolve(island.store.state().conflicts, "theirs");
    assert.deepEqual(island.store.state().conflicts, []);
  });

test("a step that is deleted while somebody connects it is asked about, and goes with the connection", async () => {
  const island = await opened();
  const { id: _id, ...third } = nodes[2];
  island.store.act("Delete", [{ path: ["nodes", "third"], from: third }]);
  eve(island, [way("second", "third")]);
  await until(() => island.store.state().conflicts.length === 1);
  assert.deepEqual(ways(island), ["first>second", "second>third"]);
  island.sync.resolve(island.store.state().conflicts, "mine");
  await until(() => island.server.definition.nodes.length === 2);
  await island.saved();
  assert.deepEqual(ways(island), ["first>second"]);
  same(island);
});
