/**
 * Saving: what was done is sent in groups, again and again until the server has said that it has them. A group that
 * arrives twice changes nothing, so no answer that got lost loses or doubles anything. What is not sent yet is kept in the
 * browser's storage: it outlives the tab.
 */

import { beside, unplaced, withPlaces, withPlacesOf } from "./canvas/places";
import { Refused, Unreached, ask } from "./api";
import type { Change, Group } from "./model/changes";
import { applyWhatFits, at } from "./model/changes";
import type { Doc } from "./model/document";
import { keyed } from "./model/document";
import type { Json, JsonObject } from "./model/json";
import { onceMore } from "./model/meanwhile";
import { renamed } from "./model/renames";
import {
  type Met,
  caughtUp,
  follow,
  holding,
  isOfDeleted,
  shown,
  typing,
  underNewIds,
  underNewPaths,
  whose,
  writtenAgain,
} from "./meeting";
import { keep, kept, keptUndo, keepUndo } from "./kept";
import type { Conflict, Problem } from "./store";
import {
  act,
  endGrowth,
  endStay,
  keepSelectionTrue,
  say,
  set,
  squeezed,
  state,
  useBuilder,
  whenChanged,
  withGroups,
} from "./store";
import { stay } from "./presence";

interface Answer {
  revision: number;
  applied: string[];
  conflicts: Met[];
  definition?: JsonObject;
  layout?: JsonObject;
  problems: Problem[];
}

const QUIET_MS = 60;
const POLL_MS = 4000;
/** A server that hangs must not keep the rest back; what it did after all counts as applied when it is sent again. */
const ANSWER_MS = 30000;
const MOST_GROUPS = 400;
const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15000];

let timer: number | undefined;
let inFlight = false;
let failures = 0;
/** After a refusal the groups go one by one, so that one that is never taken keeps no other back. */
let isOneByOne = false;

/** Begins: sends what an earlier tab left, what is done from now on, and asks now and then what others did. */
export function startSync(): void {
  whenChanged(() => {
    persist();
    if (state().save.kind !== "offline") set({ save: { kind: "saving" } });
    later(QUIET_MS);
  });
  const left = kept(state().boot.kept_as);
  const mayWrite = state().boot.may_write;
  const stacks = keptUndo(state().boot.kept_as);
  if (stacks && mayWrite) set(stacks);
  if (!mayWrite && left.groups.length)
    say(
      "Your last changes were not saved: you can no longer edit this workflow. They are kept in this browser.",
      "bad",
    );
  if (mayWrite && (left.groups.length || left.conflicts.length)) {
    const doc = withGroups(state().doc, left.groups);
    set({ doc, pending: left.groups, conflicts: left.conflicts, save: { kind: "saving" } });
    if (left.groups.length)
      say(
        left.groups.length === 1
          ? "Sending 1 earlier change now."
          : `Sending ${left.groups.length} earlier changes now.`,
      );
  }
  void send();
  void stay();
  window.addEventListener("online", () => void send());
  window.addEventListener("offline", () => {
    if (mayWrite) set({ save: { kind: "offline", why: "" } });
  });
  window.addEventListener("beforeunload", (event) => {
    if (!state().isKept && state().pending.length) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    void send();
    void stay();
  });
  window.setInterval(() => void (document.visibilityState === "visible" && look()), POLL_MS);
  useBuilder.subscribe((now, was) => {
    if (now.undo !== was.undo || now.redo !== was.redo) keepUndo(now.boot.kept_as, now.undo, now.redo);
  });
}

/** Says that one is here, which tells whether there is anything new; the draft is asked for where there is, or nobody knows. */
async function look(): Promise<void> {
  const revision = await stay();
  const isOff = state().save.kind === "offline";
  const isKnown = !isOff && revision !== null && revision === state().revision && revision === judged;
  if (!isKnown && !state().pending.length) await send();
}

function later(ms: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void send(), ms);
}

function persist(): void {
  const { boot, pending, conflicts } = state();
  // Who may not write now keeps what was written before.
  if (boot.may_write) set({ isKept: keep(boot.kept_as, pending, conflicts) });
}

