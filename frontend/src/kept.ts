/** What a tab keeps in the browser: groups that the server has not confirmed, conflicts, and the way back. */

import type { Group } from "./model/changes";
import type { Doc } from "./model/document";
import type { Conflict, Done } from "./store";

interface TabRecord {
  groups: Group[];
  conflicts: Conflict[];
  beat: number;
}

const ALIVE_MS = 6000;
/** What a tab keeps of one workflow: browsers give a site about 5,000,000 characters for all that it keeps. */
const MOST_CHARACTERS = 2_000_000;
const tab = sessionTab();

/** This tab's name; a reload keeps it, another tab has its own. */
function sessionTab(): string {
  const known = sessionStorage.getItem("handoff-tab");
  // A duplicated tab has a copy of the storage: the one that is older beats on.
  const isCopy =
    known !== null &&
    performance
      .getEntriesByType("navigation")
      .every((entry) => (entry as PerformanceNavigationTiming).type === "navigate");
  const name = known === null || isCopy ? Math.random().toString(36).slice(2) : known;
  sessionStorage.setItem("handoff-tab", name);
  return name;
}

function key(workflow: string, of: string = tab): string {
  return `handoff-draft:${workflow}:${of}`;
}

/** Whether the browser keeps them: where its storage is full or shut, the tab alone has them. */
export function keep(workflow: string, groups: Group[], conflicts: Conflict[]): boolean {
  try {
    if (groups.length || conflicts.length) {
      const text = JSON.stringify({ groups, conflicts, beat: Date.now() } satisfies TabRecord);
      if (text.length > MOST_CHARACTERS) return false;
      localStorage.setItem(key(workflow), text);
    } else localStorage.removeItem(key(workflow));
    return true;
  } catch {
    return false;
  }
}

/** What this tab, or one that is gone, left; what another one left is taken over, once. */
export function kept(workflow: string): { groups: Group[]; conflicts: Conflict[] } {
  const found: { groups: Group[]; conflicts: Conflict[] } = { groups: [], conflicts: [] };
  try {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(key(workflow, ""))) continue;
      const value = JSON.parse(localStorage.getItem(name) ?? "null") as TabRecord | null;
      const isOurs = name === key(workflow);
      if (!value || (!isOurs && Date.now() - value.beat < ALIVE_MS)) continue;
      found.groups.push(...value.groups);
      found.conflicts.push(...value.conflicts);
      localStorage.removeItem(name);
    }
  } catch {
    return found;
  }
  keep(workflow, found.groups, found.conflicts);
  return found;
}

/** Says that this tab is alive, so that nobody takes over what it keeps. */
export function beat(workflow: string): void {
  try {
    const value = JSON.parse(localStorage.getItem(key(workflow)) ?? "null") as TabRecord | null;
    if (value) localStorage.setItem(key(workflow), JSON.stringify({ ...value, beat: Date.now() }));
  } catch {
    // Nothing is kept then.
  }
}

/** What this tab remembers for a while: a sample input. One that is too long is forgotten with the page. */
export function remember(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch {
    sessionStorage.removeItem(name);
  }
}

/** A text, and the draft from which it was written. */
export interface KeptText {
  text: string;
  base: Doc;
}

/** A text that could not be read when its view was left; null forgets it. */
export function keepText(workflow: string, left: KeptText | null): void {
  try {
    if (left === null) sessionStorage.removeItem(`handoff-text:${workflow}`);
    else sessionStorage.setItem(`handoff-text:${workflow}`, JSON.stringify(left));
  } catch {
    // The storage is full or shut.
  }
}

export function keptText(workflow: string): KeptText | null {
  return JSON.parse(sessionStorage.getItem(`handoff-text:${workflow}`) ?? "null") as KeptText | null;
}

const MOST_KEPT = 100;

export function keepUndo(workflow: string, undo: Done[], redo: Done[]): void {
  try {
    sessionStorage.setItem(
      `handoff-undo:${workflow}`,
      JSON.stringify({ undo: undo.slice(-MOST_KEPT), redo: redo.slice(-MOST_KEPT) }),
    );
  } catch {
    sessionStorage.removeItem(`handoff-undo:${workflow}`);
  }
}

export function keptUndo(workflow: string): { undo: Done[]; redo: Done[] } | null {
  try {
    return JSON.parse(sessionStorage.getItem(`handoff-undo:${workflow}`) ?? "null") as {
      undo: Done[];
      redo: Done[];
    } | null;
  } catch {
    return null;
  }
}
