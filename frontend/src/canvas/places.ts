/** Steps without a place on the canvas get one: those of an example, of an import, or what came in over the API. */

import { homeOf } from "../model/bodies";
import { FIRST, GAP_X, freePlace, makeRoom, place, sizeOf } from "../model/boxes";
import { Draft } from "../model/changes";
import type { Doc, Place } from "../model/document";
import { neighbours } from "../model/graph";

export function unplaced(doc: Doc): string[] {
  const places = doc.layout.nodes ?? {};
  return Object.keys(doc.nodes).filter((id) => !Object.hasOwn(places, id));
}

/** With these places for the steps that have none. */
export function withPlaces(doc: Doc, places: Record<string, Place>): Doc {
  return { ...doc, layout: { ...doc.layout, nodes: { ...places, ...doc.layout.nodes } } };
}

/** With these places, whatever was there. */
export function withPlacesOf(doc: Doc, places: Record<string, Place>): Doc {
  return { ...doc, layout: { ...doc.layout, nodes: { ...doc.layout.nodes, ...places } } };
}

/** What has another place in a draft of which all steps have one; `inside`: the same, with some that `doc` lacks. */
export function beside(doc: Doc, inside: Doc = doc): Record<string, Place> {
  const draft = new Draft(inside);
  for (const id of unplaced(inside)) {
    const home = homeOf(inside, id);
    const before = neighbours(inside).into.get(id)?.[0]?.from;
    const start = before ? place(draft.doc, before) : home === null ? { x: 0, y: 0 } : FIRST;
    const wanted = before ? { x: start.x + sizeOf(draft.doc, before).w + GAP_X, y: start.y } : start;
    const was = draft.doc;
    const spot = freePlace(draft.doc, wanted, { home, own: id, size: sizeOf(draft.doc, id) });
    draft.set(["layout", "nodes", id], { ...spot });
    makeRoom(draft, was, home);
  }
  const places = draft.doc.layout.nodes ?? {};
  const isNew = (id: string) => places[id] !== doc.layout.nodes?.[id];
  return Object.fromEntries(Object.keys(places).flatMap((id) => (isNew(id) ? [[id, places[id]]] : [])));
}
