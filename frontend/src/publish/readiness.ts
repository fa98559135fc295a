/** What the server's check before publishing finds, asked again whenever the draft on the server is another. */

import { useCallback, useEffect, useState } from "react";
import { ask } from "../api";
import type { JsonObject } from "../model/json";
import { type Problem, state, useBuilder } from "../store";

export interface Mend {
  kind: "fix" | "field" | "page" | "request";
  title: string;
  path: string | null;
  method: "POST" | "PATCH" | null;
  choices: { title: string; body: JsonObject }[];
  after_publish: boolean;
  allowed: boolean;
  people: string[];
}

export interface Finding extends Problem {
  validates: boolean;
  mend: Mend;
}

export interface Readiness {
  revision: number;
  version: number;
  ready: boolean;
  findings: Finding[];
}

/** The code of open runs that stay on older versions, which are moved once the draft is published. */
export const OLDER_RUNS = "runs_on_older_versions";

export interface Checked {
  /** Null before the first answer, and where there is none. */
  answer: Readiness | null;
  failed: boolean;
  again: () => void;
}

/** The findings of the draft that is saved. The last answer stays until the next one comes. */
export function useReadiness(): Checked {
  const revision = useBuilder((now) => now.revision);
  const isSaving = useBuilder((now) => now.pending.length > 0);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<Readiness | null>(null);
  const [failed, setFailed] = useState(false);
  const again = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    if (isSaving) return;
    let isCurrent = true;
    ask<Readiness>(`${state().boot.urls.api}/readiness`).then(
      (found) => {
        if (!isCurrent) return;
        setAnswer(found);
        setFailed(false);
      },
      () => isCurrent && setFailed(true),
    );
    return () => {
      isCurrent = false;
    };
  }, [revision, isSaving, round]);
  useEffect(() => {
    // What was mended on another page is seen when its reader comes back.
    window.addEventListener("focus", again);
    return () => window.removeEventListener("focus", again);
  }, [again]);
  return { answer, failed, again };
}

/** Sends the request of a press. Raises Refused or Unreached. */
export async function send({ path, method, choices }: Mend, choice = 0): Promise<JsonObject> {
  return ask<JsonObject>(path ?? "", { method: method ?? "POST", body: choices[choice].body });
}

/** `ann, bob and cy`. */
export function listed(names: string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : (names[0] ?? "");
}
