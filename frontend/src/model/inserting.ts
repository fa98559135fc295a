/** Copied steps and ready-made groups, put into a draft at a free place and connected: pure. */

import type { Catalogue } from "./catalogue";
import { holdsSteps, homeOf, stepsIn } from "./bodies";
import {
  type Box,
  FIRST,
  GAP_X,
  GAP_Y,
  boxOf,
  freePlace,
  makeRoom,
  place,
  placeNear,
  seenFrom,
  sizeOf,
  spotOf,
} from "./boxes";
import { Draft } from "./changes";
import { type Clip, paste, pasteIn } from "./clips";
import { type Made, type ReservedIds, connectIn, insertBefore, roomOn, splice, usualCondition } from "./commands";
import type { Doc } from "./document";
import { neighbours } from "./graph";
import { type Where, endIn, homeFor, lastIn } from "./levels";
import { wayKind } from "./ways";

/** The clip as a document of its own. */
function docOf(clip: Clip): Doc {
  const collapsed = Object.fromEntries((clip.collapsed ?? []).map((id) => [id, true]));
  const edges = Object.fromEntries(clip.edges.map((edge, at) => [`${at}`, edge]));
  return { nodes: clip.nodes, edges, settings: {}, layout: { nodes: clip.places, collapsed } };
}

/** What the steps and notes of a clip cover, at their own places. */
function boundsOf(clip: Clip): Box {
  const doc = docOf(clip);
  const boxes: Box[] = [...stepsIn(doc, null).map((id) => boxOf(doc, id)), ...clip.notes];
  const [left, top, right, bottom] = boxes.reduce(
    ([l, t, r, b], { x, y, w, h }) => [Math.min(l, x), Math.min(t, y), Math.max(r, x + w), Math.max(b, y + h)],
    [Infinity, Infinity, -Infinity, -Infinity],
  );
  return boxes.length ? { x: left, y: top, w: right - left, h: bottom - top } : { x: 0, y: 0, w: 0, h: 0 };
}

/** The outer steps of a clip where it begins and where it ends, by their number among the outer ones. */
function endsOf(clip: Clip): { first: number[]; last: number[] } {
  const doc = docOf(clip);
  const { into, out } = neighbours(doc);
  const outer = stepsIn(doc, null);
  const without = (ways: typeof into) =>
    outer.flatMap((id, at) => ((ways.get(id) ?? []).every((arrow) => arrow.timer !== undefined) ? [at] : []));
  const first = outer.flatMap((id, at) => ((into.get(id) ?? []).length ? [] : [at]));
  return { first: first.length ? first : [0], last: without(out) };
}

/** The connection that something behind a step goes on: its only way out, if that is always taken. */
export function onlyWayOut(doc: Doc, id: string): string | undefined {
  const ways = (neighbours(doc).out.get(id) ?? []).filter((arrow) => arrow.timer === undefined);
  return ways.length === 1 && wayKind(doc, ways[0]) === "plain" ? ways[0].key : undefined;
}

/**
 * The steps of a clip under ids of their own: on an edge, which then goes on from its first end; behind a step,
 * before one, in a container, or behind the last step; at the nearest place where nothing is in the way.
 */
export function insertClip(
  doc: Doc,
  catalogue: Catalogue,
  clip: Clip,
  asked: Where = {},
  reserved: ReservedIds = {},
): Made {
  const home = homeFor(doc, asked);
  const ending = asked.inside === undefined ? undefined : endIn(doc, home);
  const where = ending === undefined ? asked : { ...asked, after: ending };
  const { edge, after, before } = where;
  const draft = new Draft(doc);
  const bounds = boundsOf(clip);
  const room = edge === undefined ? null : roomOn(doc, edge, bounds.w);
  for (const [id, to] of Object.entries(room?.moved ?? {})) draft.set(["layout", "nodes", id], to);
  const wanted = room?.spot ?? (where.at ? seenFrom(doc, home, where.at) : startFor(doc, bounds, where));
  const free = placeNear(draft, wanted, { home, size: bounds });
  const corner = home === null ? { x: 0, y: 0 } : spotOf(draft.doc, home);
  const shift = { x: free.x + corner.x - bounds.x, y: free.y + corner.y - bounds.y };
  const select = pasteIn(draft, clip, shift, reserved, home);
  const ends = endsOf(clip);
  const [first, ...others] = ends.first.map((at) => select[at]).filter((id) => id !== undefined);
  const [last] = ends.last.map((at) => select[at]).filter((id) => id !== undefined);
  if (first === undefined) return { changes: draft.changes, select };
  const from = edge === undefined ? after : doc.edges[edge]?.from;
  if (edge !== undefined && doc.edges[edge]) splice(draft, catalogue, edge, first, last ?? first);
  else if (after !== undefined) connectIn(draft, after, first, usualCondition(doc, catalogue, after));
  else if (before !== undefined) insertBefore(draft, catalogue, before, first, last ?? first);
  if (from !== undefined)
    for (const id of others) connectIn(draft, from, id, usualCondition(draft.doc, catalogue, from));
  makeRoom(draft, doc, home);
  return { changes: draft.changes, select };
}

function startFor(doc: Doc, bounds: Box, where: Where): { x: number; y: number } {
  const { after, before, edge } = where;
  if (before !== undefined) return { x: place(doc, before).x - bounds.w - GAP_X, y: place(doc, before).y };
  const behind = after ?? doc.edges[edge ?? ""]?.from ?? lastIn(doc, homeFor(doc, where)).id;
  if (behind === undefined) return where.inside === undefined ? { x: 0, y: 0 } : FIRST;
  const { x, y } = place(doc, behind);
  return { x: x + sizeOf(doc, behind).w + GAP_X, y };
}

/** Where copied steps go: on the selected connection, behind what is selected, in a container that is not among them. */
export function placeFor(doc: Doc, clip: Clip, selected: { nodes: string[]; edges: string[] }): Where {
  const { nodes, edges } = selected;
  if (!nodes.length && edges.length === 1 && Object.hasOwn(doc.edges, edges[0])) return { edge: edges[0] };
  const end = nodes.length ? undefined : endIn(doc, null);
  if (end !== undefined) return { after: end };
  const chosen = new Set(nodes);
  const level = nodes.length ? homeOf(doc, nodes[0]) : null;
  const leadsOn = (id: string) => (neighbours(doc).out.get(id) ?? []).some((arrow) => chosen.has(arrow.to));
  const ends = nodes.filter((id) => homeOf(doc, id) === level && !leadsOn(id));
  if (ends.length !== 1) return {};
  const [after] = ends;
  const holds = nodes.length === 1 && !Object.hasOwn(clip.nodes, after) && holdsSteps(doc.nodes[after]);
  if (holds) return { inside: after };
  const edge = onlyWayOut(doc, after);
  return edge === undefined ? { after } : { edge };
}

/** The steps once more, below the ones that were copied, connected to none of the others. */
export function duplicated(doc: Doc, clip: Clip, reserved: ReservedIds, home: string | null): Made {
  const bounds = boundsOf(clip);
  const wanted = seenFrom(doc, home, { x: bounds.x, y: bounds.y + bounds.h + GAP_Y });
  const free = freePlace(doc, wanted, { home, size: bounds });
  const corner = home === null ? { x: 0, y: 0 } : spotOf(doc, home);
  const shift = { x: free.x + corner.x - bounds.x, y: free.y + corner.y - bounds.y };
  return paste(doc, clip, shift, reserved, home);
}
