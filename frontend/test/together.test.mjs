// Two people on one draft, a net that fails, and a server that takes not everything: nothing gets lost.
import assert from "node:assert/strict";
import test from "node:test";
import { open, settled, until } from "./island.mjs";

const TWO = {
  nodes: [
    { id: "first", type: "text.clean", title: "First" },
    { id: "second", type: "text.summarize", title: "Second" },
  ],
  edges: [{ from: "first", to: "second" }],
};
const opened = () => open(structuredClone(TWO));
const title = (id, from, to) => [{ path: ["nodes", id, "title"], from, to }];
const titles = (island) => Object.values(island.store.state().doc.nodes).map((node) => node.title);

/** What Eve does to the draft on another page. */
function eve(island, changes) {
  island.server.changed({
    revision: island.server.revision,
    groups: [{ id: `eve ${island.server.revision}`, label: "Hers", changes }],
  });
}

test("what two people do to different steps is merged", async () => {
  const island = await opened();
  eve(island, title("second", "Second", "Eve's"));
  island.store.act("Mine", title("first", "First", "Ann's"));
  await island.saved();
  assert.deepEqual(titles(island), ["Ann's", "Eve's"]);
  assert.deepEqual(
    island.server.definition.nodes.map((node) => node.title),
    ["Ann's", "Eve's"],
  );
  assert.deepEqual(island.store.state().conflicts, []);
});

for (const [choice, theirs] of [
  ["yours", "Ann's"],
  ["theirs", "Eve's"],
]) {
  test(`a field that both set keeps both values until ${choice} is chosen`, async () => {
    const island = await opened();
    eve(island, title("first", "First", "Eve's"));
    island.store.act("Mine", title("first", "First", "Ann's"));
    await until(() => island.store.state().conflicts.length);
    assert.deepEqual(titles(island), ["Eve's", "Second"]);
    const [conflict] = island.store.state().conflicts;
    assert.deepEqual([conflict.yours, conflict.theirs, conflict.by, conflict.label], ["Ann's", "Eve's", "eve", "Mine"]);
    const again = () => island.store.act("Mine", title("first", "Eve's", "Ann's"));
    island.sync.resolve(conflict, choice, again);
    await island.saved();
    assert.equal(island.server.definition.nodes[0].title, theirs);
    assert.deepEqual(island.store.state().conflicts, []);
  });
}

test("a step that is deleted while somebody writes in it is not lost", async () => {
  const island = await opened();
  eve(island, title("second", "Second", "She needs it"));
  const { doc } = island.store.state();
  island.store.act("Delete Second", [
    { path: ["edges", "first>second"], from: doc.edges["first>second"] },
    { path: ["nodes", "second"], from: doc.nodes.second },
  ]);
  await until(() => island.store.state().conflicts.length);
  assert.deepEqual(titles(island), ["First", "She needs it"]);
  assert.deepEqual(island.server.definition.edges, TWO.edges, "all of a group or nothing");
});

test("an undo takes back what one did oneself, and not what the other did", async () => {
  const island = await opened();
  island.store.act("Mine", title("first", "First", "Ann's"));
  await island.saved();
  eve(island, title("second", "Second", "Eve's"));
  await island.sync.send();
  await until(() => titles(island)[1] === "Eve's");
  island.store.undo();
  await island.saved();
  assert.deepEqual(titles(island), ["First", "Eve's"]);
  assert.deepEqual(
    island.server.definition.nodes.map((node) => node.title),
    ["First", "Eve's"],
  );
});

test("an undo of what somebody has changed meanwhile leaves it and says so", async () => {
  const island = await opened();
  island.store.act("Mine", title("first", "First", "Ann's"));
  await island.saved();
  eve(island, title("first", "Ann's", "Eve's"));
  await island.sync.send();
  island.store.undo();
  assert.deepEqual(titles(island), ["Eve's", "Second"]);
  assert.match(island.store.state().said.text, /Someone else has changed this since/);
});

test("what is done while nobody answers is kept, in the browser too, and sent when somebody does", async () => {
  const island = await opened();
  await settled(20);
  const { answer } = island.server;
  island.server.answer = () => [503, { error: { code: "busy", message: "The server is busy." } }];
  island.store.act("Mine", title("first", "First", "In a tunnel"));
  await until(() => island.store.state().save.kind === "offline");
  island.store.act("Mine too", title("second", "Second", "In it still"));
  assert.deepEqual(
    island.store.state().pending.map((group) => group.label),
    ["Lay out", "Mine", "Mine too"],
  );
  const kept = Object.values({ ...localStorage }).find((text) => text.includes("In it still"));
  assert.ok(kept, "they outlive the page");
  island.server.answer = answer;
  await island.sync.send();
  await island.saved();
  assert.deepEqual(
    island.server.definition.nodes.map((node) => node.title),
    ["In a tunnel", "In it still"],
  );
});

test("an answer that was lost doubles nothing", async () => {
  const island = await opened();
  const { answer } = island.server;
  let patches = 0;
  island.server.answer = function (request, body) {
    const given = answer.call(this, request, body);
    if (request.method !== "PATCH" || !body.groups.length) return given;
    patches += 1;
    return patches === 1 ? [503, { error: { message: "It was taken, but nobody heard of it." } }] : given;
  };
  island.store.act("Add", [{ path: ["nodes", "third"], to: { type: "noop" } }]);
  await until(() => patches >= 2);
  await island.saved();
  assert.deepEqual(
    island.server.definition.nodes.map((node) => node.id),
    ["first", "second", "third"],
  );
  assert.deepEqual(island.store.state().conflicts, []);
});

test("a text that can't be stored is put aside and keeps nothing else back", async () => {
  const island = await opened();
  const { answer } = island.server;
  island.server.answer = function (request, body) {
    const isBad = request.method === "PATCH" && JSON.stringify(body).includes("\\u0000");
    return isBad
      ? [400, { error: { code: "bad_value", message: "There is a NUL character in it." } }]
      : answer.call(this, request, body);
  };
  island.store.act("Bad", title("first", "First", "nul \u0000"));
  island.store.act("Good", title("second", "Second", "Good"));
  await until(() => island.server.definition.nodes[1].title === "Good");
  await island.saved();
  const [refused] = island.store.state().conflicts;
  assert.deepEqual([refused.label, refused.refused], ["Bad", "There is a NUL character in it."]);
  assert.deepEqual(titles(island), ["First", "Good"]);
});

test("who is logged out keeps what is done, and is told so", async () => {
  const island = await opened();
  const { answer } = island.server;
  island.server.answer = () => [401, { error: { code: "not_authenticated", message: "Log in." } }];
  island.store.act("Mine", title("first", "First", "Ann's"));
  const save = await until(() => island.store.state().save.kind === "offline" && island.store.state().save);
  assert.match(save.why, /You are logged out/);
  island.server.answer = answer;
  await island.sync.send();
  await island.saved();
  assert.equal(island.server.definition.nodes[0].title, "Ann's");
});
