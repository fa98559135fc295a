/** What is seen of a workflow at first where all of it would be too small. Pure. */

import type { Viewport } from "@xyflow/react";
import { type Box, HEIGHT } from "../model/boxes";

const EDGE = 40;
/** The tools of the canvas stand there. */
const TOP = 76;

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
  const first = boxes
    .filter((at) => at.x === left)
    .reduce((one, other) => (other.y < one.y ? other : one), { x: left, y: Infinity, w: 0, h: 0 });
  // All of its height if there is room for that, else the first step in sight, with what stands above it.
  const fits = height * least <= room.height - 2 * TOP;
  const y = fits
    ? room.height / 2 - (top + height / 2) * least
    : Math.min(TOP - top * least, room.height / 3 - (first.y + HEIGHT / 2) * least);
  return { x: EDGE - left * least, y, zoom: least };
}
