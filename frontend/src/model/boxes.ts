/**
 * Where steps stand and how large they are. A step in a container stands at so much to the right of and below the
 * container's own place; a container is as large as what stands in it.
 */

import { around, holdsSteps, homeOf, homesOf, stepsIn } from "./bodies";
import type { Draft } from "./changes";
import type { Doc, Place } from "./document";
import { coverOf, isCollapsed } from "./levels";

export const WIDTH = 240;
export const HEIGHT = 72;
export const GAP_X = 90;
export const GAP_Y = 36;
export const GRID = 10;
/** Where the first step of a container stands in it, and how much room is left on its other sides. */
export const FIRST: Place = { x: 30, y: 90 };
/** The button for the next step stands there. */
const RIGHT = 60;
const BELOW = 30;

export interface Size {
  w: number;
  h: number;
}
export type Box = Place & Size;

const CARD: Size = { w: WIDTH, h: HEIGHT };
const EMPTY: Size = { w: FIRST.x + WIDTH + RIGHT, h: FIRST.y + HEIGHT + BELOW };

/** Where a step stands: on the canvas, or in its container. */
export function place(doc: Doc, id: string): Place {
  return doc.layout.nodes?.[id] ?? { x: 0, y: 0 };
}

type SizesEntry = { places: Doc["layout"]["nodes"]; collapsed: Doc["layout"]["collapsed"]; sizes: Map<string, Size> };
const cache = new WeakMap<Doc["nodes"], SizesEntry>();

/** How large a step is drawn; a container that is collapsed as a card. Kept while neither steps nor the layout change. */
export function sizeOf(doc: Doc, id: string): Size {
  const entry = cache.get(doc.nodes);
  if (entry && entry.places === doc.layout.nodes && entry.collapsed === doc.layout.collapsed)
    return entry.sizes.get(id) ?? CARD;
  const sizes = new Map<string, Size>();
  const homes = homesOf(doc.nodes);
  // What stands deepest has its size first.
  const ids = [...homes.keys()].map((each) => ({ each, depth: around(doc, each).length }));
  for (const { each } of ids.toSorted((one, other) => other.depth - one.depth)) {
    const open = sizes.get(each) ?? (holdsSteps(doc.nodes[each]) ? EMPTY : CARD);
    const own = isCollapsed(doc, each) ? CARD : open;
    sizes.set(each, own);
    const home = homes.get(each) ?? null;
    const at = doc.layout.nodes?.[each];
    if (home === null || !at) continue;
    const before = sizes.get(home) ?? EMPTY;
    sizes.set(home, { w: Math.max(before.w, at.x + own.w + RIGHT), h: Math.max(before.h, at.y + own.h + BELOW) });
  }
  cache.set(doc.nodes, { places: doc.layout.nodes, collapsed: doc.layout.collapsed, sizes });
  return sizes.get(id) ?? CARD;
}

/** Where a step stands on the canvas. */
export function spotOf(doc: Doc, id: string): Place {
  return [id, ...around(doc, id)]
    .map((each) => place(doc, each))
    .reduce((sum, at) => ({ x: sum.x + at.x, y: sum.y + at.y }));
}

/** What a step covers of the canvas. */
export function boxOf(doc: Doc, id: string): Box {
  return { ...spotOf(doc, id), ...sizeOf(doc, id) };
}

/** A point of the canvas as one in a container. */
export function seenFrom(doc: Doc, container: string | null, at: Place): Place {
  if (container === null) return at;
  const from = spotOf(doc, container);
  return { x: at.x - from.x, y: at.y - from.y };
}

/** The innermost open container that has this point of the canvas, leaving out these steps and what is in them. */
export function containerAt(doc: Doc, at: Place, without: Set<string> = new Set()): string | null {
  let found: { id: string; depth: number } | null = null;
  for (const id of Object.keys(doc.nodes)) {
    if (!holdsSteps(doc.nodes[id]) || isCollapsed(doc, id) || coverOf(doc, id) !== id) continue;
    const outer = around(doc, id);
    if (without.has(id) || outer.some((each) => without.has(each))) continue;
    const box = boxOf(doc, id);
    const isIn = at.x > box.x && at.x < box.x + box.w && at.y > box.y && at.y < box.y + box.h;
    if (isIn && (found === null || outer.length > found.depth)) found = { id, depth: outer.length };
  }
  return found?.id ?? null;
}

