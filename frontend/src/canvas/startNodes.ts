/** What starts runs, and the lines from there to the first steps, as React Flow wants them. */

import { type Edge, MarkerType, type Node, Position } from "@xyflow/react";
import type { Doc } from "../model/document";
import { sized } from "./sized";
import { DEADLINE, type Start, firstSteps } from "./starts";

export type StartNode = Node<Start, "start">;
export type StartEdge = Edge<Record<string, never>, "start">;

/** Lines lead to so many first steps. */
const MOST_FIRST = 3;

/** Keeps what it made, so that React Flow draws again only what is different. */
export class StartDrawer {
  private kept = new Map<string, { said: string; node: StartNode }>();

  nodes(starts: Start[]): StartNode[] {
    return starts.map((start) => {
      const said = JSON.stringify(start);
      const kept = this.kept.get(start.id);
      if (kept?.said === said) return kept.node;
      const { x, y, w, h } = start.box;
      const handle = { type: "source" as const, position: Position.Right, x: w - 1, y: h / 2, width: 1, height: 1 };
      const node: StartNode = {
        id: start.id,
        type: "start",
        position: { x, y },
        ...sized(w, h),
        handles: [handle],
        selectable: false,
        draggable: false,
        connectable: false,
        focusable: false,
        data: start,
      };
      this.kept.set(start.id, { said, node });
      return node;
    });
  }
}

/** The lines from what starts runs to the first steps. */
export function startEdges(doc: Doc, starts: Start[]): StartEdge[] {
  const firsts = starts.length ? firstSteps(doc).slice(0, MOST_FIRST) : [];
  const lead = starts.filter(({ kind }) => kind !== DEADLINE);
  return lead.flatMap(({ id }) =>
    firsts.map((first) => ({
      id: `${id}>${first}`,
      type: "start" as const,
      source: id,
      target: first,
      selectable: false,
      focusable: false,
      reconnectable: false,
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14 },
    })),
  );
}
