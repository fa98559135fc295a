/** Groups of steps that are ready made, and putting one into a draft: pure. */

import type { Catalogue } from "./catalogue";
import { Draft } from "./changes";
import type { Made, Where } from "./commands";
import {
  type Kept,
  GAP_X,
  GAP_Y,
  HEIGHT,
  WIDTH,
  connect,
  insertBefore,
  paste,
  place,
  roomOn,
  splice,
  usualCondition,
} from "./commands";
import type { Doc, EdgeBody, NodeBody, Place } from "./document";
import type { JsonObject } from "./json";

export interface Snippet {
  name: string;
  title: string;
  help: string;
  icon: string;
  /** As a definition has them; the first is where the group begins. */
  nodes: JsonObject[];
  edges: EdgeBody[];
  places: Record<string, Place>;
}

/** Those whose title or help has every word of the search. */
export function fitting(snippets: Snippet[], search: string): Snippet[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return snippets.filter(({ title, help }) => words.every((word) => `${title} ${help}`.toLowerCase().includes(word)));
}

/**
 * The steps of a snippet under ids of their own: on an edge, which then goes on from the end of the group that stands
 * first; else behind a step and connected to it, where one is named, or behind the last one.
 */
export function addSnippet(doc: Doc, catalogue: Catalogue, snippet: Snippet, where: Where = {}, kept: Kept = {}): Made {
  const nodes = Object.fromEntries(snippet.nodes.map(({ id, ...body }) => [String(id), body as NodeBody]));
  const clip = { handoff: 1 as const, nodes, edges: snippet.edges, places: snippet.places, notes: [] };
  const draft = new Draft(doc);
  const { edge, after, before } = where;
  const room = edge === undefined ? null : roomOn(doc, edge, wideness(snippet));
  for (const [id, to] of Object.entries(room?.moved ?? {})) draft.set(["layout", "nodes", id], to);
  const at = room?.spot ?? where.at ?? startFor(doc, snippet, where);
  const made = paste(draft.doc, clip, freeFor(draft.doc, snippet, at), kept);
  for (const change of made.changes) draft.add(change);
  const [first] = made.select;
  const end = made.select[snippet.nodes.findIndex(({ id }) => !snippet.edges.some(({ from }) => from === id))];
  if (edge !== undefined && doc.edges[edge]) splice(draft, edge, first, end);
  else if (after !== undefined)
    for (const change of connect(draft.doc, after, first, usualCondition(doc, catalogue, after)).changes)
      draft.add(change);
  else if (before !== undefined) insertBefore(draft, before, first, end);
  return { ...made, changes: draft.changes };
}

function startFor(doc: Doc, snippet: Snippet, { after, before, edge }: Where): Place {
  if (before !== undefined) return { x: place(doc, before).x - wideness(snippet) - GAP_X, y: place(doc, before).y };
  const behind = after ?? doc.edges[edge ?? ""]?.from ?? Object.keys(doc.nodes).at(-1);
  if (behind === undefined) return { x: 0, y: 0 };
  const { x, y } = place(doc, behind);
  return { x: x + WIDTH + GAP_X, y };
}

function wideness({ places }: Snippet): number {
  return Math.max(...Object.values(places).map(({ x }) => x)) + WIDTH;
}

/** The place for the group at this one or so far below that it hides no other step. */
function freeFor(doc: Doc, snippet: Snippet, wanted: Place): Place {
  const at = { ...wanted };
  const [wide, high] = [wideness(snippet), Math.max(...Object.values(snippet.places).map(({ y }) => y)) + HEIGHT];
  const taken = Object.keys(doc.nodes)
    .map((id) => place(doc, id))
    .filter(({ x }) => x + WIDTH > at.x && x < at.x + wide)
    .toSorted((one, other) => one.y - other.y);
  // From top to bottom: each that is in the way is passed once.
  for (const { y } of taken) if (y + HEIGHT + GAP_Y > at.y && y < at.y + high + GAP_Y) at.y = y + HEIGHT + GAP_Y;
  return at;
}
