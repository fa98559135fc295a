/** Pure: what a test run is asked for, what one before it gave, and a test case as a text. */

import type { Doc } from "../model/document";
import { arrows, reach } from "../model/graph";
import type { Json, JsonObject } from "../model/json";
import { isObject, own } from "../model/json";
import type { InnerStep } from "./inner";

export interface TrialStep {
  node: string;
  /** Which one of a step that is done for each of a list. */
  index?: number | null;
  status: string;
  title: string;
  input?: Json;
  output?: Json;
  /** What is left out because it is large, with its bytes; then the field is null. */
  truncated?: Partial<Record<"input" | "output" | "error", number>>;
  error?: { code?: string; message?: string } | null;
  duration_ms?: number | null;
  /** Of a step within a container: how it stands over all items. What is told beside that is so for one of them. */
  inner?: InnerStep;
  /** The run that did the item. */
  run_id?: string;
  places?: number[];
}

export interface Stubbed {
  node: string;
  why: string;
  made_up: boolean;
}

export interface Trial {
  id: string;
  status: string;
  output?: Json;
  error?: { message?: string; node?: string } | null;
  steps: TrialStep[];
  stubbed: Stubbed[];
}

/** What became of a test case. */
export interface CaseResult {
  id: number;
  passed: boolean;
  status: string | null;
  differences: { what: string; expected: Json; got: Json }[];
}

export interface Chosen {
  /** Steps that happen for real. */
  live: string[];
  /** What people decide, by step. */
  outcomes: Record<string, string>;
}

/** What was chosen, without what there is no step or no outcome for any more. */
export function stillThere(doc: Doc, { live, outcomes }: Chosen): Chosen {
  return {
    live: live.filter((id) => Object.hasOwn(doc.nodes, id)),
    outcomes: Object.fromEntries(
      Object.entries(outcomes).filter(
        ([id, name]) => Object.hasOwn(doc.nodes, id) && outcomesOf(doc.nodes[id].params).includes(name),
      ),
    ),
  };
}

/** How a step that asks people can end. */
export function outcomesOf(params: Json | undefined): string[] {
  const listed = isObject(params) && Array.isArray(params.outcomes) ? params.outcomes : [];
  const names = listed.flatMap((outcome) =>
    isObject(outcome) && typeof outcome.name === "string" ? [outcome.name] : [],
  );
  return names.length ? names : ["approved", "rejected"];
}

/** What steps really gave, or were said to give, in a test run: a step that is tested alone can read it. */
export function gave(trial: Trial): Record<string, Json> {
  const standIns = new Set(
    trial.stubbed.filter((each) => each.made_up || each.why === "outside").map((each) => each.node),
  );
  const isWhole = (step: TrialStep) =>
    step.status === "COMPLETED" &&
    step.truncated?.output === undefined &&
    (step.index ?? null) === null &&
    step.inner === undefined;
  return Object.fromEntries(
    trial.steps
      .filter((step) => isWhole(step) && !standIns.has(step.node))
      .map((step) => [step.node, step.output ?? null]),
  );
}

/**
 * What a run that begins at a step takes as given: what is pinned, else what steps gave, of all that don't come after it.
 * `again`: the steps before it of which nothing is known, so that they are done once more.
 */
export function pinsFrom(
  doc: Doc,
  given: Record<string, Json>,
  from: string,
): { pins: Record<string, Json>; again: string[] } {
  const after = reach(doc, from, "out");
  const pins: Record<string, Json> = {};
  for (const id of Object.keys(doc.nodes)) {
    const value = own(doc.layout.pins, id) ?? (after.has(id) ? undefined : own(given, id));
    if (value !== undefined && id !== from) pins[id] = value;
  }
  return { pins, again: [...reach(doc, from, "into")].filter((id) => id !== from && !Object.hasOwn(pins, id)) };
}

/** The step whose made-up output a test run that failed has read, if it may be that: it can be pinned. */
export function madeUpBefore(doc: Doc, trial: Trial): string | null {
  const failed = trial.error?.node;
  if (trial.status !== "FAILED" || !failed) return null;
  const nearest = [
    failed,
    ...arrows(doc)
      .filter((arrow) => arrow.to === failed)
      .map((arrow) => arrow.from),
  ];
  const madeUp = new Set(trial.stubbed.filter((each) => each.made_up).map((each) => each.node));
  return nearest.find((id) => madeUp.has(id) && own(doc.nodes, id) !== undefined) ?? null;
}

/** A test case that was typed. What is left out is nothing: it does not stay as it was. Raises SyntaxError. */
export function caseOf(text: string): JsonObject {
  const value = JSON.parse(text) as Json;
  if (!isObject(value)) throw new SyntaxError("a test case is an object with `input`, `stubs` and `expect`.");
  return { input: {}, stubs: {}, expect: {}, ...value };
}

/** A value as a text of several lines; nothing is an empty one. */
export function shown(value: Json | undefined): string {
  return value === undefined || value === null ? "" : JSON.stringify(value, null, 2);
}
