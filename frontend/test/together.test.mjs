// Two people on one draft, a net that fails, and a server that takes not everything: nothing gets lost.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, until } from "./island.mjs";

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
  ["mine", "Ann's"],
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
    island.sync.resolve([conflict], choice);
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

/** What Ann does to the draft in another tab. */
function otherTab(island, changes) {
  eve(island, changes);
  const { changed } = island.server;
  island.server.changed = function (body) {
    const answer = changed.call(this, body);
    for (const conflict of answer.conflicts) conflict.by = "ann";
    return answer;
  };
}

test("two tabs of one person never ask: of one field the later write stays, of others both", async () => {
  const island = await opened();
  otherTab(island, [
    ...title("first", "First", "Other tab"),
    ...title("second", "Second", "Only there"),
    { path: ["nodes", "first", "params"], to: { strip_html: true } },
  ]);
  island.store.act("Here", title("first", "First", "Later"));
  await until(() => island.server.definition.nodes[0].title === "Later");
  await island.saved();
  assert.deepEqual(titles(island), ["Later", "Only there"]);
  assert.deepEqual(island.server.definition.nodes[0].params, { strip_html: true });
  assert.deepEqual(island.store.state().conflicts, []);
});

test("what two tabs of one person add under one id stays twice, and an undo takes back one's own", async () => {
  const island = await opened();
  const add = (title) => [
    { path: ["nodes", "third"], to: { type: "noop", title } },
    { path: ["edges", "second>third"], to: { from: "second", to: "third" } },
  ];
  otherTab(island, add("Theirs"));
  island.store.act("Add", add("Mine"));
  island.store.select({ nodes: ["third"] });
  await until(() => island.server.definition.nodes.length === 4);
  await island.saved();
  assert.deepEqual(titles(island), ["First", "Second", "Theirs", "Mine"]);
  assert.deepEqual(
    island.server.definition.edges.map(({ from, to }) => `${from}>${to}`),
    ["first>second", "second>third", "second>third_2"],
  );
  assert.deepEqual(island.store.state().selected.nodes, ["third_2"]);
  island.store.undo();
  await island.saved();
  assert.deepEqual(titles(island), ["First", "Second", "Theirs"]);
  assert.deepEqual(island.store.state().conflicts, []);
});

test("what is typed in a step that the same person deleted in another tab is told and asks nothing", async () => {
  const island = await opened();
  otherTab(island, [
    { path: ["edges", "first>second"], from: TWO.edges[0] },
    { path: ["nodes", "second"], from: { type: "text.summarize", title: "Second" } },
  ]);
  island.store.act("Change the title of Second", title("second", "Second", "Later"));
  await until(() => island.store.state().said.text.includes("You deleted it in another tab"));
  await island.saved();
  assert.deepEqual(titles(island), ["First"]);
  assert.deepEqual(island.store.state().conflicts, []);
});

test("what is typed in one field is sent as one change, and is one conflict", async () => {
  const island = await opened();
  const sent = [];
  const held = [];
  island.server.before = ({ method }, body) => {
    if (method !== "PATCH" || !body.groups.length) return undefined;
    // Hers comes while the first letters are on their way.
    if (sent.length === 0) eve(island, title("first", "First", "Eve's"));
    sent.push(...body.groups.filter((group) => group.label !== "Lay out"));
    return new Promise((go) => held.push(go));
  };
  island.store.select({ nodes: ["first"] });
  island.press("F2");
  await island.at("[data-title]");
  island.write("Mi");
  await until(() => held.length === 1);
  island.write("Mine at last");
  held.shift()();
  await until(() => held.length === 1);
  held.shift()();
  await until(() => island.store.state().conflicts.length && !island.store.state().pending.length);
  assert.equal(sent.length, 2, "one while the first was on its way, not one for each letter");
  const { conflicts } = island.store.state();
  assert.deepEqual(
    conflicts.map(({ yours, theirs }) => [yours, theirs]),
    [["Mine at last", "Eve's"]],
  );
  island.sync.resolve(conflicts, "mine");
  island.server.before = async () => undefined;
  await until(() => island.server.definition.nodes[0].title === "Mine at last");
});

test("conflicts are a list beside the canvas, settled one by one or all at once by keyboard alone", async () => {
  for (const [button, wanted] of [
    ["Keep all mine", ["A", "B"]],
    ["Take all theirs", ["Eve 1", "Eve 2"]],
  ]) {
    const island = await opened();
    eve(island, [...title("first", "First", "Eve 1"), ...title("second", "Second", "Eve 2")]);
    island.store.act("One", title("first", "First", "A"));
    island.store.act("Two", title("second", "Second", "B"));
    await until(() => island.store.state().conflicts.length === 2);
    const list = () => island.page.querySelector(".conflicts");
    await until(list);
    assert.equal(list().closest(".builder-bottom"), null);
    island.press("Shift+C");
    assert.equal((await island.at(".conflicts li button")).textContent, "Keep mine");
    island.press("Escape");
    await island.at("[data-conflicts]");
    await becomes(list, null);
    island.page.activeElement.click();
    await island.at(".conflicts li button");
    [...list().querySelectorAll("button")].find((each) => each.textContent === button).click();
    await until(() => !list());
    await island.saved();
    assert.deepEqual(titles(island), wanted);
  }
});

test("what can't be put in any more stays in the list, whatever is pressed, until theirs is taken", async () => {
  const island = await opened();
  eve(island, [
    { path: ["edges", "first>second"], from: TWO.edges[0] },
    { path: ["nodes", "second"], from: { type: "text.summarize", title: "Second" } },
  ]);
  island.store.act("Mine", title("second", "Second", "Ann's"));
  await until(() => island.store.state().conflicts.length);
  island.sync.resolve(island.store.state().conflicts, "mine");
  assert.match(island.store.state().said.text, /is gone/);
  assert.equal(island.store.state().conflicts[0].yours, "Ann's");
  island.sync.resolve(island.store.state().conflicts, "theirs");
  assert.deepEqual(island.store.state().conflicts, []);
});