/** The nearest point of the grid. */
export function snapped(point: Place): Place {
  return { x: Math.round(point.x / GRID) * GRID, y: Math.round(point.y / GRID) * GRID };
}

/** The nearest place in a container (null: on the canvas) below this one, or at it, where no step is in the way. */
export function freePlace(
  doc: Doc,
  wanted: Place,
  { home = null, own, size = CARD }: { home?: string | null; own?: string; size?: Size } = {},
): Place {
  const taken = stepsIn(doc, home)
    .filter((id) => id !== own && (home === null || doc.layout.nodes?.[id] !== undefined))
    .map((id) => ({ ...place(doc, id), ...sizeOf(doc, id) }));
  const spot = snapped(home === null ? wanted : { x: Math.max(wanted.x, FIRST.x), y: Math.max(wanted.y, FIRST.y) });
  const ROOM = 20;
  const isHit = (box: Box) =>
    box.x < spot.x + size.w + ROOM &&
    spot.x < box.x + box.w + ROOM &&
    box.y < spot.y + size.h + ROOM &&
    spot.y < box.y + box.h + ROOM;
  // From top to bottom: each that is in the way is passed once.
  for (const box of taken.toSorted((one, other) => one.y - other.y))
    if (isHit(box)) spot.y = Math.ceil((box.y + box.h + GAP_Y) / GRID) * GRID;
  return spot;
}

/**
 * As `freePlace`; where that is far below, since the rows there are full, at the next place below the step that is in the
 * way, and what stands lower makes room for it.
 */
export function placeNear(
  draft: Draft,
  wanted: Place,
  { home = null, own, size = CARD }: { home?: string | null; own?: string; size?: Size } = {},
): Place {
  const { doc } = draft;
  const free = freePlace(doc, wanted, { home, own, size });
  const far = free.y - wanted.y > 2 * (size.h + GAP_Y);
  const others = stepsIn(doc, home).filter((id) => id !== own && doc.layout.nodes?.[id] !== undefined);
  const hit = far
    ? others
        .map((id) => ({ ...place(doc, id), ...sizeOf(doc, id) }))
        .filter((box) => box.x < wanted.x + size.w && wanted.x < box.x + box.w && box.y + box.h > wanted.y)
        .reduce<Box | null>((first, box) => (first === null || box.y < first.y ? box : first), null)
    : null;
  if (hit === null) return free;
  const bottom = hit.y + hit.h;
  const lower = others.filter((id) => place(doc, id).y >= bottom);
  const y = Math.ceil((bottom + GAP_Y) / GRID) * GRID;
  const top = Math.min(...lower.map((id) => place(doc, id).y));
  const by = Math.ceil(Math.max(0, y + size.h + GAP_Y - top) / GRID) * GRID;
  for (const id of lower) {
    const at = place(doc, id);
    draft.set(["layout", "nodes", id], { x: at.x, y: at.y + by });
  }
  return freePlace(draft.doc, { x: wanted.x, y }, { home, own, size });
}

/**
 * Lets what stands beside and below a container, and those around it, give way to what it has grown since `before`.
 */
export function makeRoom(draft: Draft, before: Doc, container: string | null): void {
  for (let id = container; id !== null; id = homeOf(draft.doc, id)) {
    const [was, now] = [sizeOf(before, id), sizeOf(draft.doc, id)];
    const [wider, higher] = [Math.max(now.w - was.w, 0), Math.max(now.h - was.h, 0)];
    if (!wider && !higher) return;
    const at = place(draft.doc, id);
    for (const other of stepsIn(draft.doc, homeOf(draft.doc, id))) {
      if (other === id || !draft.doc.layout.nodes?.[other]) continue;
      const { x, y } = place(draft.doc, other);
      const isBeside = x >= at.x + was.w;
      const isBelow = !isBeside && y >= at.y + was.h;
      if (isBeside && wider) draft.set(["layout", "nodes", other], { x: x + wider, y });
      else if (isBelow && higher) draft.set(["layout", "nodes", other], { x, y: y + higher });
    }
  }
}
