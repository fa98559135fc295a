/** What becomes of that which is not sent yet where it meets what others did. */

import { goesOnAs } from "./inspector/rename";
import { taken, underOtherId } from "./model/again";
import type { Change, Group } from "./model/changes";
import { apply, applyWhatFits, at, sameOrNone, setting } from "./model/changes";
import type { Doc } from "./model/document";
import type { Json } from "./model/json";
import { applyLate, onceMore } from "./model/meanwhile";
import { areAbout, followed, wayFollowed } from "./model/renames";
import { type Done, newGroup, say, set, state, stayAs, stayPath, withGroups } from "./store";

/** A change that the server did not make, as the value is another one by now. */
export interface Met {
  group: string;
  path: string[];
  yours?: Json;
  theirs?: Json;
  by: string | null;
  at: string | null;
}

/** Whether what was written is of a step, or of a connection of one, that somebody else has deleted. */
export function isOfDeleted(doc: Doc, { path, yours }: Pick<Met, "path" | "yours">): boolean {
  const [root, key] = path;
  if (yours === undefined || !key) return false;
  const steps = root === "edges" ? key.split(/[>#]/).slice(0, 2) : root === "nodes" && path.length > 2 ? [key] : [];
  return steps.some((id) => !Object.hasOwn(doc.nodes, id));
}

/** What is not sent yet, can be undone, is selected and is typed in goes on in steps that somebody gave another id. */
export function follow(ids: Map<string, string>): void {
  const { pending, undo, redo, conflicts, selected } = state();
  for (const [from, to] of ids) goesOnAs(from, to);
  set({
    pending: underNewIds(pending, ids),
    undo: underNewIds(undo, ids),
    redo: underNewIds(redo, ids),
    conflicts: underNewPaths(underNewIds(conflicts, ids), ids),
    selected: {
      ...selected,
      nodes: selected.nodes.map((id) => ids.get(id) ?? id),
      edges: selected.edges.map((key) => wayFollowed(key, ids)),
    },
  });
  const path = stayPath();
  if (path && areAbout([{ path }], ids)) stayAs(followed([{ path }], ids)[0].path);
}

/** Acts, groups and conflicts with the new ids in their changes. */
export function underNewIds<Act extends { changes: Change[] }>(acts: Act[], ids: Map<string, string>): Act[] {
  return acts.map((act) => (areAbout(act.changes, ids) ? { ...act, changes: followed(act.changes, ids) } : act));
}

/** What is said of places, with the new ids in them. */
export function underNewPaths<Entry extends { path: string[] }>(all: Entry[], ids: Map<string, string>): Entry[] {
  return all.map((each) => ({ ...each, path: followed([{ path: each.path }], ids)[0].path }));
}

/** What somebody is typing, and what the server had in that field until now. */
export interface Typing {
  typed: Json | undefined;
  known: Json | undefined;
}

/** What is being typed; null where nobody types. */
export function typing(before: Doc): Typing | null {
  const path = stayPath();
  return path && { typed: at(state().doc, path), known: at(before, path) };
}

/**
 * The field that is typed in, where the draft has somebody else's value by now: it goes on showing what is typed. Where
 * the server doesn't know of that yet it is told, and answers that both have set it.
 */
export function holding(
  now: Typing | null,
  base: Doc,
  pending: Group[],
  met: Met[],
): { held: string[] | null; group: Group[] } {
  const path = stayPath();
  const nothing = { held: null, group: [] };
  // What is typed in something that is gone is another matter.
  const owner = path?.slice(0, path[0] === "layout" ? 3 : 2);
  if (!path || !owner || !now || at(base, owner) === undefined) return nothing;
  const { typed, known } = now;
  if (sameOrNone(at(withGroups(base, pending), path), typed)) return nothing;
  const is = (other: string[]) => other.join("\n") === path.join("\n");
  const { conflicts, undo } = state();
  const isTold =
    pending.some((group) => group.changes.some((change) => is(change.path))) ||
    met.some((each) => is(each.path)) ||
    conflicts.some((each) => is(each.path) && sameOrNone(each.yours, typed));
  // Nothing is said of a field that is as empty as it was.
  const isSaid = !isTold && (known !== undefined || typed !== undefined);
  const group = newGroup(undo.at(-1)?.label ?? "", [{ path, from: known, to: typed }]);
  return { held: path, group: isSaid ? [group] : [] };
}

/** The draft with what is typed in a field in place of what it has there. */
export function shown(doc: Doc, held: string[] | null, now: Typing | null): Doc {
  const change = held && now && setting(doc, held, now.typed);
  return (change && apply(doc, [change])) ?? doc;
}

/**
 * The groups that met only another id of their step, under that; those that met only what the same person did in another
 * tab; and the conflicts with others.
 */
export function whose(
  conflicts: Met[],
  sent: Group[],
  ids: Map<string, string>,
): { moved: Group[]; own: Set<string>; others: Met[] } {
  const { me } = state().boot;
  const met = (id: string) => conflicts.filter((conflict) => conflict.group === id);
  const isMoved = (id: string) => met(id).length > 0 && met(id).every(({ path }) => areAbout([{ path }], ids));
  const moved = sent.filter((group) => isMoved(group.id));
  const left = conflicts.filter((conflict) => !isMoved(conflict.group));
  const others = left.filter((conflict) => conflict.by !== me);
  const asked = new Set(others.map((conflict) => conflict.group));
  return {
    moved: moved.map(({ label, changes }) => newGroup(label, followed(changes, ids))),
    own: new Set(left.map(({ group }) => group).filter((group) => !asked.has(group))),
    others,
  };
}

/**
 * What is still to be sent, with groups that met what the same person did in another tab: nobody is asked, the later
 * write stays. What both tabs added under one id stays twice, the later one under another id.
 */
export function writtenAgain(base: Doc, groups: Group[], left: Group[]): Group[] {
  const own = state().doc;
  let queue = [...groups, ...left];
  for (const each of groups.flatMap((group) => taken(base, group.changes, own))) {
    const otherwise = (changes: Change[]) => underOtherId(changes, each);
    queue = queue.map((group) => ({ ...group, changes: otherwise(group.changes) }));
    const stack = (acts: Done[]) => acts.map((act) => ({ ...act, changes: otherwise(act.changes) }));
    const { undo, redo, selected } = state();
    const called = (id: string) => (each.path[0] === "nodes" && id === each.path[1] ? each.id : id);
    set({ undo: stack(undo), redo: stack(redo), selected: { ...selected, nodes: selected.nodes.map(called) } });
  }
  const made: Group[] = [];
  let doc = base;
  for (const { label, changes } of queue.slice(0, groups.length)) {
    const wanted = onceMore(doc, changes);
    if (wanted.length) made.push(newGroup(label, wanted));
    else if (changes.some((change) => change.to !== undefined && at(doc, change.path) === undefined))
      say(`Not done: ${label}. You deleted it in another tab.`);
    doc = applyWhatFits(doc, wanted).doc;
  }
  return [...made, ...queue.slice(groups.length)];
}

/**
 * What is still to be sent and was done before one heard of what others did: a step that gets another id takes the
 * connections along that they drew, and what would lead to a step that they took out stands among the conflicts.
 */
export function caughtUp(groups: Group[], was: Doc, base: Doc): { pending: Group[]; met: Met[] } {
  const pending: Group[] = [];
  const met: Met[] = [];
  let doc = base;
  for (const group of groups) {
    const made = applyLate(doc, group.changes, was, base);
    // What does not fit is judged by the server, as ever.
    if ("misfit" in made && apply(doc, group.changes)) {
      const { path, to } = made.misfit;
      met.push({ group: group.id, path, yours: to, theirs: at(doc, path), by: null, at: null });
      continue;
    }
    pending.push("misfit" in made ? group : { ...group, changes: made.changes });
    doc = "misfit" in made ? applyWhatFits(doc, group.changes).doc : made.doc;
  }
  return { pending, met };
}
