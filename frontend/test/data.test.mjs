// Values as a test shows them: bounded rows, tables, references that expressions read, and how two values differ.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ MOST_ROWS, PAGE, difference, found, lasted, outputOf, pieces, reference, rowsOf, tablesIn }, { pinsFrom }] =
  await load("model/data.ts", "panels/asked.ts");

const opened = (open = {}, pages = {}) => ({
  open: new Map(Object.entries(open)),
  pages: new Map(Object.entries(pages)),
});
const names = ({ rows }) => rows.map((row) => row.name ?? `+${row.left}`);

test("a tree shows what is open, and of a long list a page", () => {
  const value = { a: { b: 1 }, "x/y": [{ c: null }], none: {} };
  assert.deepEqual(names(rowsOf(value, opened())), ["a", "b", "x/y", "[0]", "none"]);
  assert.deepEqual(names(rowsOf(value, opened({ "/a": false, "/x~1y/0": true }))), ["a", "x/y", "[0]", "c", "none"]);
  const long = Array.from({ length: 120 }, (_, at) => at);
  assert.deepEqual(names(rowsOf({ long }, opened({ "/long": true }))).slice(-1), [`+${120 - PAGE}`]);
  assert.equal(rowsOf({ long }, opened({ "/long": true }, { "/long": 120 })).rows.length, 121);
  assert.deepEqual(names(rowsOf("a text", opened())), []);
});

test("no value has more rows than can be shown, and deep ones end", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`k${at}`, Object.fromEntries(Object.entries("x".repeat(90)))]),
  );
  const open = Object.fromEntries(Object.keys(wide).map((key) => [`/${key}`, true]));
  const pages = Object.fromEntries(Object.keys(wide).map((key) => [`/${key}`, 90]));
  const { rows, isCut } = rowsOf(wide, opened(open, pages));
  assert.equal(rows.length, MOST_ROWS);
  assert.ok(isCut);
  let deep = 1;
  for (let at = 0; at < 5000; at += 1) deep = [deep];
  assert.equal(found(deep, "1").hits.size, 0);
  assert.ok(rowsOf(deep, opened()).rows.length < 10);
  assert.equal(difference(deep, 2).changes.length, 1);
});

test("a search finds names and texts wherever they are, and shows the way to them", () => {
  const value = { order: { lines: [{ sku: "A-1" }, { sku: "B-2" }] }, total: 12 };
  const hits = found(value, "b-2");
  assert.deepEqual([...hits.hits], ["/order/lines/1/sku"]);
  assert.deepEqual(names(rowsOf(value, opened(), hits)), ["order", "lines", "[1]", "sku"]);
  assert.deepEqual([...found(value, "TOTAL").hits], ["/total"]);
  assert.equal(
    found(
      Array.from({ length: 5000 }, () => "same"),
      "same",
    ).isCut,
    true,
  );
});

test("what a reference says is what an expression reads", () => {
  assert.equal(outputOf("charge"), "steps.charge.output");
  assert.equal(outputOf("credit-score"), 'steps["credit-score"].output');
  assert.equal(
    reference("prev", ["items", 0, "unit price", "in", 'a"b']),
    'prev.items[0]["unit price"]["in"]["a\\"b"]',
  );
});

test("lists of objects are tables, with the columns of all of their rows", () => {
  const [table, ...others] = tablesIn({ body: { items: [{ a: 1 }, { b: 2 }], tags: ["x"] } });
  assert.deepEqual(
    [table.keys, table.columns, table.rows.length, others.length],
    [["body", "items"], ["a", "b"], 2, 0],
  );
  const [wide] = tablesIn([Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`c${at}`, at]))]);
  assert.deepEqual([wide.columns.length, wide.more], [12, 8]);
  assert.deepEqual(tablesIn([1, 2]), []);
});

test("two values differ in leaves that are new, changed or gone", () => {
  const was = { a: 1, b: { c: [1, 2] }, d: {}, same: null };
  const now = { a: 2, b: { c: [1] }, e: { f: "x" }, same: null };
  assert.deepEqual(
    difference(was, now).changes.map(({ keys, kind }) => `${kind} ${keys.join(".")}`),
    ["changed a", "removed b.c.1", "added e.f", "removed d"],
  );
  assert.deepEqual(difference(was, structuredClone(was)).changes, []);
  assert.deepEqual(difference({ toString: 1 }, {}).changes, [{ keys: ["toString"], kind: "removed", was: 1 }]);
  assert.equal(difference({}, { list: Array.from({ length: 999 }, () => 1) }).isCut, true);
});

test("a text is cut where it fits a search, and is whole together", () => {
  assert.deepEqual(
    pieces("One two ONE", "one").map(({ text, isHit }) => (isHit ? `[${text}]` : text)),
    ["[One]", " two ", "[ONE]"],
  );
  assert.deepEqual(pieces("İstanbul", "i"), [{ text: "İstanbul", isHit: false }]);
});

test("times are said in their unit", () => {
  assert.deepEqual([0.2, 12, 1234, 61_000].map(lasted), ["< 1 ms", "12 ms", "1.2 s", "1 min 1 s"]);
});

test("a run from a step on takes what the others gave, and does that step again", () => {
  const ids = ["a", "b", "c", "d"];
  const doc = {
    nodes: Object.fromEntries(["a", "b", "c", "d", "beside"].map((id) => [id, { type: "noop" }])),
    edges: Object.fromEntries(ids.slice(1).map((id, at) => [`${ids[at]}>${id}`, { from: ids[at], to: id }])),
    settings: {},
    layout: { pins: { b: "pin", c: "pin", d: "pin", gone: 1 } },
  };
  assert.deepEqual(pinsFrom(doc, { b: "gave", c: "gave", d: "gave", beside: "gave" }, "c"), {
    pins: { b: "pin", d: "pin", beside: "gave" },
    again: ["a"],
  });
});
