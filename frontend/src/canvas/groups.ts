/** The frames around groups of steps, as React Flow wants them. */

import type { Node } from "@xyflow/react";
import { boxOf, place } from "../model/boxes";
import type { Doc, Place } from "../model/document";
import { own } from "../model/json";
import { sized } from "./sized";

export type GroupNode = Node<{ title: string; count: number }, "group-box">;

const MARGIN = 24;
const HEAD = 32;

/** A frame around the members of each group. */
export function groupNodes(seen: { doc: Doc; dragged: Record<string, Place> }): GroupNode[] {
  return Object.entries(seen.doc.layout.groups ?? {}).flatMap(([id, group]) => {
    const boxes = group.nodes.flatMap((node) => {
      if (!Object.hasOwn(seen.doc.nodes, node)) return [];
      const [box, at, moved] = [boxOf(seen.doc, node), place(seen.doc, node), own(seen.dragged, node)];
      return [moved ? { ...box, x: box.x + moved.x - at.x, y: box.y + moved.y - at.y } : box];
    });
    if (boxes.length === 0) return [];
    const left = Math.min(...boxes.map((box) => box.x)) - MARGIN;
    const top = Math.min(...boxes.map((box) => box.y)) - MARGIN - HEAD;
    const right = Math.max(...boxes.map((box) => box.x + box.w)) + MARGIN;
    const bottom = Math.max(...boxes.map((box) => box.y + box.h)) + MARGIN;
    const node: GroupNode = {
      id: `group:${id}`,
      type: "group-box",
      position: { x: left, y: top },
      ...sized(right - left, bottom - top),
      zIndex: -2,
      selectable: false,
      focusable: false,
      draggable: true,
      dragHandle: ".group-title",
      data: { title: group.title, count: boxes.length },
    };
    return [node];
  });
}
