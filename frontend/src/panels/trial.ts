/** Trying the draft out: a test run is started, followed to its end, and shown on the canvas. */

import { Refused, ask } from "../api";
import type { Json, JsonObject } from "../model/json";
import { setting } from "../model/changes";
import { titleOf } from "../model/graph";
import { remember } from "../kept";
import { act, definition, say, set, state } from "../store";
import { type Trial, type TrialStep, gave, pinsFrom, stillThere } from "./asked";
import { withInner } from "./inner";
import { type EarlierRun, readRuns, withRun, withStatus } from "./remembered";

export interface Wanted {
  input: Json;
  until?: string;
  only?: string;
  /** The step where the run begins: what stands before it gives what it gave last. */
  from?: string;
  live: string[];
  outcomes: Record<string, string>;
  /** What other steps gave, where the one that is tested alone reads it. */
  given?: Record<string, Json>;
}

const ENDED = new Set(["COMPLETED", "FAILED", "CANCELLED", "COMPENSATED", "CONTINUED", "WAITING_FOR_MANUAL_ACTION"]);
const POLL_MS = 350;

let follows = 0;
/** What steps gave in the last test run: one that is tested alone reads it where nothing is pinned. */
let known: Record<string, Json> = {};

export function hasEnded(trial: Pick<Trial, "status">): boolean {
  return ENDED.has(trial.status);
}

/** Starts a test run of the draft as it stands here; gives what stands against it, or null. */
export async function start(wanted: Wanted): Promise<string | null> {
  const { boot, doc } = state();
  const { from, given, ...asked } = wanted;
  try {
    const { pins, again } = from
      ? pinsFrom(doc, await allGiven(), from)
      : { pins: { ...pinned(wanted.only), ...given }, again: [] };
    const body = { ...asked, ...stillThere(doc, wanted), definition: definition(), pins } as unknown as JsonObject;
    const trial = await ask<Trial>(`${boot.urls.api}/trials`, { method: "POST", body });
    const part = partInWords(wanted);
    const at = new Date().toISOString();
    const { id, status, stubbed } = trial;
    keepRuns(withRun(state().earlier, { id, at, revision: state().revision, status, part, stubbed }));
    set({ trial });
    void follow(trial.id, trial.stubbed);
    if (from && again.length)
      say(`There is no output of ${again.map((id) => titleOf(doc, id)).join(", ")}, so the run does it again.`);
    return null;
  } catch (why) {
    if (!(why instanceof Refused)) return "The server is not responding.";
    const problems = why.details.problems as { message: string }[] | undefined;
    return problems?.length ? `${why.message} ${problems[0].message}` : why.message;
  }
}

/** The pins; one step alone may read what steps gave last, too. */
function pinned(only: string | undefined): Record<string, Json> {
  return only ? lastGiven() : { ...state().doc.layout.pins };
}

/** What steps gave last, and what is pinned. */
export function lastGiven(): Record<string, Json> {
  return { ...known, ...state().doc.layout.pins };
}

/** What steps gave, with what was left out of the last run because it is large. Raises Refused or Unreached. */
async function allGiven(): Promise<Record<string, Json>> {
  const { trial } = state();
  const steps = trial ? await Promise.all(trial.steps.map((step) => whole(trial.id, step))) : [];
  return { ...known, ...(trial ? gave({ ...trial, steps }) : {}) };
}

async function follow(id: string, stubbed: Trial["stubbed"]): Promise<void> {
  follows += 1;
  const own = follows;
  for (;;) {
    await new Promise((resolve) => window.setTimeout(resolve, POLL_MS));
    if (own !== follows) return;
    try {
      const now = await told(id);
      if (own !== follows) return;
      set({ trial: { ...now, stubbed } });
      keepRuns(withStatus(state().earlier, id, now.status));
      if (ENDED.has(now.status)) {
        known = { ...known, ...gave({ ...now, stubbed }) };
        say(
          now.status === "COMPLETED"
            ? "The test run completed."
            : `The test run ended: ${now.error?.message ?? now.status.toLowerCase()}`,
          now.status === "COMPLETED" ? "info" : "bad",
        );
        return;
      }
    } catch {
      // It is asked again: a server that is being started comes back.
    }
  }
}

/** A test run as it stands now, with the steps of its items. */
async function told(id: string): Promise<Trial> {
  const trial = await ask<Trial>(`/api/v1/runs/${id}`);
  return withInner(trial, hasEnded(trial));
}

/** What of the draft was run, where that is not all of it. */
function partInWords({ until, only, from }: Wanted): string {
  const { doc } = state();
  if (only) return `only ${titleOf(doc, only)}`;
  if (until) return `up to ${titleOf(doc, until)}`;
  return from ? `from ${titleOf(doc, from)}` : "";
}

const keyOf = (keptAs: string) => `handoff-tests:${keptAs}`;

function keepRuns(earlier: EarlierRun[]): void {
  if (earlier === state().earlier) return;
  set({ earlier });
  remember(keyOf(state().boot.kept_as), JSON.stringify(earlier));
}

/** What this tab has tested before. */
export function keptRuns(keptAs: string): EarlierRun[] {
  return readRuns(sessionStorage.getItem(keyOf(keptAs)));
}

/** Shows a test run again, as it is now. */
export async function showEarlier(id: string): Promise<void> {
  const stubbed = state().earlier.find((each) => each.id === id)?.stubbed ?? [];
  forgetTrial();
  try {
    const trial = { ...(await told(id)), stubbed };
    set({ trial });
    keepRuns(withStatus(state().earlier, id, trial.status));
    if (!hasEnded(trial)) void follow(id, stubbed);
  } catch (why) {
    say(why instanceof Refused ? why.message : "The server is not responding.", "bad");
  }
}

export function forgetTrial(): void {
  follows += 1;
  set({ trial: null });
}

/** What a step gave, with what was left out of the run because it is large. Raises Refused or Unreached. */
export async function whole(run: string, step: TrialStep): Promise<TrialStep> {
  if (!step.truncated) return step;
  const { results } = await ask<{ results: TrialStep[] }>(
    `/api/v1/runs/${step.run_id ?? run}/steps?node=${encodeURIComponent(step.node)}`,
  );
  if (step.inner) {
    const { truncated: _cut, ...rest } = step;
    return results.length ? { ...rest, input: results[0].input, output: results[0].output } : step;
  }
  return results.find((each) => (each.index ?? null) === (step.index ?? null)) ?? step;
}

/** Has a step give in tests what it gave in the last one. */
export async function pinWhatItGave(run: string, step: TrialStep): Promise<void> {
  try {
    pin(step.node, (await whole(run, step)).output ?? null);
  } catch (why) {
    say(why instanceof Refused ? why.message : "The server is not responding. Nothing was pinned.", "bad");
  }
}

/** Says what a step gives in tests; undefined: it is done. */
export function pin(node: string, value: Json | undefined): void {
  const { doc } = state();
  const change = setting(doc, ["layout", "pins", node], value);
  if (change)
    act(value === undefined ? `Unpin ${titleOf(doc, node)}` : `Pin the output of ${titleOf(doc, node)}`, [change]);
}
