// Who publishes is told before what comes of it: differences, open runs, test cases.
import assert from "node:assert/strict";
import test from "node:test";
import { open, says, until } from "./island.mjs";

const BEFORE = {
  name: "ours",
  nodes: [
    { id: "first", type: "noop", title: "First" },
    { id: "second", type: "wait", title: "Second", params: { seconds: 60 } },
  ],
  edges: [{ from: "first", to: "second" }],
};
const NOW = {
  nodes: [
    { id: "second", type: "wait", title: "Second", params: { seconds: 120 } },
    { id: "third", type: "noop", title: "Third" },
  ],
};

async function publishing({ cases = [], versions = [], latest = 2, isDown = false }) {
  const island = await open(structuredClone(NOW), { latest });
  const { answer } = island.server;
  island.server.answer = function (request, body) {
    const { url } = request;
    if (isDown && /versions|test-cases/.test(url)) return [503, { error: { message: "The server is busy." } }];
    if (url.endsWith("/versions/2")) return [200, { version: 2, definition: BEFORE, layout: {} }];
    if (url.includes("/versions?")) return [200, { results: versions }];
    if (url.includes("/test-cases?")) return [200, { results: cases }];
    if (url.endsWith("/test-cases/run")) return [200, { results: cases }];
    return answer.call(this, request, body);
  };
  island.press("Shift+P");
  const said = () => [...island.page.querySelectorAll(".consequences dd")].map((each) => each.textContent);
  await until(() => said().length && !said().some((each) => each.includes("…")));
  return { island, said: said() };
}

test("steps that are added, changed and removed are told, and fields with both values", async () => {
  const { island, said } = await publishing({});
  for (const words of ["1 step added", "1 step changed", "1 step removed", "1 connection removed", "since version 2"])
    assert.ok(said[0].includes(words), `${words}: ${said[0]}`);
  const rows = [...island.page.querySelectorAll(".publish-dialog .differences tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  assert.ok(
    rows.some(([where, was, is]) => /Second.*seconds/.test(where) && was === "60" && is === "120"),
    JSON.stringify(rows),
  );
});

test("open runs are counted by version, with what becomes of them", async () => {
  const versions = [
    { version: 2, open_runs: 3 },
    { version: 1, open_runs: 4 },
  ];
  const { said } = await publishing({ versions });
  assert.equal(
    said[1],
    "7 runs are in progress: 3 on version 2, 4 on version 1. They stay on their version to the end.",
  );
});

test("test cases are run and counted", async () => {
  const [passes, fails] = [true, false].map((passed, id) => ({ id, passed, status: "COMPLETED", differences: [] }));
  assert.equal((await publishing({})).said[2], "There are none.");
  assert.equal((await publishing({ cases: [passes] })).said[2], "The only test case passes.");
  assert.equal((await publishing({ cases: [passes, fails] })).said[2], "1 of 2 fail.");
});

test("the first version has nothing to be compared with, and a server that is away is told", async () => {
  assert.equal((await publishing({ latest: null })).said[0], "This is the first version.");
  const { said } = await publishing({ isDown: true });
  assert.match(said[0], /can't be compared/);
  assert.match(said[1], /can't be counted/);
  assert.match(said[2], /can't be run/);
});

test("the note has the focus, also where a problem stands against publishing", async () => {
  const island = await open(structuredClone(NOW));
  island.judged([{ code: "required", severity: "error", node: "third", field: "nodes[1]", message: "It is needed." }]);
  island.press("Shift+P");
  await until(() => island.page.querySelector(".publish-dialog"));
  assert.equal((await island.at(".publish-dialog input")).maxLength, 2000);
  await says(() => island.page.querySelector(".publish-dialog").textContent, /One problem stands against it/);
});
