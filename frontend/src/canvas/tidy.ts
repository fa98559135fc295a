/** Automatic layout by dagre, from left to right. Loaded when it is needed. */

import dagre from "@dagrejs/dagre";
import { GAP_X, GAP_Y, GRID, HEIGHT, WIDTH, place } from "../model/commands";
import type { Doc, Place } from "../model/document";
import { arrows } from "../model/graph";
import { LABEL_HEIGHT, widthOf } from "../model/routes";
import { wayWords } from "../model/words";

/** Places for these steps (all, where none are named); a part of the graph stays where its upper left corner is. */
export function tidy(doc: Doc, only: string[] = []): Record<string, Place> {
  const ids = only.length > 1 ? only.filter((id) => Object.hasOwn(doc.nodes, id)) : Object.keys(doc.nodes);
  const inside = new Set(ids);
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "LR", nodesep: GAP_Y, ranksep: GAP_X, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  // dagre keeps steps in plain objects: `constructor` would be taken for what every object has.
  const named = (id: string) => `.${id}`;
  for (const id of ids) graph.setNode(named(id), { width: WIDTH, height: HEIGHT });
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
    return [id, { x: x - WIDTH / 2, y: y - HEIGHT / 2 }] as const;
  });
  const shift = only.length > 1 ? corner(ids.map((id) => place(doc, id))) : { x: 0, y: 0 };
  const own = corner(found.map(([, at]) => at));
  const snap = (value: number) => Math.round(value / GRID) * GRID;
  return Object.fromEntries(
    found.map(([id, at]) => [id, { x: snap(at.x - own.x + shift.x), y: snap(at.y - own.y + shift.y) }]),
  );
}

function corner(places: Place[]): Place {
  return { x: Math.min(...places.map((at) => at.x)), y: Math.min(...places.map((at) => at.y)) };
}
