// Who else is here, and what is said of steps: in words, in threads, and mentions that are being written.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, says, until } from "./island.mjs";
import { load } from "./load.mjs";

const [people, talk, commands, { idFor }, { paste }] = await load(
  "model/people.ts",
  "model/talk.ts",
  "model/commands.ts",
  "inspector/rename.ts",
  "model/clips.ts",
);
const anna = { username: "anna", name: "Anna Weber", may_edit: true, steps: ["a", "b"] };
const jonas = { username: "jonas", name: "Jonas Meier", may_edit: false, steps: ["b"] };

test("who is here is said in one sentence, and who only reads is said to", () => {
  assert.equal(people.hereInWords([]), "");
  assert.equal(people.hereInWords([anna]), "Anna Weber is here too");
  assert.equal(people.hereInWords([anna, jonas]), "Anna Weber, Jonas Meier (reading) are here too");
  assert.equal(people.nameOf({ username: "bo", name: "" }), "bo");
});

test("initials are of the first and the last name, whatever it is written in", () => {
  const found = ["Anna Weber", "anna", "Jean-Luc van Damme", "b.ob", "李 小龙", "🙂 x", "", "  "].map(people.initials);
  assert.deepEqual(found, ["AW", "A", "JD", "BO", "李小", "🙂X", "?", "?"]);
});

test("somebody has the same colour everywhere, however the name is written", () => {
  assert.equal(people.colourOf("Anna"), people.colourOf("anna"));
  const all = new Set([..."abcdefghijklmnop"].map(people.colourOf));
  assert.equal(all.size, people.COLOURS);
});

test("people stand at the steps that they have selected", () => {
  const at = people.byStep([anna, jonas]);
  assert.deepEqual(
    [...at].map(([step, here]) => [step, here.map((one) => one.username)]),
    [
      ["a", ["anna"]],
      ["b", ["anna", "jonas"]],
    ],
  );
});

const said = (id, thread, more = {}) => ({ id, thread, step: "a", text: "x", by: "anna", resolved_at: null, ...more });

test("comments are threads, the oldest comment first, the thread of the newest one first", () => {
  const threads = talk.threadsOf([said(3, 1), said(2, 2, { resolved_at: "2027-01-31T09:00:00Z" }), said(1, 1)]);
  assert.deepEqual(
    threads.map(({ id, isResolved, comments }) => [id, isResolved, comments.map((each) => each.id)]),
    [
      [1, false, [1, 3]],
      [2, true, [2]],
    ],
  );
});

test("open are those whose thread is not resolved", () => {
  const counts = talk.openCounts([said(1, 1), said(2, 1), said(3, 2, { step: "b" }), said(4, 3, { resolved_at: "x" })]);
  assert.deepEqual(
    [...counts],
    [
      ["a", 2],
      ["b", 1],
    ],
  );
});

test("a new step gets no id under which something was said of one that is gone", () => {
  const doc = { nodes: {}, edges: {}, settings: {}, layout: {} };
  const catalogue = { noop: { title: "Wait here" } };
  const id = (comments) => commands.addStep(doc, catalogue, "noop", {}, talk.spokenOf(comments)).select[0];
  assert.equal(id([]), "wait_here");
  assert.equal(
    id([said(1, 1, { step: "wait_here" }), said(2, 2, { step: "wait_here_2", resolved_at: "x" })]),
    "wait_here_3",
  );
  const clip = { handoff: 1, nodes: { a: { type: "noop" } }, edges: [], places: {}, notes: [] };
  assert.deepEqual(paste(doc, clip, { x: 0, y: 0 }, talk.spokenOf([said(1, 1)])).select, ["a_2"]);
  const titled = { ...doc, nodes: { noop: { type: "noop", title: "Ask" } } };
  assert.equal(idFor(titled, "noop", "Noop", "Ask", "Noop", [], { ask: true }), "ask_2");
});

test("open and resolved are counted in comments, as at the steps", () => {
  const all = [said(1, 1), said(2, 1), said(3, 2, { resolved_at: "x" })];
  assert.deepEqual(talk.tally(all), { open: 2, resolved: 1 });
});

test("a mention is being written after an @ that is part of no address", () => {
  const typed = (text) => talk.mentionAt(text, text.length)?.typed ?? null;
  assert.equal(typed("@"), "");
  assert.equal(typed("Ask @jo"), "jo");
  assert.equal(typed("(@jo.m"), "jo.m");
  for (const text of ["", "jo", "me@example", "a@", "@jo ", "@jo,"]) assert.equal(typed(text), null, text);
  assert.deepEqual(talk.withMention("Ask @jo now", 7, "jonas"), { text: "Ask @jonas now", caret: 11 });
});

