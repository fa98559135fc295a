/** Where the steps of a whole draft stand that have no place yet: laid out by the worker of the browser. */

import { homeOf, stepsIn } from "../model/bodies";
import { FIRST, makeRoom } from "../model/boxes";
import { Draft } from "../model/changes";
import type { Doc, Place } from "../model/document";
import { laid } from "./meanwhile";
import { beside, unplaced, withPlacesOf } from "./places";

/** Everything laid out where nothing has a place yet, else the new ones beside what stands before them. */
export async function allPlaced(doc: Doc): Promise<{ doc: Doc; found: Record<string, Place> }> {
  const missing = unplaced(doc);
  if (missing.length === 0) return { doc, found: {} };
  const isAll = missing.length === Object.keys(doc.nodes).length;
  const found = isAll ? await laid(doc) : beside(doc, await tidyInside(doc, missing));
  return { doc: withPlacesOf(doc, found), found };
}

/** The draft with containers laid out of which no step has a place: a draft from before they stood on the canvas. */
async function tidyInside(doc: Doc, missing: string[]): Promise<Doc> {
  const lacking = new Set(missing);
  const isBare = (home: string) => stepsIn(doc, home).every((id) => lacking.has(id));
  if (!missing.some((id) => homeOf(doc, id) !== null)) return doc;
  const { levelsOf, tidied } = await import("./tidy");
  let now = doc;
  for (const home of levelsOf(doc)) {
    if (home === null || !isBare(home)) continue;
    const draft = new Draft(withPlacesOf(now, tidied(now, stepsIn(now, home), FIRST)));
    makeRoom(draft, now, home);
    now = draft.doc;
  }
  return now;
}

/** The draft when a version is restored: its steps where they stood then, or stand now, or beside one another. */
export async function restored(now: Doc, version: Doc): Promise<Doc> {
  const nodes = { ...now.layout.nodes, ...version.layout.nodes };
  const { doc } = await allPlaced({ ...version, layout: { ...now.layout, ...version.layout, nodes } });
  return doc;
}
