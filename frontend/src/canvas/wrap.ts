/** A layout from left to right, wrapped into rows: so that it is about as high as wide, however many steps there are. Pure. */

import { GAP_Y, WIDTH } from "../model/boxes";
import type { Box } from "../model/boxes";
import type { Place } from "../model/document";
import type { Arrow } from "../model/graph";

/** Steps that are connected with one another, and the ways between them. */
export interface Part {
  ids: string[];
  ways: Arrow[];
}

/** A step as it was laid out; `middle` says in which column. */
export interface Laid extends Box {
  id: string;
  middle: number;
}

/** What is laid out, with its upper left corner at 0, 0. */
export interface Piece {
  places: Record<string, Place>;
  w: number;
  h: number;
}

interface Column {
  boxes: Laid[];
  left: number;
  right: number;
}

/** So wide a row may be in any case: it can be read in the canvas of a small window. */
const ROW_WIDTH = 1320;
/** So many times as wide as high the whole is at most, where its rows can be wrapped. */
const MOST_ASPECT = 1.6;
/** A row may be so many times as wide where many lines would be cut otherwise. */
const MOST_OVER = 1.7;
/** Between two rows: for one line between them, and for each further one. */
const ROW_GAP = 56;
const LINE_GAP = 12;
const MOST_LINES = 24;

/** Cut into rows where few lines lead over the cut. */
export function wrapped(boxes: Laid[], ways: Arrow[]): Piece {
  const columns = columnsOf(boxes);
  const lines = linesOver(columns, ways);
  const all = columns[columns.length - 1].right - columns[0].left;
  let best = stacked(columns, [columns.length], lines);
  for (let rows = 2; rows <= columns.length && best.w > ROW_WIDTH && best.w > MOST_ASPECT * best.h; rows += 1) {
    const next = stacked(columns, cuts(columns, lines, Math.max(ROW_WIDTH, all / rows)), lines);
    if (next.w < best.w) best = next;
  }
  return best;
}

function columnsOf(boxes: Laid[]): Column[] {
  const columns: Column[] = [];
  let last: number | null = null;
  for (const box of boxes.toSorted((one, other) => one.middle - other.middle)) {
    if (last === null || box.middle - last > 1) columns.push({ boxes: [], left: Infinity, right: -Infinity });
    last = box.middle;
    const column = columns[columns.length - 1];
    column.boxes.push(box);
    column.left = Math.min(column.left, box.x);
    column.right = Math.max(column.right, box.x + box.w);
  }
  return columns;
}

/** How many ways lead over the cut before each column. */
function linesOver(columns: Column[], ways: Arrow[]): number[] {
  const at = new Map(columns.flatMap(({ boxes }, number) => boxes.map(({ id }) => [id, number] as const)));
  const change = new Array<number>(columns.length + 1).fill(0);
  for (const { from, to } of ways) {
    const [one, other] = [at.get(from) ?? 0, at.get(to) ?? 0];
    change[Math.min(one, other) + 1] += 1;
    change[Math.max(one, other) + 1] -= 1;
  }
  let count = 0;
  return columns.map((_, number) => (count += change[number]));
}

/** Where the rows end, hardly any wider than this: as few lines cut as can be, evenly filled. */
function cuts(columns: Column[], lines: number[], width: number): number[] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let end = 1; end <= columns.length; end += 1) {
    let found = { cost: Infinity, from: end - 1 };
    for (let start = end - 1; start >= 0; start -= 1) {
      const wide = columns[end - 1].right - columns[start].left;
      if (wide > MOST_OVER * width && start < end - 1) break;
      const slack = end === columns.length ? 0 : Math.max(0, 1 - wide / width);
      const over = start < end - 1 ? Math.max(0, wide / width - 1) : 0;
      const cut = start > 0 ? 0.25 * Math.max(0, lines[start] - 1) : 0;
      const cost = best[start].cost + 0.1 + slack * slack + 4 * over + cut;
      if (cost < found.cost) found = { cost, from: start };
    }
    best.push(found);
  }
  const ends: number[] = [];
  for (let end = columns.length; end > 0; end = best[end].from) ends.unshift(end);
  return ends;
}

/** The rows below one another, each beginning at the left. */
function stacked(columns: Column[], ends: number[], lines: number[]): Piece {
  const places: Record<string, Place> = {};
  let [start, top, right] = [0, 0, 0];
  for (const end of ends) {
    const row = columns.slice(start, end);
    const boxes = row.flatMap((column) => column.boxes);
    const left = row[0].left;
    const above = Math.min(...boxes.map((box) => box.y));
    if (start > 0) top += ROW_GAP + LINE_GAP * Math.min(lines[start], MOST_LINES);
    for (const box of boxes) places[box.id] = { x: box.x - left, y: box.y - above + top };
    right = Math.max(right, row[row.length - 1].right - left);
    top += Math.max(...boxes.map((box) => box.y - above + box.h));
    start = end;
  }
  return { places, w: right, h: top };
}

/** Pieces that nothing connects: beside one another while there is room, else below. */
export function joined(pieces: Piece[]): Record<string, Place> {
  const area = pieces.reduce((sum, { w, h }) => sum + (w + WIDTH / 2) * (h + GAP_Y), 0);
  const width = Math.max(ROW_WIDTH, Math.sqrt(area * MOST_ASPECT), ...pieces.map(({ w }) => w));
  const found: Record<string, Place> = {};
  let [x, y, high] = [0, 0, 0];
  for (const piece of pieces) {
    if (x > 0 && x + piece.w > width) [x, y, high] = [0, y + high + 2 * GAP_Y, 0];
    for (const [id, at] of Object.entries(piece.places)) found[id] = { x: at.x + x, y: at.y + y };
    x += piece.w + WIDTH / 2;
    high = Math.max(high, piece.h);
  }
  return found;
}