/** Sends what is pending, or asks for what is new. One request at a time. */
export async function send(): Promise<void> {
  if (inFlight) return;
  inFlight = true;
  window.clearTimeout(timer);
  const { boot, revision, pending } = state();
  const sent = boot.may_write ? pending.slice(0, isOneByOne ? 1 : MOST_GROUPS) : [];
  if (sent.length) endGrowth();
  try {
    const answer = sent.length ? await changed(revision, sent) : await looked(revision);
    failures = 0;
    isOneByOne = isOneByOne && state().pending.length > sent.length;
    take(answer, sent);
  } catch (error) {
    failed(error, sent);
  } finally {
    inFlight = false;
  }
  if (state().pending.length && state().save.kind !== "refused")
    later(failures ? WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] : QUIET_MS);
}

/** The revision whose problems are known. */
let judged: number | null = null;

function changed(revision: number, groups: Group[]): Promise<Answer> {
  return ask<Answer>(`${state().boot.urls.api}/draft`, {
    automatic: !groups.length,
    method: "PATCH",
    body: { revision, groups: groups as unknown as Json },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

/** The draft as it is now; nothing is fetched and nothing judged while it is what is known here. */
async function looked(revision: number): Promise<Answer> {
  const { boot, problems } = state();
  const known = judged === revision ? `"${revision}"` : undefined;
  const now = await ask<{ revision: number; definition: JsonObject; layout: JsonObject } | null>(
    `${boot.urls.api}/draft`,
    { automatic: true, known, signal: AbortSignal.timeout(ANSWER_MS) },
  );
  if (!now) return { revision, applied: [], conflicts: [], problems };
  if (boot.may_write) return changed(revision, []);
  const judgement = await ask<{ problems: Problem[] }>(`${boot.urls.workflows}/validate`, {
    automatic: true,
    method: "POST",
    body: { definition: now.definition },
  });
  const news = now.revision === revision ? {} : { definition: now.definition, layout: now.layout };
  return { revision: now.revision, applied: [], conflicts: [], problems: judgement.problems, ...news };
}

function take(answer: Answer, sent: Group[]): void {
  judged = answer.revision;
  const settled = new Set(answer.applied);
  const before = withGroups(
    state().base,
    sent.filter((group) => settled.has(group.id)),
  );
  const base = answer.definition ? drawn(answer.definition, answer.layout ?? {}, state().base) : before;
  const ids = answer.definition ? renamed(before, base) : new Map<string, string>();
  const typed = typing(before);
  if (ids.size) follow(ids);
  const { moved, own, others } = whose(answer.conflicts, sent, ids);
  const gone = new Set(sent.map((group) => group.id));
  const left = state().pending.filter((group) => !gone.has(group.id));
  const known = underNewIds(sent, ids);
  const mine = known.filter((group) => own.has(group.id));
  const next = mine.length ? writtenAgain(base, mine, left) : left;
  const { held, group } = holding(typed, base, [...moved, ...next], underNewPaths(answer.conflicts, ids));
  const waiting = [...moved, ...next, ...group];
  const { pending, met } = answer.definition ? caughtUp(waiting, before, base) : { pending: waiting, met: [] };
  const now = state();
  const conflicts = [...underNewPaths(others, ids), ...met]
    .map((conflict) => told(conflict, [...known, ...waiting]))
    .reduce(withConflict, now.conflicts);
  const changed = answer.definition || answer.conflicts.length;
  const doc = changed ? shown(withGroups(base, pending), held, typed) : now.doc;
  const save = pending.length ? ({ kind: "saving" } as const) : savedNow(now.save, sent.length > 0);
  set({ base, revision: answer.revision, pending, conflicts, doc, held, problems: answer.problems, save });
  if (changed) keepSelectionTrue();
  // Who types on in such a field has been told once.
  if (conflicts.length > now.conflicts.length) {
    set({ showsConflicts: true });
    const isDeleted = conflicts.slice(now.conflicts.length).every((each) => isOfDeleted(base, each));
    say(
      isDeleted
        ? "Someone else deleted the step that this is about. What you did is kept until you take theirs."
        : "Someone else changed the same field. Both values are kept: choose one.",
      "bad",
    );
  }
  persist();
}

/** The conflicts with one more; those about one field are one, from the first value to the last that was typed. */
function withConflict(conflicts: Conflict[], next: Conflict): Conflict[] {
  const place = conflicts.findIndex((each) => !each.refused && each.path.join("\n") === next.path.join("\n"));
  if (place < 0) return [...conflicts, next];
  const before = conflicts[place];
  const changes = before.group === next.group ? next.changes : squeezed([...before.changes, ...next.changes]);
  return conflicts.with(place, { ...next, changes });
}

function savedNow(before: ReturnType<typeof state>["save"], isNew: boolean): ReturnType<typeof state>["save"] {
  return before.kind === "saved" && !isNew ? before : { kind: "saved", at: new Date().toISOString() };
}

function drawn(definition: JsonObject, layout: JsonObject, before: Doc): Doc {
  try {
    const doc = keyed(definition, layout);
    const known = Object.entries(before.layout.nodes ?? {}).filter(([id]) => Object.hasOwn(doc.nodes, id));
    const shown = withPlaces(doc, Object.fromEntries(known));
    return unplaced(shown).length ? withPlacesOf(shown, beside(shown)) : shown;
  } catch {
    say("The draft was replaced by one that can't be shown as a graph. Open it as text.", "bad");
    return before;
  }
}

function told(conflict: Met, sent: Group[]): Conflict {
  const group = sent.find((each) => each.id === conflict.group);
  return { ...conflict, label: group?.label ?? "", changes: group?.changes ?? [] };
}

/** What the server takes of nobody and never: a text that can't be stored, a name that is too long. */
function isHopeless(error: Refused): boolean {
  return [400, 413, 422].includes(error.status) && error.code !== "not_keyable";
}

/** Puts a group aside that is refused whenever it is sent. Its values are shown until they are given up. */
function putAside(group: Group, why: string): void {
  const now = state();
  const pending = now.pending.filter((each) => each.id !== group.id);
  const doc = withGroups(now.base, pending);
  const values = group.changes.filter((change) => change.path[0] !== "layout" || group.changes.length === 1);
  const conflicts = values.slice(0, 1).map((change) => ({
    group: group.id,
    label: group.label,
    path: change.path,
    yours: change.to,
    theirs: change.from,
    by: null,
    at: null,
    refused: why,
    changes: group.changes,
  }));
  set({
    pending,
    doc,
    conflicts: [...now.conflicts, ...conflicts],
    save: pending.length ? { kind: "saving" } : { kind: "saved", at: new Date().toISOString() },
  });
  keepSelectionTrue();
  say(`Not saved: ${why}`, "bad");
  persist();
}

function failed(error: unknown, sent: Group[]): void {
  if (error instanceof Refused && isHopeless(error) && sent.length) {
    if (sent.length === 1) putAside(sent[0], error.message);
    else isOneByOne = true;
    return;
  }
  if (error instanceof Refused && error.status !== 401 && error.status !== 403) {
    set({ save: { kind: "refused", why: error.message } });
    say(`Not saved: ${error.message}`, "bad");
    return;
  }
  failures += 1;
  const why =
    error instanceof Refused
      ? error.status === 401
        ? "You are logged out. Log in again in another tab; your changes are kept here."
        : `${error.message} Your changes are kept here.`
      : "";
  const isOff = error instanceof Unreached && state().boot.may_write;
  if (isOff || sent.length || state().pending.length) set({ save: { kind: "offline", why } });
  if (!(error instanceof Refused || error instanceof Unreached)) throw error;
}

/** Whether a value would go nowhere: its step or its connection is gone, and these changes don't bring it back. */
function hasNoPlace(doc: Doc, changes: Change[]): boolean {
  const { doc: after } = applyWhatFits(doc, onceMore(doc, changes));
  return changes.some(
    ({ path, to }) =>
      to !== undefined && (path.length > 2 || path[0] === "edges") && at(after, path.slice(0, 2)) === undefined,
  );
}

/** Puts an end to conflicts: what is there stays, or what was wanted is made again over it. */
export function resolve(conflicts: Conflict[], choice: "theirs" | "mine"): void {
  endStay();
  for (const conflict of conflicts) {
    const now = state();
    if (!now.conflicts.includes(conflict)) continue;
    const wanted = choice === "mine" ? onceMore(now.doc, conflict.changes) : [];
    if (choice === "mine" && hasNoPlace(now.doc, conflict.changes)) {
      say("What it belongs to is gone, so it can't be put in. It stays here until you take theirs.", "bad");
      continue;
    }
    if (wanted.length && !act(conflict.label || "Keep mine", wanted)) return;
    const isDone = (each: Conflict) =>
      each === conflict || (choice === "mine" && !each.refused && each.group === conflict.group);
    set({ conflicts: state().conflicts.filter((each) => !isDone(each)) });
  }
  persist();
}
