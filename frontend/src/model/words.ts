/** Conditions and times as people say them. */

import type { Doc, EdgeBody } from "./document";
import type { Arrow } from "./graph";
import type { JsonObject } from "./json";
import { isObject } from "./json";

// Over texts in which no two blanks follow each other: looking for any number of them takes the square of their number.
const WORDS: [RegExp, string][] = [
  // Asked first so that nothing missing is read; nobody needs to be told.
  [/\bhas\(([\w.]+)\) ?&& ?(?=\1(?![\w.]))/g, ""],
  [/!has\(([\w.]+)\)/g, "$1 does not exist"],
  [/\bhas\(([\w.]+)\)/g, "$1 exists"],
  [/ ?== ?true\b/g, ""],
  [/ ?== ?/g, " is "],
  [/ ?!= ?/g, " is not "],
  [/ ?>= ?/g, " ≥ "],
  [/ ?<= ?/g, " ≤ "],
  [/ ?&& ?/g, " and "],
  [/ ?\|\| ?/g, " or "],
  [/!(?=[A-Za-z(])/g, "not "],
  [/\b(?:output|input|prev)\./g, ""],
  [/\bsteps\.(\w+)\.output\./g, "$1’s "],
  [/\bsteps\["([\w-]+)"\]\.output\./g, "$1’s "],
];

/** A condition in words: `output.amount > 10000 && !output.vip` is "amount > 10,000 and not vip". */
export function inWords(condition: string): string {
  const parts = atLiterals(condition);
  const said = parts.map((part, place) =>
    place % 2 ? part : WORDS.reduce((text, [from, to]) => text.replace(from, to), part.replace(/\s+/g, " ")),
  );
  return said
    .join("")
    .replace(/\b\d{5,}\b/g, (number) => Number(number).toLocaleString("en"))
    .replace(/\s+/g, " ")
    .trim();
}

/** The text in parts, every second of which is a literal in its quotes. */
function atLiterals(text: string): string[] {
  const parts: string[] = [];
  // A quote that nothing ends is a sign like others; so is each of its kind behind it.
  const quotes = new Set(['"', "'"]);
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!quotes.has(text[at])) continue;
    const end = endOfLiteral(text, at);
    if (end === null) quotes.delete(text[at]);
    else {
      parts.push(text.slice(from, at), text.slice(at, end));
      from = end;
      at = end - 1;
    }
  }
  return [...parts, text.slice(from)];
}

function endOfLiteral(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === text[start]) return at + 1;
  }
  return null;
}

/** What an edge's label says; empty for one that is always taken. */
export function edgeWords(edge: EdgeBody): string {
  if (edge.on === "error") return "on error";
  if (edge.default) return "otherwise";
  if (typeof edge.branch === "string") return edge.branch.replace(/_/g, " ");
  if (typeof edge.when === "string") return inWords(edge.when);
  return "";
}

/** When a way is taken; empty for one that always is. */
export function wayWords(doc: Doc, { key, from, timer: place }: Arrow): string {
  if (place === undefined) return edgeWords(doc.edges[key]);
  const timers = doc.nodes[from].boundary_timers;
  const timer = Array.isArray(timers) ? timers[place] : undefined;
  return isObject(timer) ? timerWords(timer) : "";
}

const UNITS: [number, string][] = [
  [604800, "week"],
  [86400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** A number and its noun, whose plural ends in s where none is given: "1 error", "2,000 errors". */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
}

/** 604800 is "1 week", 5400 "1 hour 30 minutes". */
export function secondsInWords(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 1) return `${seconds} seconds`;
  const said: string[] = [];
  let left = Math.round(seconds);
  for (const [size, unit] of UNITS) {
    const count = Math.floor(left / size);
    if (count && said.length < 2) {
      said.push(counted(count, unit));
      left -= count * size;
    }
  }
  return said.join(" ");
}

export function timerWords(timer: JsonObject): string {
  if (typeof timer.after_seconds === "number") return `after ${secondsInWords(timer.after_seconds)}`;
  return typeof timer.duration === "string" ? `after ${timer.duration}` : "after a time";
}
