/** Trying the draft out: a test run is started, followed to its end, and shown on the canvas. */

import { Refused, ask } from "../api";
import type { Json, JsonObject } from "../model/json";
import { definition, say, set, state } from "../store";

export interface TrialStep {
  node: string;
  status: string;
  title: string;
  input?: Json;
  output?: Json;
  error?: { code?: string; message?: string } | null;
  duration_ms?: number | null;
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

export interface Wanted {
  input: Json;
  until?: string;
  only?: string;
  live: string[];
  outcomes: Record<string, string>;
}

const ENDED = new Set(["COMPLETED", "FAILED", "CANCELLED", "COMPENSATED", "CONTINUED", "WAITING_FOR_MANUAL_ACTION"]);
const POLL_MS = 350;

let follows = 0;

export function hasEnded(trial: Trial): boolean {
  return ENDED.has(trial.status);
}

/** Starts a test run of the draft as it stands here; gives what stands against it, or null. */
export async function start(wanted: Wanted): Promise<string | null> {
  const { boot } = state();
  const body: JsonObject = { ...(wanted as unknown as JsonObject), definition: definition(), pins: (state().doc.layout.pins ?? {}) as JsonObject };
  try {
    const trial = await ask<Trial>(`${boot.urls.api}/trials`, { method: "POST", body });
    set({ trial });
    void follow(trial.id, trial.stubbed);
    return null;
  } catch (why) {
    if (!(why instanceof Refused)) return "The server does not answer.";
    const problems = why.details.problems as { message: string }[] | undefined;
    return problems?.length ? `${why.message} ${problems[0].message}` : why.message;
  }
}

async function follow(id: string, stubbed: Stubbed[]): Promise<void> {
  follows += 1;
  const own = follows;
  for (;;) {
    await new Promise((resolve) => window.setTimeout(resolve, POLL_MS));
    if (own !== follows) return;
    try {
      const now = await ask<Trial>(`/api/v1/runs/${id}`);
      if (own !== follows) return;
      set({ trial: { ...now, stubbed } });
      if (ENDED.has(now.status)) {
        say(now.status === "COMPLETED" ? "The test run completed." : `The test run ended: ${now.error?.message ?? now.status.toLowerCase()}`, now.status === "COMPLETED" ? "info" : "bad");
        return;
      }
    } catch {
      // It is asked again: a server that is being started comes back.
    }
  }
}

export function forgetTrial(): void {
  follows += 1;
  set({ trial: null });
}
