/** Groups of steps that are ready made, and putting one into a draft: pure. */

import type { Catalogue } from "./catalogue";
import type { Made, ReservedIds } from "./commands";
import type { Doc, EdgeBody, NodeBody, Place } from "./document";
import { insertClip } from "./inserting";
import type { JsonObject } from "./json";
import type { Where } from "./levels";

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

/** The steps of a snippet under ids of their own, connected to what they stand at. */
export function addSnippet(
  doc: Doc,
  catalogue: Catalogue,
  snippet: Snippet,
  asked: Where = {},
  reserved: ReservedIds = {},
): Made {
  const nodes = Object.fromEntries(snippet.nodes.map(({ id, ...body }) => [String(id), body as NodeBody]));
  const clip = { handoff: 1 as const, nodes, edges: snippet.edges, places: snippet.places, notes: [] };
  return insertClip(doc, catalogue, clip, asked, reserved);
}
