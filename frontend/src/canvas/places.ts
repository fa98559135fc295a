/** Steps without a place on the canvas get one: those of an example, of an import, or what came in over the API. */

import { GAP_X, WIDTH, freePlace, place } from "../model/commands";
import type { Doc, Place } from "../model/document";
import { neighbours } from "../model/graph";

export function unplaced(doc: Doc): string[] {
  const places = doc.layout.nodes ?? {};
  return Object.keys(doc.nodes).filter((id) => !Object.hasOwn(places, id));
}

export function withPlaces(doc: Doc, places: Record<string, Place>): Doc {
  return { ...doc, layout: { ...doc.layout, nodes: { ...places, ...doc.layout.nodes } } };
}

/** Everything laid out where nothing has a place yet, else the new ones beside what stands before them. */
export async function allPlaced(doc: Doc): Promise<{ doc: Doc; found: Record<string, Place> }> {
  const missing = unplaced(doc);
  if (missing.length === 0) return { doc, found: {} };
  const isAll = missing.length === Object.keys(doc.nodes).length;
  const found = isAll ? (await import("./tidy")).tidy(doc) : beside(doc, missing);
  return { doc: withPlaces(doc, found), found };
}

/** The draft when a version is restored: its steps where they stood then, or stand now, or beside one another. */
export async function restored(now: Doc, version: Doc): Promise<Doc> {
  const nodes = { ...now.layout.nodes, ...version.layout.nodes };
  const { doc } = await allPlaced({ ...version, layout: { ...now.layout, ...version.layout, nodes } });
  return doc;
}

export function beside(doc: Doc, missing: string[]): Record<string, Place> {
  const found: Record<string, Place> = {};
  let now = doc;
  for (const id of missing) {
    const before = neighbours(doc).into.get(id)?.[0]?.from;
    const start = before ? place(now, before) : { x: 0, y: 0 };
    const { [id]: _self, ...others } = now.nodes;
    const spot = freePlace({ ...now, nodes: others }, before ? { x: start.x + WIDTH + GAP_X, y: start.y } : start);
    found[id] = spot;
    now = withPlaces(now, { [id]: spot });
  }
  return found;
}
