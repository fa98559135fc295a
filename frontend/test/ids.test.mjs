// Two people give steps other ids, neither knowing of the other: no step is there twice, and none gets lost.
import assert from "node:assert/strict";
import test from "node:test";
import { open, until } from "./island.mjs";
import { load } from "./load.mjs";

const [{ apply, applyWhatFits, diff, inverses }, { keyed }] = await load("model/changes.ts", "model/document.ts");
const flow = (nodes, edges) => ({ nodes, edges: edges.map(([from, to]) => ({ from, to })) });
const nodes = [
  { id: "first", type: "text.clean", title: "First" },
  { id: "second", type: "text.summarize", title: "Second" },
  { id: "third", type: "noop" },
];
const TWO = flow(nodes.slice(0, 2), [["first", "second"]]);
const documentOf = (definition) => keyed({ name: "ours", ...definition }, {});
const THREE = documentOf(
  flow(nodes, [
    ["first", "second"],
    ["second", "third"],
  ]),
);

/** What it takes to give a step another id, and another title before that. */
function renaming(doc, from, to, title) {
  const titled = title ? [{ path: ["nodes", from, "title"], from: doc.nodes[from].title, to: title }] : [];
  const before = apply(doc, titled);
  const called = (id) => (id === from ? to : id);
  const list = Object.entries(before.nodes).map(([id, body]) => ({ id: called(id), ...body }));
  const ways = Object.values(before.edges).map((edge) => [called(edge.from), called(edge.to)]);
  const places = Object.fromEntries(Object.entries(doc.layout.nodes ?? {}).map(([id, place]) => [called(id), place]));
  const layout = doc.layout.nodes ? { nodes: places } : {};
  return [titled, diff(before, { ...documentOf(flow(list, ways)), layout })].filter(({ length }) => length);
}

const DONE = {
  "calls the first a": renaming(THREE, "first", "a"),
  "calls the first b": renaming(THREE, "first", "b"),
  "calls the first b, and gives it that title": renaming(THREE, "first", "b", "B"),
  "calls the second s": renaming(THREE, "second", "s"),
  "calls the second t, and gives it that title": renaming(THREE, "second", "t", "T"),
};

for (const [one, ones] of Object.entries(DONE))
  for (const [other, others] of Object.entries(DONE))
    test(`somebody ${one} while somebody else ${other}`, () => {
      const made = [...ones, ...others].reduce((doc, changes) => apply(doc, changes) ?? doc, THREE);
      const fitted = [...ones, ...others].reduce((doc, changes) => applyWhatFits(doc, changes).doc, THREE);
      for (const doc of [made, fitted]) {
        assert.equal(Object.keys(doc.nodes).length, 3, Object.keys(doc.nodes).join());
        assert.equal(Object.keys(doc.edges).length, 2, Object.keys(doc.edges).join());
        for (const { from, to } of Object.values(doc.edges)) assert.ok(doc.nodes[from] && doc.nodes[to]);
      }
    });

test("an id that is given twice, as where an answer got lost, is given once", () => {
  const [changes] = DONE["calls the first a"];
  const made = apply(THREE, changes);
  assert.deepEqual(apply(made, changes), made);
});

test("an undo of another id leaves all as it is where somebody changed the step meanwhile, or its old id is taken", () => {
  const [renamed] = DONE["calls the first a"];
  const changes = [...renamed, { path: ["nodes", "second", "params"], to: { text: "{{ steps.a.output }}" } }];
  const named = apply(THREE, changes);
  for (const change of [
    { path: ["nodes", "a", "params"], to: { strip_html: true } },
    { path: ["nodes", "first"], to: { type: "noop" } },
  ]) {
    const now = apply(named, [change]);
    assert.deepEqual(applyWhatFits(now, inverses(changes)).doc, now);
  }
});

test("a step that both gave a title and an id, one of them offline, is there once for both and for the server", async () => {
  const island = await open(structuredClone(TWO));
  const { answer } = island.server;
  const title = (from, to) => [{ path: ["nodes", "first", "title"], from, to }];
  const there = () => island.server.rules.keyed(island.server.definition, island.server.layout);
  const hers = (changes) =>
    island.server.changed({
      revision: island.server.revision,
      groups: [{ id: `eve ${island.server.revision}`, label: "Hers", changes }],
    });
  island.server.answer = () => [503, { error: { code: "busy", message: "The server is busy." } }];
  island.store.act("Mine", title("First", "Mine"));
  await until(() => island.store.state().save.kind === "offline");
  hers(title("First", "Eve's"));
  island.server.answer = answer;
  await island.sync.send();
  await until(() => island.store.state().conflicts.length);
  // Her id comes while what was chosen here, and the id that follows from it, are on their way.
  for (const changes of renaming(there(), "first", "eve_s")) hers(changes);
  island.sync.resolve(island.store.state().conflicts, "mine");
  for (const changes of renaming(island.store.state().doc, "first", "mine")) island.store.act("Rename", changes);
  await island.saved();
  assert.deepEqual(island.server.definition.nodes, [{ ...TWO.nodes[0], id: "mine", title: "Mine" }, TWO.nodes[1]]);
  assert.deepEqual(island.server.definition.edges, [{ from: "mine", to: "second" }]);
  assert.deepEqual(island.store.state().doc, there());
  assert.deepEqual(island.store.state().conflicts, []);
});

for (const [choice, there] of [
  ["mine", ["mine", "second"]],
  ["theirs", ["second"]],
])
  test(`a step that is deleted while it gets another id is asked about: ${choice}`, async () => {
    const island = await open(structuredClone(TWO));
    const { doc } = island.store.state();
    const changes = [
      { path: ["edges", "first>second"], from: doc.edges["first>second"] },
      { path: ["nodes", "first"], from: doc.nodes.first },
    ];
    island.server.changed({ revision: 1, groups: [{ id: "hers", label: "Hers", changes }] });
    for (const mine of renaming(doc, "first", "mine")) island.store.act("Rename", mine);
    await until(() => island.store.state().conflicts.length === 1);
    island.sync.resolve(island.store.state().conflicts, choice);
    await island.saved();
    assert.deepEqual(island.server.definition.nodes.map(({ id }) => id).toSorted(), there);
    assert.equal(island.server.definition.edges.length, there.length - 1);
    assert.deepEqual(island.store.state().conflicts, []);
  });
