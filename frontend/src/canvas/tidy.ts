/** Automatic layout by dagre, from left to right. Loaded when it is needed. */

import dagre from "@dagrejs/dagre";
import { around, homeOf, homesOf, stepsIn } from "../model/bodies";
import { FIRST, GAP_X, GAP_Y, GRID, HEIGHT, place, sizeOf } from "../model/boxes";
import type { Doc, Place } from "../model/document";
import { withPlacesOf } from "./places";
import { arrows } from "../model/graph";
import { LABEL_HEIGHT, widthOf } from "../model/routes";
import { wayWords } from "../model/words";

/**
 * Places for all steps, those in containers first, which are as large as that makes them; or for some of them that stand
 * in the same one, which stay where their upper left corner is.
 */
export function tidy(doc: Doc, only: string[] = []): Record<string, Place> {
  const home = only.length ? homeOf(doc, only[0]) : null;
  const chosen = only.filter((id) => Object.hasOwn(doc.nodes, id) && homeOf(doc, id) === home);
  if (chosen.length > 1) return tidied(doc, chosen, corner(chosen.map((id) => place(doc, id))));
  const found: Record<string, Place> = {};
  for (const level of levelsOf(doc)) {
    const ids = stepsIn(doc, level);
    Object.assign(found, tidied(withPlacesOf(doc, found), ids, level === null ? { x: 0, y: 0 } : FIRST));
  }
  return found;
}

/** The containers that hold something, the innermost first; then the outside. */
export function levelsOf(doc: Doc): (string | null)[] {
  const homes = [...new Set(homesOf(doc.nodes).values())];
  const depth = (home: string | null) => (home === null ? -1 : around(doc, home).length);
  return homes.toSorted((one, other) => depth(other) - depth(one));
}

/** Places for steps of one level, with this as their upper left corner. */
export function tidied(doc: Doc, ids: string[], shift: Place): Record<string, Place> {
  const inside = new Set(ids);
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "LR", nodesep: GAP_Y, ranksep: GAP_X, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  // dagre keeps steps in plain objects: `constructor` would be taken for what every object has.
  const named = (id: string) => `.${id}`;
  // Lines end at the head of a card, so a container is as high above that as below: dagre has them at the middle.
  const height = (id: string) => 2 * sizeOf(doc, id).h - HEIGHT;
  for (const id of ids) graph.setNode(named(id), { width: sizeOf(doc, id).w, height: height(id) });
  for (const arrow of arrows(doc)) {
    if (!inside.has(arrow.from) || !inside.has(arrow.to)) continue;
    // Words on a way get room of their own.
    const width = widthOf(wayWords(doc, arrow));
    graph.setEdge(
      named(arrow.from),
      named(arrow.to),
      width ? { width: width + GRID, height: LABEL_HEIGHT, labelpos: "c" } : {},
    );
  }
  dagre.layout(graph);
  const found = ids.map((id) => {
    const { x, y } = graph.node(named(id)) as Place;
    return [id, { x: x - sizeOf(doc, id).w / 2, y: y - HEIGHT / 2 }] as const;
  });
  const own = corner(found.map(([, at]) => at));
  const snap = (value: number) => Math.round(value / GRID) * GRID;
  return Object.fromEntries(
    found.map(([id, at]) => [id, { x: snap(at.x - own.x + shift.x), y: snap(at.y - own.y + shift.y) }]),
  );
}

function corner(places: Place[]): Place {
  return { x: Math.min(...places.map((at) => at.x)), y: Math.min(...places.map((at) => at.y)) };
}
