// Who publishes is told before whether it is ready, and what comes of it: findings with presses, differences, test cases.
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

async function publishing({ cases = [], latest = 2, isDown = false, findings = [], nodes = NOW.nodes, answers = {} }) {
  const island = await open(structuredClone({ ...NOW, nodes }), { latest });
  const { answer } = island.server;
  const sent = [];
  island.server.answer = function (request, body) {
    const { url } = request;
    if (isDown && /versions|test-cases/.test(url)) return [503, { error: { message: "The server is busy." } }];
    if (url.endsWith("/versions/2")) return [200, { version: 2, definition: BEFORE, layout: {} }];
    if (request.method !== "GET" && answers[url]) {
      sent.push([request.method, url, body]);
      return answers[url](body);
    }
    if (isDown && url.endsWith("/readiness")) return [503, { error: { message: "The server is busy." } }];
    if (url.endsWith("/readiness")) {
      const known = typeof findings === "function" ? findings(island) : findings;
      const ready = known.every(({ severity }) => severity !== "error");
      return [200, { revision: this.revision, version: 3, ready, findings: known }];
    }
    if (url.includes("/test-cases?")) return [200, { results: cases }];
    if (url.endsWith("/test-cases/run")) return [200, { results: cases }];
    return answer.call(this, request, body);
  };
  island.press("Shift+P");
  const said = () => [...island.page.querySelectorAll(".consequences dd")].map((each) => each.textContent);
  await until(() => said().length && !said().some((each) => each.includes("…")));
  await says(() => island.page.querySelector(".publish-dialog [role=status]")?.textContent, /eady/);
  const presses = () => [...island.page.querySelectorAll(".readiness button, .readiness a")];
  const pressed = (label) => presses().find(({ textContent }) => textContent.startsWith(label));
  return { island, said: said(), sent, presses, pressed };
}

