/** The one canvas of the page, for what stands outside of it: fit, zoom, bring into sight. */

import type { ReactFlowInstance, Viewport } from "@xyflow/react";
import { type Box, HEIGHT, WIDTH, boxOf, spotOf } from "../model/boxes";
import { coverOf, drawn } from "../model/levels";
import { say, seen, state } from "../store";
import type { AnyEdge, AnyNode } from "./nodes";
import { beginning } from "./opening";

let flow: ReactFlowInstance<AnyNode, AnyEdge> | null = null;

export function keepInstance(instance: ReactFlowInstance<AnyNode, AnyEdge> | null): void {
  flow = instance;
}

const MS = window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;

/** So small a step can still be read. */
export const READABLE = 0.5;
export const FIT_PADDING = 0.18;
/** Where the last fit has put the view because all of it would have been too small; the next one shows all of it. */
let part: Viewport | null = null;

/** All of it, if that can be read; else what is selected, or the beginning, and all of it when asked again. */
export function fit(): void {
  const pane = document.querySelector(".canvas")?.getBoundingClientRect();
  if (!flow || !pane) return;
  const now = flow.getViewport();
  const isAgain = part !== null && ["x", "y", "zoom"].every((name) => near(part as Viewport, now, name as "x"));
  part = null;
  const doc = drawn(seen());
  const boxes = Object.keys(doc.nodes).map((id) => boxOf(doc, id));
  const first = beginning(boxes, pane, FIT_PADDING, READABLE);
  if (first === null || isAgain) {
    void flow.fitView({ padding: FIT_PADDING, maxZoom: 1, duration: MS });
    return isAgain ? say(`All ${boxes.length} steps.`) : undefined;
  }
  const chosen = state().selected.nodes.map((id) => coverOf(doc, id));
  const picked = [...new Set(chosen)].map((id) => boxOf(doc, id));
  part = picked.length ? around(picked, pane) : first;
  void flow.setViewport(part, { duration: MS });
  const what = picked.length ? "the selection" : "the beginning";
  say(`${boxes.length} steps are too many to read at once. This is ${what}; fit again (0) for all.`);
}

function near(one: Viewport, other: Viewport, name: "x" | "y" | "zoom"): boolean {
  return Math.abs(one[name] - other[name]) < (name === "zoom" ? 0.001 : 2);
}

/** These boxes in the middle, as large as they fit, and never too small to read: of more the first. */
function around(boxes: Box[], pane: DOMRect): Viewport {
  const left = Math.min(...boxes.map((at) => at.x));
  const top = Math.min(...boxes.map((at) => at.y));
  const width = Math.max(...boxes.map((at) => at.x + at.w)) - left;
  const height = Math.max(...boxes.map((at) => at.y + at.h)) - top;
  const fitting = Math.min(pane.width / width, pane.height / height) / (1 + FIT_PADDING);
  const zoom = Math.max(READABLE, Math.min(1, fitting));
  const [first] = boxes;
  const isWhole = fitting >= READABLE;
  const middle = isWhole
    ? { x: left + width / 2, y: top + height / 2 }
    : { x: first.x + WIDTH / 2, y: first.y + HEIGHT / 2 };
  return { x: pane.width / 2 - middle.x * zoom, y: pane.height / 2 - middle.y * zoom, zoom };
}

export function zoom(by: "in" | "out" | "full"): void {
  if (by === "full") void flow?.zoomTo(1, { duration: MS });
  else void (by === "in" ? flow?.zoomIn({ duration: MS }) : flow?.zoomOut({ duration: MS }));
}

/** How near the edge of the canvas a step may be, in px of the screen. */
const EDGE = 32;
/** A step that is looked for is not shown smaller than this. */
const LEAST_ZOOM = 0.25;

/** Moves the view so that the step can be seen, if it can't be already: no further than it must. */
export function show(id: string): void {
  const doc = seen();
  if (!flow || !Object.hasOwn(doc.nodes, id)) return;
  const pane = document.querySelector(".canvas")?.getBoundingClientRect();
  if (!pane) return;
  const { x, y } = spotOf(doc, id);
  const view = flow.getViewport();
  if (view.zoom < LEAST_ZOOM) {
    void flow.setCenter(x + WIDTH / 2, y + HEIGHT / 2, { zoom: READABLE, duration: MS });
    return;
  }
  const shift = (start: number, size: number, room: number) => {
    const edge = Math.min(EDGE, Math.max(0, (room - size) / 2));
    if (start < edge) return edge - start;
    return start + size > room - edge ? Math.max(room - edge - size, edge) - start : 0;
  };
  const dx = shift(x * view.zoom + view.x, WIDTH * view.zoom, pane.width);
  const dy = shift(y * view.zoom + view.y, HEIGHT * view.zoom, pane.height);
  if (dx || dy) void flow.setViewport({ x: view.x + dx, y: view.y + dy, zoom: view.zoom }, { duration: MS });
}

/** The middle of what is seen, for what is added nowhere in particular. */
export function middle(): { x: number; y: number } {
  const pane = document.querySelector(".canvas")?.getBoundingClientRect();
  if (!flow || !pane) return { x: 0, y: 0 };
  return flow.screenToFlowPosition({ x: pane.left + pane.width / 2, y: pane.top + pane.height / 2 });
}
