/** Containers that are collapsed to a card, and opened again: pure. What is kept of it lies in the layout. */

import { holdsSteps, homeOf, stepsIn, withContents } from "./bodies";
import { type Box, GRID, place, sizeOf } from "./boxes";
import type { Change } from "./changes";
import { Draft, apply } from "./changes";
import type { Doc, Layout, Place } from "./document";
import { isCollapsed } from "./levels";
import { counted } from "./words";

/** How many steps stand in a container, at whatever depth. */
export function countIn(doc: Doc, id: string): number {
  return withContents(doc, [id]).length - 1;
}

/** How many steps there are, in words. */
export function stepsInWords(count: number): string {
  return counted(count, "step");
}

/** The container that is meant by a step: itself, if steps stand in it, or the one that it stands in. */
export function foldable(doc: Doc, id: string): string | null {
  return holdsSteps(doc.nodes[id]) && stepsIn(doc, id).length > 0 ? id : homeOf(doc, id);
}

/** A container as one card; what stands around it comes nearer, where nothing is in the way. */
export function collapsed(doc: Doc, id: string): Change[] {
  if (isCollapsed(doc, id) || !holdsSteps(doc.nodes[id])) return [];
  const draft = new Draft(doc).set(["layout", "collapsed", id], true);
  keepDistance(draft, doc, id);
  return draft.changes;
}

/** Containers with what stands in them; what stands around gives way where it must. */
export function opened(doc: Doc, ids: string[]): Change[] {
  const draft = new Draft(doc);
  for (const id of ids.filter((each) => Object.hasOwn(doc.nodes, each))) {
    const before = draft.doc;
    draft.set(["layout", "collapsed", id], undefined);
    keepDistance(draft, before, id);
  }
  return draft.changes;
}

/** Containers that are collapsed (true) or open (false) for one reader alone, whatever the draft says. */
export type Folds = Record<string, boolean>;

/** What would make the draft what one reader sees of it. */
export function foldChanges(doc: Doc, folds: Folds): Change[] {
  const draft = new Draft(doc);
  for (const [id, isClosed] of Object.entries(folds)) {
    if (!holdsSteps(draft.doc.nodes[id]) || isCollapsed(draft.doc, id) === isClosed) continue;
    for (const change of isClosed ? collapsed(draft.doc, id) : opened(draft.doc, [id])) draft.add(change);
  }
  return draft.changes;
}

const known = new WeakMap<Doc, { folds: Folds; seen: Doc }>();

/** The draft as one reader sees it. Kept while neither changes; its places while they are the same. */
export function asSeen(doc: Doc, folds: Folds): Doc {
  const kept = known.get(doc);
  if (kept?.folds === folds) return kept.seen;
  const changes = foldChanges(doc, folds);
  const seen = changes.length ? withSamePlaces(apply(doc, changes) ?? doc) : doc;
  known.set(doc, { folds, seen });
  return seen;
}

let last: Layout = {};

/** With the objects that were seen last, where they say the same: what hangs on places is not worked out again. */
function withSamePlaces(doc: Doc): Doc {
  const same = (["nodes", "collapsed"] as const)
    .filter((name) => JSON.stringify(last[name]) === JSON.stringify(doc.layout[name]))
    .map((name) => [name, last[name]] as const);
  last = { ...doc.layout, ...Object.fromEntries(same) };
  return { ...doc, layout: last };
}

/**
 * What stands beside and below a container, and those around it, keeps its distance from what has another size now. To
 * what has grown it gives way only where that lies on something.
 */
export function keepDistance(draft: Draft, before: Doc, container: string): void {
  for (let id: string | null = container; id !== null; id = homeOf(draft.doc, id)) {
    const [was, now] = [sizeOf(before, id), sizeOf(draft.doc, id)];
    const by = { x: now.w - was.w, y: now.h - was.h };
    if (!by.x && !by.y) return;
    const grows = by.x > 0 || by.y > 0;
    if (grows && !isHit(draft.doc, id)) continue;
    const at = place(draft.doc, id);
    const moved: Record<string, Place> = {};
    for (const other of othersBeside(draft.doc, id)) {
      const { x, y } = place(draft.doc, other);
      if (x >= at.x + was.w) moved[other] = { x: x + by.x, y };
      else if (y >= at.y + was.h) moved[other] = { x, y: y + by.y };
    }
    if (!grows && isCrowded(draft.doc, id, moved)) continue;
    for (const [other, to] of Object.entries(moved)) draft.set(["layout", "nodes", other], to);
  }
}

function othersBeside(doc: Doc, id: string): string[] {
  return stepsIn(doc, homeOf(doc, id)).filter((other) => other !== id && doc.layout.nodes?.[other] !== undefined);
}

function boxIn(doc: Doc, id: string): Box {
  return { ...place(doc, id), ...sizeOf(doc, id) };
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.w + GRID &&
    other.x < one.x + one.w + GRID &&
    one.y < other.y + other.h + GRID &&
    other.y < one.y + one.h + GRID
  );
}

function isHit(doc: Doc, id: string): boolean {
  const own = boxIn(doc, id);
  return othersBeside(doc, id).some((other) => overlap(own, boxIn(doc, other)));
}

/** Whether one of the moved steps would lie on another one, or on the container. */
function isCrowded(doc: Doc, id: string, moved: Record<string, Place>): boolean {
  const boxes = [id, ...othersBeside(doc, id)].map((each) => ({ each, ...boxIn(doc, each), ...moved[each] }));
  const shifted = boxes.filter(({ each }) => Object.hasOwn(moved, each));
  return shifted.some((one) => boxes.some((other) => other.each !== one.each && overlap(one, other)));
}
