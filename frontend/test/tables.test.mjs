// Decision tables: what is typed or pasted into a cell, and what a cell says.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [tables] = await load("model/tables.ts");
const COLUMNS = [{ title: "Amount", when: "input.amount" }, { set: "who" }];

for (const value of [null, true, false, 7, -0.5, "plain", "7", "true", "null", '"x"', "a, b", " x ", "-"])
  test(`the result ${JSON.stringify(value)} comes back as it was`, () => {
    assert.deepEqual(tables.asResult(tables.resultText(value)), value);
  });

test("words of a condition get quotation marks, and nothing else does", () => {
  for (const [text, cell] of [
    ["DE", '"DE"'],
    ["DE, FR", '"DE", "FR"'],
    ["New York", '"New York"'],
    ["", "-"],
    ["true", "true"],
    ["> 5", "> 5"],
    ["[1..2]", "[1..2]"],
    ['not("DE")', 'not("DE")'],
  ])
    assert.equal(tables.asCondition(text), cell);
});

test("lines of a spreadsheet are cells; a text of one cell is none", () => {
  assert.equal(tables.pasted("> 5"), null);
  assert.deepEqual(tables.pasted("a\tb\r\nc\td\r\n"), [
    ["a", "b"],
    ["c", "d"],
  ]);
  assert.deepEqual(tables.pasted('"x\ty"\t"say ""hi"""\n"DE", "FR"\tb'), [
    ["x\ty", 'say "hi"'],
    ['"DE", "FR"', "b"],
  ]);
});

test("what is pasted adds the rows that it needs and no column", () => {
  const table = tables.tableOf({ columns: COLUMNS, rows: [["-", 1]] });
  assert.deepEqual(tables.withPasted(table, [["1"], ["2", "x", "y"]], 0, 0), [
    ["1", 1],
    ["2", "x"],
  ]);
});

test("a column is added behind those of its kind, with a cell in each row", () => {
  const table = tables.tableOf({ columns: COLUMNS, rows: [["-", 1]] });
  assert.deepEqual(tables.withColumn(table, false).rows, [["-", "-", 1]]);
  assert.deepEqual(tables.withColumn(table, true).rows, [["-", 1, null]]);
});

test("params of whatever quality are a table", () => {
  for (const params of [undefined, null, 7, [], { columns: 1, rows: { a: 1 } }, { columns: [1], rows: [1] }])
    assert.ok(Array.isArray(tables.tableOf(params).rows));
});
