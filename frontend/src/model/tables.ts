/** Pure: a decision table as rows of texts, and back. */

import type { Json, JsonObject } from "./json";
import { isObject } from "./json";

export interface Table {
  columns: JsonObject[];
  rows: Json[][];
  hit: string;
  tests: JsonObject[];
}

export const ANY = "-";
const WORDS = /^\p{L}[\p{L}\p{N}_ .&/-]*$/u;
const LITERALS = new Set(["true", "false", "null", "not"]);

/** The table that the params say, as far as they are one. */
export function tableOf(params: Json | undefined): Table {
  const from = isObject(params) ? params : {};
  const list = (value: Json | undefined) => (Array.isArray(value) ? value : []);
  return {
    columns: list(from.columns).filter(isObject),
    rows: list(from.rows).map((row) => list(row)),
    hit: typeof from.hit === "string" ? from.hit : "first",
    tests: list(from.tests).filter(isObject),
  };
}

export function isCondition(column: JsonObject): boolean {
  return !Object.hasOwn(column, "set");
}

/** What a column is called. */
export function headOf(column: JsonObject): string {
  return String((isCondition(column) ? column.title : (column.title ?? column.set)) ?? "");
}

/** A result as it is typed: a text that would be read as something else has quotation marks. */
export function resultText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return asResult(value) === value ? value : JSON.stringify(value);
}

/** What somebody types as a result: a number, true, false, a text in quotation marks, or a text as it is. */
export function asResult(text: string): Json {
  const plain = text.trim();
  if (!plain || plain === "null") return null;
  if (!/^(?:-?\d|"|true$|false$)/.test(plain)) return text;
  try {
    const value = JSON.parse(plain) as Json;
    return typeof value === "object" ? text : value;
  } catch {
    return text;
  }
}

/** A condition as somebody pastes it from a spreadsheet: words get quotation marks, nothing is any value. */
export function asCondition(text: string): string {
  const plain = text.trim();
  if (!plain) return ANY;
  const parts = plain.split(",").map((part) => part.trim());
  const isWords = parts.every((part) => WORDS.test(part) && !LITERALS.has(part));
  return isWords ? parts.map((part) => JSON.stringify(part)).join(", ") : plain;
}

export function cellText(column: JsonObject, value: Json | undefined): string {
  if (!isCondition(column)) return resultText(value);
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

/** A new row: any value, and no result. */
export function blankRow(columns: JsonObject[]): Json[] {
  return columns.map((column) => (isCondition(column) ? ANY : null));
}

/** What a spreadsheet puts on the clipboard, or CSV: lines of cells. Null for a text of one cell. */
export function pasted(text: string): string[][] | null {
  const clean = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const delimiter = clean.includes("\t") ? "\t" : clean.includes("\n") && clean.includes(";") ? ";" : "\t";
  if (!clean.includes("\n") && !clean.includes("\t")) return null;
  const lines: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < clean.length; at += 1) {
    const letter = clean[at];
    if (isQuoted && letter === '"' && clean[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (letter === '"' && (isQuoted || (cell === "" && closes(clean, at, delimiter)))) isQuoted = !isQuoted;
    else if (!isQuoted && (letter === delimiter || letter === "\n")) {
      lines[lines.length - 1].push(cell);
      cell = "";
      if (letter === "\n") lines.push([]);
    } else cell += letter;
  }
  lines[lines.length - 1].push(cell);
  return lines;
}

/** Whether the quotation mark here opens a cell: `"DE", "FR"` is a condition, and no cell in quotation marks. */
function closes(text: string, at: number, delimiter: string): boolean {
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] !== '"') continue;
    if (text[end + 1] === '"') end += 1;
    else return end + 1 === text.length || text[end + 1] === delimiter || text[end + 1] === "\n";
  }
  return false;
}

/** The rows with cells put in from a place on; rows are added as they are needed, further columns are left out. */
export function withPasted(table: Table, cells: string[][], row: number, column: number): Json[][] {
  const rows = table.rows.map((each) => [...each]);
  cells.forEach((line, down) => {
    const to = row + down;
    if (!rows[to]) rows[to] = blankRow(table.columns);
    line.forEach((text, right) => {
      const own = table.columns[column + right];
      if (own) rows[to][column + right] = isCondition(own) ? asCondition(text) : asResult(text);
    });
  });
  return rows;
}

/** The list with an item at another place. */
export function moved<T>(list: T[], from: number, to: number): T[] {
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

export function without<T>(list: T[], place: number): T[] {
  return list.filter((_, at) => at !== place);
}

/** The table with a column added behind the last of its kind. */
export function withColumn(table: Table, isResult: boolean): Table {
  const kind = table.columns.filter((column) => isCondition(column) !== isResult);
  const count = kind.length + 1;
  const column: JsonObject = isResult ? { set: `result_${count}` } : { title: `Condition ${count}`, when: "input" };
  const place = isResult ? table.columns.length : table.columns.filter(isCondition).length;
  const rows = table.rows.map((row) => [...row.slice(0, place), isResult ? null : ANY, ...row.slice(place)]);
  return { ...table, columns: [...table.columns.slice(0, place), column, ...table.columns.slice(place)], rows };
}
