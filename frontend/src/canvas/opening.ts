/** What is seen of a workflow at first where all of it would be too small. Pure. */

import type { Viewport } from "@xyflow/react";
import { type Box, HEIGHT } from "../model/boxes";

const EDGE = 40;

/**
 * The beginning of the work at the least zoom at which it can be read; null where all of it fits at that zoom, or
 * nobody knows yet how much room there is.
 */
export function beginning(
  boxes: Box[],
  room: { width: number; height: number },
  padding: number,
  least: number,
): Viewport | null {
  if (!boxes.length || !room.width || !room.height) return null;
  const left = Math.min(...boxes.map((at) => at.x));
  const top = Math.min(...boxes.map((at) => at.y));
  const width = Math.max(...boxes.map((at) => at.x + at.w)) - left;
  const height = Math.max(...boxes.map((at) => at.y + at.h)) - top;
  const fitting = Math.min(room.width / width, room.height / height) / (1 + padding);
  if (fitting >= least) return null;
  const first = boxes.find((at) => at.x === left) ?? { x: left, y: top };
  // All of its height if there is room for that, else the first step in the middle.
  const middle = height * least <= room.height ? top + height / 2 : first.y + HEIGHT / 2;
  return { x: EDGE - left * least, y: room.height / 2 - middle * least, zoom: least };
}