const MEND = { kind: "field", title: "Show it", path: null, method: null, choices: [], after_publish: false };
function finding(code, more = {}, mend = {}) {
  return {
    code,
    severity: "warning",
    node: null,
    field: "",
    message: "It is so.",
    fix: null,
    validates: false,
    ...more,
    mend: { ...MEND, allowed: true, people: [], ...mend },
  };
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

test("test cases are run and counted", async () => {
  const [passes, fails] = [true, false].map((passed, id) => ({ id, passed, status: "COMPLETED", differences: [] }));
  assert.equal((await publishing({})).said[1], "There are none.");
  assert.equal((await publishing({ cases: [passes] })).said[1], "The only test case passes.");
  assert.equal((await publishing({ cases: [passes, fails] })).said[1], "1 of 2 fail.");
});

test("the first version has nothing to be compared with, and a server that is away is told", async () => {
  assert.equal((await publishing({ latest: null })).said[0], "This is the first version.");
  const { said } = await publishing({ isDown: true });
  assert.match(said[0], /can't be compared/);
  assert.match(said[1], /can't be run/);
});

test("the note has the focus, also where a problem stands against publishing", async () => {
  const island = await open(structuredClone(NOW));
  island.judged([{ code: "required", severity: "error", node: "third", field: "nodes[1]", message: "It is needed." }]);
  island.press("Shift+P");
  await until(() => island.page.querySelector(".publish-dialog"));
  assert.equal((await island.at(".publish-dialog input")).maxLength, 2000);
  await says(() => island.page.querySelector(".publish-dialog").textContent, /Not ready/);
});

test("what blocks comes first, in words of the forms, and publishing is offered only without it", async () => {
  const { island } = await publishing({
    findings: [
      finding("unknown_field", { severity: "error", node: "third", field: "nodes[1].colour" }),
      finding("no_mail_server", { node: "second", message: "No mail. It concerns 2 steps: `second`, `third`." }),
    ],
  });
  const groups = [...island.page.querySelectorAll(".readiness h3")].map(({ textContent }) => textContent);
  assert.deepEqual(groups, ["1 finding blocks publishing", "1 warning does not block publishing"]);
  const rows = [...island.page.querySelectorAll(".readiness li p")].map(({ textContent }) => textContent);
  assert.deepEqual(rows, ["Third: It is so.", "Second: No mail. It concerns 2 steps: this step, “Third”."]);
  const foot = island.page.querySelector(".form-foot").textContent;
  assert.ok(!/Publish/.test(foot), foot);
});

test("a draft without findings is ready, and a check that fails hinders nobody", async () => {
  const ready = await publishing({});
  assert.equal(ready.presses().length, 0);
  assert.match(ready.island.page.querySelector(".publish-dialog [role=status]").textContent, /^ Ready/);
  const { island } = await publishing({ isDown: true });
  assert.match(island.page.querySelector(".publish-dialog [role=status]").textContent, /can’t be checked now/);
  assert.match(island.page.querySelector(".form-foot").textContent, /Publish/);
});

test("a press goes to the field of its step, and says what the form does not show", async () => {
  const more = { node: "second", field: "nodes[0].params.seconds", message: "Nobody is called `zzz`." };
  const { island, pressed } = await publishing({ findings: [finding("unknown_person", more)] });
  pressed("Show it").click();
  await island.at("[data-field='nodes[0].params.seconds'] *");
  assert.equal(island.page.querySelector(".publish-dialog"), null);
  assert.equal(island.page.querySelector(".said").textContent, "Nobody is called zzz.");
});

test("a press applies the fix, and the check is asked again", async () => {
  const changes = [{ path: ["nodes", "third", "title"], from: "Third", to: "Last" }];
  const misspelt = finding(
    "unknown_group",
    { node: "third", fix: { title: "Use Last", changes } },
    { kind: "fix", title: "Use Last" },
  );
  const { island, pressed } = await publishing({
    findings: ({ server }) => (server.definition.nodes[1].title === "Last" ? [] : [misspelt]),
  });
  pressed("Use Last").click();
  await until(() => !island.page.querySelector(".readiness"));
  assert.equal((await island.saved()).nodes[1].title, "Last");
});

test("a step that starts apart is connected from another one", async () => {
  const { island, pressed } = await publishing({
    findings: [finding("starts_apart", { node: "third", validates: true }, { title: "Connect it" })],
  });
  pressed("Connect it").click();
  await island.search("second", "Second");
  island.press("Enter");
  assert.deepEqual((await island.saved()).edges, [{ from: "second", to: "third" }]);
});

const GRANT = {
  kind: "request",
  title: "Grant it",
  method: "PATCH",
  choices: [
    { title: "All requesters", body: { grant: { role: "requester", may: ["start"] } } },
    { title: "The group Sales", body: { grant: { group: "Sales", may: ["start"] } } },
  ],
};

test("a right is granted to whom one chooses, once however often it is pressed, and the finding goes", async () => {
  let isGranted = false;
  const answers = {
    "/folders/3": () => {
      isGranted = true;
      return [200, {}];
    },
  };
  const { island, pressed, sent } = await publishing({
    answers,
    findings: ({ store }) => {
      const path = `${store.state().boot.urls.workflows}/folders/3`;
      return isGranted ? [] : [finding("nobody_may_start", {}, { ...GRANT, path })];
    },
  });
  const choice = island.page.querySelector(".readiness select");
  choice.value = "1";
  choice.dispatchEvent(new window.Event("change", { bubbles: true }));
  pressed("Grant it").click();
  pressed("Grant it").click();
  await until(() => !island.page.querySelector(".readiness"));
  assert.deepEqual(sent, [["PATCH", "/folders/3", GRANT.choices[1].body]]);
});

test("who may not mend it sees who can", async () => {
  const closed = { ...GRANT, allowed: false, people: ["ann", "bob"] };
  const { island, presses } = await publishing({ findings: [finding("nobody_may_start", {}, closed)] });
  assert.equal(presses().length, 0);
  assert.match(island.page.querySelector(".readiness .quiet").textContent, /Ask ann and bob/);
});

test("open runs are moved once the draft is published, by the request that publishing answers with", async () => {
  const move = { kind: "request", title: "Move them to version 3", method: "POST", after_publish: true };
  const choices = [{ title: move.title, body: { verb: "migrate", query: 'workflow:"ours"', version: 3 } }];
  let path = "";
  let fails = true;
  const older = (after_publish) => finding("runs_on_older_versions", {}, { ...move, choices, path, after_publish });
  const answers = {
    "/ours/publish": () => [201, { version: 3, readiness: { findings: [older(false)] } }],
    "/bulk-jobs": () => {
      if (fails) return [409, { error: { code: "version_withdrawn", message: "It is withdrawn." } }];
      return [202, { id: "j-1", total: 7 }];
    },
  };
  const { island, sent } = await publishing({
    answers,
    findings: ({ store }) => {
      path = `${store.state().boot.urls.workflows}/bulk-jobs`;
      return [older(true)];
    },
  });
  const dialog = () => island.page.querySelector(".publish-dialog");
  const button = (label) => [...dialog().querySelectorAll("button, a")].find((each) => each.textContent === label);
  island.page.querySelector(".readiness input[type=checkbox]").click();
  button("Publish").click();
  await says(() => dialog().textContent, /Published as version 3.*not moved. It is withdrawn/);
  fails = false;
  button("Try again").click();
  await says(() => dialog().textContent, /7 open runs are being moved to version 3/);
  assert.equal(button("Show how it goes").getAttribute("href"), "/bulk-jobs/j-1");
  assert.deepEqual(
    sent.map(([method, url]) => `${method} ${url}`),
    ["POST /ours/publish", "POST /bulk-jobs", "POST /bulk-jobs"],
  );
  assert.deepEqual(sent[2][2], choices[0].body);
});
