// What problems say in the words of the forms, how ways are drawn, and what a date is.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const sources = ["model/said.ts", "model/routes.ts", "model/words.ts", "model/boxes.ts", "inspector/convert.ts"];
const [{ fieldWords, saidOf, worstOf }, { pathOf, routes }, { inWords }, { WIDTH, HEIGHT }, { asMoment, ofMoment }] =
  await load(...sources);

const fields = (properties) => ({ type: "object", properties });
const called = {
  definition: {
    node: fields({
      title: { title: "Title" },
      timeout_seconds: { title: "Time limit" },
      retry: { title: "Retries" },
      boundary_timers: { title: "Timers", type: "array" },
      compensate: { title: "Undo" },
    }),
    retry: fields({ factor: { title: "Growth" } }),
    boundary_timer: fields({ after_seconds: { title: "After" } }),
    compensation: fields({ queue: { title: "Queue" } }),
    settings: fields({ sla_seconds: { title: "Deadline of a run" } }),
  },
  paramsOf: (type) =>
    type === "http.request"
      ? fields({
          url: { title: "Address" },
          rows: { title: "Rows", type: "array", items: fields({ name: { title: "Name" } }) },
        })
      : undefined,
};
const doc = {
  nodes: {
    first: { type: "http.request", title: "Fetch it", compensate: { type: "http.request" } },
    second: { type: "noop", title: "Rest" },
  },
  edges: { "first>second": { from: "first", to: "second" } },
  settings: {},
  layout: {},
};

for (const [path, own, words] of [
  ["nodes[0].title", "first", "Title"],
  ["nodes[0].title", "second", "Title of “Fetch it”"],
  ["nodes[0].params.url", "first", "Address"],
  ["nodes[0].params.rows[1].name", "first", "Rows › 2 › Name"],
  ["nodes[0].compensate.params.url", "first", "Undo › Address"],
  ["nodes[0].retry.factor", "first", "Retries › Growth"],
  ["nodes[1].boundary_timers[0].after_seconds", "second", "Timers › 1 › After"],
  ['nodes[1].params["a b"]', "second", "a b"],
  ["edges[0].when", null, "The condition of the connection from “Fetch it” to “Rest”"],
  ["sla_seconds", null, "Deadline of a run"],
  ["nodes[7].title", null, null],
  ["output.total", null, null],
  ["a + b", null, null],
]) {
  test(`${path} in words`, () => assert.equal(fieldWords(path, doc, called, own), words));
}

const said = (code, node, message) =>
  saidOf({ code, node, message }, doc, called)
    .map(({ text, isCode }) => (isCode ? `[${text}]` : text))
    .join("");

test("a problem says what its form says", () => {
  assert.equal(
    said("bad_value", "first", "`nodes[0].timeout_seconds` must be a number."),
    "Time limit must be a number.",
  );
  assert.equal(
    said("no_deadline", "second", "`second` waits for a person without a deadline."),
    "This step waits for a person without a deadline.",
  );
  assert.equal(
    said("value_never_there", "second", "The output of `first` is never available here."),
    "The output of “Fetch it” is never available here.",
  );
  assert.equal(
    said("no_deadline", "first", "`first` waits without a deadline: set `url`."),
    "This step waits without a deadline: set Address.",
  );
  assert.equal(
    said("name_not_in_scope", "first", "`second` cannot be read here: names in scope are `input`."),
    "[second] cannot be read here: names in scope are [input].",
  );
  assert.equal(
    said("no_steps", "second", "`second` has no steps yet: add one in it."),
    "“Rest” has no steps yet: add one in it.",
  );
  assert.equal(said("bad_value", null, "`sla_seconds` must be a number."), "Deadline of a run must be a number.");
});

test("a step with an error and a warning has an error", () => {
  const both = [
    { node: "a", severity: "error" },
    { node: "a", severity: "warning" },
    { node: "b", severity: "warning" },
  ];
  assert.deepEqual(
    [...worstOf(both)],
    [
      ["a", "error"],
      ["b", "warning"],
    ],
  );
  assert.equal(worstOf(both.toReversed()).get("a"), "error");
});

test("a condition leaves out what only guards it", () => {
  assert.equal(inWords("has(output.status) && output.status == 'SUCCESS'"), "status is 'SUCCESS'");
  assert.equal(inWords("!has(output.status)"), "status does not exist");
  assert.equal(inWords("has(output.status) && output.statuses == 1"), "status exists and statuses is 1");
});

