/** The one canvas of the page, for what stands outside of it: fit, zoom, bring into sight. */

import type { ReactFlowInstance } from "@xyflow/react";
import { HEIGHT, WIDTH, spotOf } from "../model/boxes";
import { seen } from "../store";
import type { AnyNode, FlowEdge } from "./nodes";

let flow: ReactFlowInstance<AnyNode, FlowEdge> | null = null;

export function keepInstance(instance: ReactFlowInstance<AnyNode, FlowEdge> | null): void {
  flow = instance;
}

const MS = window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;

export function fit(): void {
  void flow?.fitView({ padding: 0.18, maxZoom: 1, duration: MS });
}

export function zoom(by: "in" | "out" | "full"): void {
  if (by === "full") void flow?.zoomTo(1, { duration: MS });
  else void (by === "in" ? flow?.zoomIn({ duration: MS }) : flow?.zoomOut({ duration: MS }));
}

/** Moves the view so that the step can be seen, if it can't be already. */
export function show(id: string): void {
  const doc = seen();
  if (!flow || !Object.hasOwn(doc.nodes, id)) return;
  const { x, y } = spotOf(doc, id);
  const pane = document.querySelector(".canvas")?.getBoundingClientRect();
  if (!pane) return;
  const corner = flow.flowToScreenPosition({ x, y });
  const end = flow.flowToScreenPosition({ x: x + WIDTH, y: y + HEIGHT });
  const isSeen = corner.x > pane.left && end.x < pane.right && corner.y > pane.top && end.y < pane.bottom;
  if (!isSeen)
    void flow.setCenter(x + WIDTH / 2, y + HEIGHT / 2, { zoom: Math.max(flow.getZoom(), 0.6), duration: MS });
}

/** The middle of what is seen, for what is added nowhere in particular. */
export function middle(): { x: number; y: number } {
  const pane = document.querySelector(".canvas")?.getBoundingClientRect();
  if (!flow || !pane) return { x: 0, y: 0 };
  return flow.screenToFlowPosition({ x: pane.left + pane.width / 2, y: pane.top + pane.height / 2 });
}
