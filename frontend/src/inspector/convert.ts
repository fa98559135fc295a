/** From a literal to an expression and back, without loss. */

import type { Json } from "../model/json";

export function isExpression(value: Json | undefined): value is string {
  return typeof value === "string" && value.includes("{{");
}

/** A literal as an expression that gives the same value of the same type. A text is one already. */
export function asExpression(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : `{{ ${spaced(value)} }}`;
}

/** JSON with a space wherever two braces would end the hole. */
function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`);
  return entries.length ? `{ ${entries.join(", ")} }` : "{}";
}

/** The literal that an expression is nothing but; undefined where it reads or computes something. */
export function asLiteral(expression: string): Json | undefined {
  const hole = /^\s*\{\{([\s\S]*)\}\}\s*$/.exec(expression);
  if (!hole) return expression.includes("{{") ? undefined : expression;
  try {
    return JSON.parse(hole[1]) as Json;
  } catch {
    return undefined;
  }
}

const UNITS: [string, number][] = [
  ["weeks", 604800],
  ["days", 86400],
  ["hours", 3600],
  ["minutes", 60],
  ["seconds", 1],
];
export const UNIT_NAMES = UNITS.map(([name]) => name);

export function unitSize(name: string): number {
  return UNITS.find(([each]) => each === name)?.[1] ?? 1;
}

/** The largest unit that the seconds are a whole number of; weeks only from two of them on. */
export function unitOf(seconds: number): string {
  const fits = ([name, size]: [string, number]) => seconds % size === 0 && (name !== "weeks" || seconds >= 2 * size);
  return seconds > 0 ? (UNITS.find(fits)?.[0] ?? "seconds") : "seconds";
}

/** Days on which people work, of which a calendar says how long they are. */
export const BUSINESS_DAYS = "business days";

/** `P3D` is 3 days, and so is `3 business days`; null where it has several units or is none. */
export function ofDuration(text: string): { count: string; unit: string } | null {
  const working = /^(\d{1,6}) (?:business|working) days?$/i.exec(text);
  if (working) return { count: working[1], unit: BUSINESS_DAYS };
  const found = /^P(?:(\d+)W|(\d+)D|T(\d+)H|T(\d+)M|T(\d+(?:[.,]\d+)?)S)$/.exec(text);
  if (!found) return null;
  const at = found.slice(1).findIndex((part) => part !== undefined);
  return { count: found[at + 1], unit: UNIT_NAMES[at] };
}

export function asDuration(count: string, unit: string): string {
  if (unit === BUSINESS_DAYS) return `${count} ${count === "1" ? "business day" : unit}`;
  const letter = unit.charAt(0).toUpperCase();
  return unit === "weeks" || unit === "days" ? `P${count}${letter}` : `PT${count}${letter}`;
}

/** A number as typed; undefined where it is none. A comma is a decimal point. */
export function asNumber(text: string): number | undefined {
  const plain = text.trim().replace(/\s/g, "");
  const dotted = /^-?\d+,\d+$/.test(plain) ? plain.replace(",", ".") : plain;
  return /^-?(\d+(\.\d*)?|\.\d+)(e-?\d+)?$/i.test(dotted) ? Number(dotted) : undefined;
}

/** `2027-01-31T09:00:00Z` as a field for local times shows it; null where it names no zone, or is more exact than the field. */
export function ofMoment(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.0+)?(Z|[+-]\d\d:?\d\d)$/.test(text)) return null;
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) return null;
  const two = (count: number) => String(count).padStart(2, "0");
  const day = `${String(moment.getFullYear()).padStart(4, "0")}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  const seconds = moment.getSeconds() ? `:${two(moment.getSeconds())}` : "";
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}${seconds}`;
}

/** A local time as its moment in UTC; the text itself where it is none. */
export function asMoment(local: string): string {
  const moment = new Date(local);
  return Number.isNaN(moment.getTime()) ? local : moment.toISOString().replace(".000Z", "Z");
}
