import { counted } from "./words";

/** Where time goes and what fails, as colours on the canvas: the figures of steps in levels and in words. */

export type HeatBy = "time" | "failures";

/** What telemetry tells of the steps of a node and type (docs/api.md, "Operations"). */
export interface HeatRow {
  node: string | null;
  count: number;
  failed: number;
  completed: number;
  average_ms: number | null;
  share_of_time: number;
  share_of_failures: number;
}

export interface Figures {
  count: number;
  failed: number;
  completed: number;
  /** What those that completed took, together. */
  took: number;
  time: number;
  failures: number;
}

export interface Heat {
  /** From 0, hardly any, to the last of `LEVELS`. */
  level: number;
  words: string;
}

/** From which share on a step is one level hotter. */
export const LEVELS = [0.01, 0.05, 0.15, 0.35];

/** The figures by step: a container's items count to it, beside itself. */
export function figuresOf(rows: HeatRow[]): Map<string, Figures> {
  const found = new Map<string, Figures>();
  for (const row of rows) {
    if (row.node === null) continue;
    const one = {
      count: row.count,
      failed: row.failed,
      completed: row.completed,
      took: (row.average_ms ?? 0) * row.completed,
      time: row.share_of_time,
      failures: row.share_of_failures,
    };
    const other = found.get(row.node);
    found.set(row.node, other ? both(other, one) : one);
  }
  return found;
}

export function both(one: Figures, other: Figures): Figures {
  return {
    count: one.count + other.count,
    failed: one.failed + other.failed,
    completed: one.completed + other.completed,
    took: one.took + other.took,
    time: one.time + other.time,
    failures: one.failures + other.failures,
  };
}

export function heatOf(figures: Figures, by: HeatBy): Heat {
  const share = by === "time" ? figures.time : figures.failures;
  const level = LEVELS.filter((least) => share >= least).length;
  return { level, words: by === "time" ? timeWords(figures) : failureWords(figures) };
}

function timeWords({ time, count, took, completed }: Figures): string {
  const average = completed ? `, ${lasting(took / completed)} on average` : "";
  return `${percent(time)} of the time: ${counted(count, "step")}${average}`;
}

function failureWords({ failures, failed, count }: Figures): string {
  if (failed === 0) return `no failure: ${counted(count, "step")}`;
  return `${percent(failures)} of the failures: ${failed.toLocaleString("en")} of ${counted(count, "step")} failed`;
}

/** A share in per cent; what is little is not told as nothing. */
export function percent(share: number): string {
  return share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

const UNITS: [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

/** Milliseconds for people, in one unit. */
export function lasting(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? [1, "ms"];
  const value = ms / size;
  return `${value < 10 && size > 1 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