const GAP = 90;
const at = (column, row) => ({ x: column * (WIDTH + GAP), y: row * (HEIGHT + 36), w: WIDTH, h: HEIGHT });
const ways = (...pairs) => pairs.map(([from, to, words = ""]) => ({ key: `${from}>${to}`, from, to, words }));

function crosses(points, box) {
  return points.slice(1).some((point, place) => {
    const before = points[place];
    return (
      Math.max(point.x, before.x) > box.x + 2 &&
      Math.min(point.x, before.x) < box.x + WIDTH - 2 &&
      Math.max(point.y, before.y) > box.y + 2 &&
      Math.min(point.y, before.y) < box.y + HEIGHT - 2
    );
  });
}

function lies(spot, width, height, box) {
  return (
    spot.x + width / 2 > box.x &&
    spot.x - width / 2 < box.x + WIDTH &&
    spot.y + height / 2 > box.y &&
    spot.y - height / 2 < box.y + HEIGHT
  );
}

test("a way between two steps in a row is straight", () => {
  const { points } = routes({ a: at(0, 0), b: at(1, 0) }, ways(["a", "b"])).get("a>b");
  assert.equal(pathOf(points), `M${WIDTH},${HEIGHT / 2}  L${WIDTH + GAP},${HEIGHT / 2}`);
});

test("no way, no words and no button lie on a card", () => {
  const long = "has(status) and status is 'SUCCESS'";
  const places = { a: at(0, 0), b: at(1, 0), c: at(2, 0), d: at(2, -1), e: at(2, 1), back: at(-1, 2) };
  const found = routes(
    places,
    ways(
      ["a", "b", long],
      ["a", "c", "otherwise"],
      ["b", "d", long],
      ["b", "e", long],
      ["b", "c", long],
      ["c", "back", "on error"],
    ),
  );
  assert.equal(found.size, 6);
  for (const [key, { points, label, plus }] of found) {
    for (const [id, box] of Object.entries(places)) {
      assert.ok(!crosses(points, box), `${key} runs through ${id}: ${JSON.stringify(points)}`);
      assert.ok(!lies(label, label.width, 22, box), `the words of ${key} lie on ${id}`);
      assert.ok(!lies(plus, 24, 24, box), `the button of ${key} lies on ${id}`);
    }
  }
});

test("words of ways from one step lie on none of each other", () => {
  const places = { a: at(0, 1), b: at(1, 0), c: at(1, 1), d: at(1, 2) };
  const labels = [
    ...routes(places, ways(["a", "b", "approved"], ["a", "c", "rejected"], ["a", "d", "otherwise"])).values(),
  ].map(({ label }) => label);
  for (const [place, one] of labels.entries())
    for (const other of labels.slice(place + 1))
      assert.ok(Math.abs(one.y - other.y) >= 22 || Math.abs(one.x - other.x) >= (one.width + other.width) / 2);
});

test("three hundred steps are drawn in a moment", () => {
  const places = Object.fromEntries(
    Array.from({ length: 300 }, (_, place) => [`s${place}`, at(place % 20, Math.floor(place / 20))]),
  );
  const all = Array.from({ length: 299 }, (_, place) => [`s${place}`, `s${place + 1}`, "otherwise"]);
  const start = performance.now();
  assert.equal(routes(places, ways(...all, ["s0", "s19"], ["s0", "s299"])).size, 301);
  assert.ok(performance.now() - start < 1000);
});

test("a moment is shown as a local time and kept as the same moment", () => {
  for (const text of ["2027-01-31T09:00:00Z", "2027-07-31T23:59:30Z"]) assert.equal(asMoment(ofMoment(text)), text);
  assert.equal(asMoment(ofMoment("2027-01-31T09:00:00+02:00")), "2027-01-31T07:00:00Z");
  for (const text of [
    "2027-01-31",
    "2027-01-31T09:00:00",
    "2027-01-31T09:00:00.123Z",
    "2027-13-31T09:00:00Z",
    "{{ input.at }}",
  ])
    assert.equal(ofMoment(text), null, text);
});

test("a line that begins or ends a hair aside has no kink", () => {
  // The last stretch is a pixel aslant, since it ends at the rim of a circle.
  const path = pathOf([
    { x: 0, y: 0 },
    { x: 40, y: 0 },
    { x: 40, y: 101 },
    { x: 100, y: 100 },
  ]);
  const heights = [...path.matchAll(/,(-?[\d.]+)/g)].map(([, y]) => Number(y));
  assert.ok(
    heights.every((y, place) => place === 0 || y >= heights[place - 1] - 1),
    path,
  );
});
