/** Pure: the test runs before, which a tab remembers. */

import type { Stubbed } from "./asked";

export interface EarlierRun {
  id: string;
  at: string;
  /** The draft that was tested. */
  revision: number;
  status: string;
  /** What of it was run, in words; nothing for all of it. */
  part: string;
  stubbed: Stubbed[];
}

export const MOST_EARLIER = 10;

/** The runs with another one in front. */
export function withRun(runs: EarlierRun[], run: EarlierRun): EarlierRun[] {
  return [run, ...runs.filter((each) => each.id !== run.id)].slice(0, MOST_EARLIER);
}

/** The runs with how one of them stands by now. */
export function withStatus(runs: EarlierRun[], id: string, status: string): EarlierRun[] {
  const isNew = runs.some((each) => each.id === id && each.status !== status);
  return isNew ? runs.map((each) => (each.id === id ? { ...each, status } : each)) : runs;
}

/** What a tab has remembered; nothing where it can't be read. */
export function readRuns(text: string | null): EarlierRun[] {
  try {
    const runs: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(runs)
      ? runs.filter((each) => typeof each?.id === "string" && Array.isArray(each.stubbed))
      : [];
  } catch {
    return [];
  }
}
