/** Another id for a step: the server rewrites what reads it. */

import { Refused, ask } from "../api";
import { diff } from "../model/changes";
import type { Doc, Layout } from "../model/document";
import { keyed } from "../model/document";
import { free, slug } from "../model/names";
import type { JsonObject } from "../model/json";
import { act, definition, select, set, state } from "../store";

interface Answer {
  definition: JsonObject;
  unread?: string[];
}

const stable = new Map<string, string>();
const others = new Map<string, string>();
let renamings = 0;

/** A name for a step that stays when its id changes, so that what is typed in has its focus still. */
export function lasting(id: string): string {
  return stable.get(id) ?? id;
}

/** What a step or a connection is called by now that was called so: who asked for something goes on meanwhile. */
export function calledNow(key: string, there: Record<string, unknown>): string {
  let now = key;
  for (let next = others.get(now); !Object.hasOwn(there, now) && next !== undefined; next = others.get(now)) now = next;
  return now;
}

/** A step goes on under another id, so whatever was asked of it, or is typed in it, goes on, too. */
export function goesOnAs(from: string, to: string): void {
  const name = lasting(from);
  others.set(from, to);
  // An id that was given back leads nowhere else.
  others.delete(to);
  stable.set(to, name);
  // The next step that gets the id is another one.
  renamings += 1;
  stable.set(from, `${from} ${renamings}`);
  const { [from]: isClosed, ...folds } = state().folds;
  if (isClosed !== undefined) set({ folds: { ...folds, [to]: isClosed } });
}

// Somebody who types on while the server is being asked has changed the draft by every answer.
const MOST_TRIES = 20;

/**
 * Renames a step. `isWanted`: nobody asked for it, so it is no act of its own, and is done only while this holds.
 * Gives why it can't be done, in a sentence, or null.
 */
export async function rename(from: string, to: string, isWanted?: () => boolean): Promise<string | null> {
  if (from === to) return null;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const why = await renamedNow(from, to, isWanted !== undefined);
    if (why !== "changed") return why;
    if (!Object.hasOwn(state().doc.nodes, from)) return "This step no longer exists.";
    if (isWanted && !isWanted()) return "The rename was cancelled.";
  }
  return "The draft keeps changing. Try again.";
}

/** Another label for a fact of a step, also where expressions read it, as one act. Gives why not, or null. */
export async function renameFact(step: string, from: string, to: string): Promise<string | null> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = state().doc;
    let answer: Answer;
    try {
      const body = { definition: definition(), step: calledNow(step, before.nodes), from, to };
      answer = await ask<Answer>(`${state().boot.urls.api}/rename-fact`, { method: "POST", body });
    } catch (error) {
      return error instanceof Error ? error.message : "The fact can't be renamed right now.";
    }
    const { doc } = state();
    if (doc.nodes !== before.nodes || doc.edges !== before.edges || doc.settings !== before.settings) continue;
    const layout = doc.layout as JsonObject;
    const changes = diff(keyed(definition(), layout), keyed(answer.definition, layout));
    return act(`Rename ${from} to ${to}`, changes) ? null : "The fact can't be renamed right now.";
  }
  return "The draft keeps changing. Try again.";
}

/** One try: "changed" if the draft isn't the one any more that the server was asked about. */
async function renamedNow(from: string, to: string, joins: boolean): Promise<string | null> {
  const before = state().doc;
  let answer: Answer;
  try {
    answer = await ask<Answer>(`${state().boot.urls.api}/rename-step`, {
      method: "POST",
      body: { definition: definition(), from, to },
    });
  } catch (error) {
    return error instanceof Refused || error instanceof Error ? error.message : "The step can't be renamed right now.";
  }
  const now = state();
  if (now.doc.nodes !== before.nodes || now.doc.edges !== before.edges || now.doc.settings !== before.settings) {
    return "changed";
  }
  const renamed = keyed(answer.definition, followed(now.doc.layout, from, to) as JsonObject);
  // Both in the order of a definition, so that nothing but the name is different.
  const was = keyed(definition(), now.doc.layout as JsonObject);
  if (!act(`Rename ${from} to ${to}`, diff(was, renamed), { joins })) return "The step can't be renamed right now.";
  const keys = Object.keys(renamed.edges);
  for (const [at, key] of Object.keys(was.edges).entries()) if (key !== keys[at]) others.set(key, keys[at]);
  goesOnAs(from, to);
  const { selected, connecting } = state();
  // Its id followed its title while the steps are looked through to which it is to lead.
  if (connecting === from) set({ connecting: to });
  if (selected.nodes.includes(from))
    select({ ...selected, nodes: selected.nodes.map((id) => (id === from ? to : id)) });
  return null;
}

/** Places, pins, groups and what is collapsed go with the id. */
function followed(layout: Layout, from: string, to: string): Layout {
  const moved = <T>(entries: Record<string, T> | undefined) =>
    entries && Object.hasOwn(entries, from)
      ? Object.fromEntries(Object.entries(entries).map(([id, each]) => [id === from ? to : id, each]))
      : entries;
  const groups =
    layout.groups &&
    Object.fromEntries(
      Object.entries(layout.groups).map(([key, group]) => [
        key,
        { ...group, nodes: group.nodes.map((id) => (id === from ? to : id)) },
      ]),
    );
  const made: Layout = { ...layout };
  if (layout.nodes) made.nodes = moved(layout.nodes);
  if (layout.pins) made.pins = moved(layout.pins);
  if (layout.collapsed) made.collapsed = moved(layout.collapsed);
  if (groups) made.groups = groups;
  return made;
}

/** The id that goes with a new title; null where the step has one of its own already. */
export function idFor(
  doc: Doc,
  id: string,
  oldTitle: string,
  title: string,
  typeTitle: string,
  published: string[],
  kept: Record<string, unknown> = {},
): string | null {
  if (published.includes(id) || !slug(title)) return null;
  const isAutomatic = [oldTitle, typeTitle].some(
    (each) => slug(each) && new RegExp(`^${slug(each)}(_\\d+)?$`).test(id),
  );
  if (!isAutomatic) return null;
  const { [id]: _own, ...others } = { ...kept, ...doc.nodes };
  const wanted = free(slug(title), others);
  return wanted === id ? null : wanted;
}
