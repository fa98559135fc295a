/** Groups of steps that are ready made, and putting one into a draft: pure. */

import { apply } from "./changes";
import type { Catalogue } from "./catalogue";
import type { Made } from "./commands";
import { GAP_X, GAP_Y, HEIGHT, WIDTH, connect, paste, place, usualCondition } from "./commands";
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
 * The steps of a snippet under ids of their own, behind a step and connected to it where one is named, else behind the
 * last one; below what stands there.
 */
export function addSnippet(doc: Doc, catalogue: Catalogue, snippet: Snippet, after?: string): Made {
  const nodes = Object.fromEntries(snippet.nodes.map(({ id, ...body }) => [String(id), body as NodeBody]));
  const clip = { handoff: 1 as const, nodes, edges: snippet.edges, places: snippet.places, notes: [] };
  const made = paste(doc, clip, roomFor(doc, snippet, after ?? Object.keys(doc.nodes).at(-1)));
  const pasted = apply(doc, made.changes);
  if (after === undefined || pasted === null) return made;
  const line = connect(pasted, after, made.select[0], usualCondition(pasted, catalogue, after));
  return { ...made, changes: [...made.changes, ...line.changes] };
}

/** Where the group stands: to the right of a step, and so far down that it hides no other. */
function roomFor(doc: Doc, { places }: Snippet, behind: string | undefined): Place {
  const spots = Object.values(places);
  const from = behind === undefined ? { x: 0, y: 0 } : place(doc, behind);
  const at = behind === undefined ? from : { x: from.x + WIDTH + GAP_X, y: from.y };
  const [wide, high] = [Math.max(...spots.map(({ x }) => x)) + WIDTH, Math.max(...spots.map(({ y }) => y)) + HEIGHT];
  const taken = Object.keys(doc.nodes)
    .map((id) => place(doc, id))
    .filter(({ x }) => x + WIDTH > at.x && x < at.x + wide)
    .toSorted((one, other) => one.y - other.y);
  // From top to bottom: each that is in the way is passed once.
  for (const { y } of taken) if (y + HEIGHT + GAP_Y > at.y && y < at.y + high + GAP_Y) at.y = y + HEIGHT + GAP_Y;
  return at;
}
