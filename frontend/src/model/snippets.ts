/** Groups of steps that are ready made, and putting one into a draft: pure. */

import type { Catalogue } from "./catalogue";
import { Draft } from "./changes";
import { pasteIn } from "./clips";
import type { Made } from "./commands";
import { type ReservedIds, connect, insertBefore, roomOn, splice, usualCondition } from "./commands";
import { FIRST, GAP_X, HEIGHT, WIDTH, freePlace, makeRoom, place, seenFrom, sizeOf, spotOf } from "./boxes";
import type { Doc, EdgeBody, NodeBody, Place } from "./document";
import type { JsonObject } from "./json";
import { type Where, endIn, homeFor, lastIn } from "./levels";

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
export function addSnippet(
  doc: Doc,
  catalogue: Catalogue,
  snippet: Snippet,
  asked: Where = {},
  reserved: ReservedIds = {},
): Made {
  const home = homeFor(doc, asked);
  const ending = asked.inside === undefined ? undefined : endIn(doc, home);
  const where = ending === undefined ? asked : { ...asked, after: ending };
  const nodes = Object.fromEntries(snippet.nodes.map(({ id, ...body }) => [String(id), body as NodeBody]));
  const clip = { handoff: 1 as const, nodes, edges: snippet.edges, places: snippet.places, notes: [] };
  const draft = new Draft(doc);
  const { edge, after, before } = where;
  const room = edge === undefined ? null : roomOn(doc, edge, wideness(snippet));
  for (const [id, to] of Object.entries(room?.moved ?? {})) draft.set(["layout", "nodes", id], to);
  const at = room?.spot ?? (where.at ? seenFrom(doc, home, where.at) : startFor(doc, snippet, where));
  const size = { w: wideness(snippet), h: Math.max(...Object.values(snippet.places).map(({ y }) => y)) + HEIGHT };
  const free = freePlace(draft.doc, at, { home, size });
  const corner = home === null ? { x: 0, y: 0 } : spotOf(draft.doc, home);
  const select = pasteIn(draft, clip, { x: free.x + corner.x, y: free.y + corner.y }, reserved, home);
  const [first] = select;
  const end = select[snippet.nodes.findIndex(({ id }) => !snippet.edges.some(({ from }) => from === id))];
  if (edge !== undefined && doc.edges[edge]) splice(draft, catalogue, edge, first, end);
  else if (after !== undefined)
    for (const change of connect(draft.doc, after, first, usualCondition(doc, catalogue, after)).changes)
      draft.add(change);
  else if (before !== undefined) insertBefore(draft, catalogue, before, first, end);
  makeRoom(draft, doc, home);
  return { changes: draft.changes, select };
}

function startFor(doc: Doc, snippet: Snippet, where: Where): Place {
  const { after, before, edge } = where;
  if (before !== undefined) return { x: place(doc, before).x - wideness(snippet) - GAP_X, y: place(doc, before).y };
  const behind = after ?? doc.edges[edge ?? ""]?.from ?? lastIn(doc, homeFor(doc, where)).id;
  if (behind === undefined) return where.inside === undefined ? { x: 0, y: 0 } : FIRST;
  const { x, y } = place(doc, behind);
  return { x: x + sizeOf(doc, behind).w + GAP_X, y };
}

function wideness({ places }: Snippet): number {
  return Math.max(...Object.values(places).map(({ x }) => x)) + WIDTH;
}