test("mentions stand out in a text, addresses don't", () => {
  const mentions = (text) => talk.pieces(text).flatMap((piece) => (piece.isMention ? [piece.text] : []));
  assert.deepEqual(mentions("@jonas and me@example.org, @anna"), ["@jonas", "@anna"]);
  const text = "a @b\nc";
  assert.equal(
    talk
      .pieces(text)
      .map((piece) => piece.text)
      .join(""),
    text,
  );
});

test("others are seen, comments come when their number rises, and a server that tells of nobody stops nothing", async () => {
  const island = await open({ nodes: [{ id: "a", type: "noop", title: "First" }] });
  const { server, store, page } = island;
  const plain = server.answer.bind(server);
  let [number, comments, asked] = [0, [], 0];
  server.answer = (request, body) => {
    if (request.url.endsWith("/presence"))
      return [200, { revision: server.revision, comments: number, people: [{ ...anna, steps: ["a"] }] }];
    if (request.url.includes("/comments")) {
      asked += 1;
      return [200, { results: comments, next: null }];
    }
    return plain(request, body);
  };
  store.select({ nodes: ["a"] });
  await until(() => page.querySelector(".here [role=status]").textContent === "Anna Weber is here too");
  await becomes(() => page.querySelector("[role=treeitem] .at-step .avatar").textContent, "AW");
  await says(() => page.querySelector("[role=treeitem]").textContent, /, Anna Weber here/);
  const card = await until(() => page.querySelector(".react-flow__node"));
  await becomes(() => card.querySelector(".at-step .avatar").textContent, "AW");
  await becomes(() => card.getAttribute("aria-label"), "First, Do nothing, Anna Weber here");
  await until(() => asked === 1);
  comments = [said(1, 1, { by_name: "Anna Weber", at: "2027-01-31T09:00:00Z", text: "<b>Why?</b>" })];
  number = 1;
  store.select({});
  store.select({ nodes: ["a"] });
  await until(() => page.querySelector("[role=treeitem] .outline-comments"));
  island.page.querySelector("[role=treeitem]").focus();
  island.press("m");
  await until(() => page.querySelector(".said-text")?.textContent === "<b>Why?</b>");
  server.answer = plain;
  store.select({});
  await until(() => page.querySelector(".here [role=status]").textContent === "");
});

test("a comment that is being written outlives a look at another step, and one that is refused comes back", async () => {
  const nodes = ["a", "b"].map((id) => ({ id, type: "noop", title: id }));
  const { server, store, page, press, put } = await open({ nodes });
  const plain = server.answer.bind(server);
  let [sent, free] = [null, null];
  server.before = async ({ method, url }) => {
    if (method === "POST" && url.endsWith("/comments")) await new Promise((resolve) => (free = resolve));
  };
  server.answer = (request, body) => {
    if (!request.url.endsWith("/comments") || request.method !== "POST") return plain(request, body);
    sent = body;
    return [409, { error: { code: "thread_full", message: "A thread has at most 200 comments." } }];
  };
  const field = () => until(() => page.querySelector(".compose textarea"));
  store.select({ nodes: ["a"] });
  page.querySelector("[role=treeitem]").focus();
  press("m");
  (await field()).focus();
  put("Not yet");
  store.select({ nodes: ["b"] });
  await until(() => !page.querySelector(".compose"));
  store.select({ nodes: ["a"] });
  store.wantFocus("comments");
  await until(async () => (await field()).value === "Not yet");
  (await field()).focus();
  press("Control+Enter");
  await until(async () => (await field()).value === "" && free);
  (await field()).focus();
  put("More");
  free();
  await until(async () => (await field()).value === "Not yet\nMore");
  assert.deepEqual(sent, { step: "a", text: "Not yet" });
  assert.match(store.state().said.text, /at most 200/);
});

test("who may only read is led to what is said by M", async () => {
  const island = await open({ nodes: [{ id: "a", type: "noop", title: "A" }] }, { may_write: false });
  island.store.set({ comments: [said(1, 1, { by_name: "Anna", at: "2027-01-31T09:00:00Z" })] });
  island.store.select({ nodes: ["a"] });
  island.page.querySelector("[role=treeitem]").focus();
  island.press("m");
  const heading = await island.at("summary");
  await says(() => heading.textContent, /^Comments \(1\)/);
  await until(() => island.page.querySelector(".inspector .said-text"));
  assert.equal(island.page.querySelector(".compose"), null);
});
