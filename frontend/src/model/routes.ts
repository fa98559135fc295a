/** How ways are drawn on the canvas: around the cards of other steps, each with a place for its words where no card is. */

import { HEIGHT, WIDTH } from "./commands";
import type { Place } from "./document";

/** One way that is drawn; `words` is the width that its label would like to have, 0 for none. */
export interface Drawn {
  key: string;
  from: string;
  to: string;
  words: number;
}

export interface Spot extends Place {
  width: number;
}

export interface Route {
  points: Place[];
  label: Spot;
  /** Where the button for a step in between stands, which is beside the label. */
  plus: Place;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const STUB = 24;
const LANE = 18;
const LANES = [0, 10, -10];
const TIGHT = 2;
export const LABEL_HEIGHT = 22;
export const LABEL_MOST = 240;
const LABEL_LEAST = 28;
const PLUS = 26;

/** About how wide a text gets in a label, in px; what is longer is cut there. */
export function widthOf(words: string): number {
  if (!words) return 0;
  let width = 20;
  for (const letter of words) width += (letter.codePointAt(0) ?? 0) > 0x2e7f ? 13 : 7.3;
  return Math.min(Math.ceil(width), LABEL_MOST);
}

/** A route for every way whose two steps have a place. */
export function routes(places: Record<string, Place>, ways: Drawn[]): Map<string, Route> {
  const cards = Object.entries(places).map(([id, at]) => ({ id, box: boxAt(at) }));
  const several = fans(ways);
  const lanes: { way: Drawn; y: number; left: number; right: number }[] = [];
  const found: { way: Drawn; points: Place[] }[] = [];
  for (const way of ways) {
    if (!places[way.from] || !places[way.to]) continue;
    const points = around(way, several.has(way.from), places, cards, (y, left, right) =>
      lanes.filter((lane) => Math.abs(lane.y - y) < 6 && lane.left < right && left < lane.right && lane.way.from !== way.from && lane.way.to !== way.to).length,
    );
    if (points.length === 6) lanes.push({ way, y: points[2].y, left: Math.min(points[2].x, points[3].x), right: Math.max(points[2].x, points[3].x) });
    found.push({ way, points });
  }
  const taken = cards.map(({ box }) => box);
  const result = new Map<string, Route>();
  for (const { way, points } of found) {
    const label = roomiest(spotsOf(points, several.has(way.from)), way.words, taken);
    if (way.words) taken.push(boxAround(label, label.width));
    const free = roomiest(spotsOf(points, false), PLUS, taken);
    result.set(way.key, { points, label, plus: { x: free.x, y: free.y } });
  }
  return result;
}

function fans(ways: Drawn[]): Set<string> {
  const seen = new Set<string>();
  return new Set(ways.flatMap(({ from }) => (seen.has(from) ? [from] : (seen.add(from), []))));
}

function boxAt({ x, y }: Place): Box {
  return { left: x, right: x + WIDTH, top: y, bottom: y + HEIGHT };
}

function boxAround({ x, y }: Place, width: number): Box {
  return { left: x - width / 2, right: x + width / 2, top: y - LABEL_HEIGHT / 2, bottom: y + LABEL_HEIGHT / 2 };
}

/** The corners of a way: straight on, with one turn between the two, or by a lane past what is in the way. */
function around(way: Drawn, isFan: boolean, places: Record<string, Place>, cards: { id: string; box: Box }[], crowded: (y: number, left: number, right: number) => number): Place[] {
  const start = { x: places[way.from].x + WIDTH, y: places[way.from].y + HEIGHT / 2 };
  const end = { x: places[way.to].x, y: places[way.to].y + HEIGHT / 2 };
  const [left, right] = [Math.min(start.x, end.x) - STUB, Math.max(start.x, end.x) + STUB];
  const near = cards.filter(({ id, box }) => (box.right > left && box.left < right) || id === way.from || id === way.to).map(({ box }) => box);
  const isForward = end.x - start.x >= 2 * STUB;
  const direct = isForward ? turns(start, end, isFan) : [];
  const free = direct.find((points) => hits(points, near) === 0);
  if (free) return free;
  const [out, into] = [start.x + STUB, end.x - STUB];
  const by = (y: number) => [start, { x: out, y: start.y }, { x: out, y }, { x: into, y }, { x: into, y: end.y }, end];
  const middle = (start.y + end.y) / 2;
  const ys = near.flatMap((box) => [box.top - LANE, box.bottom + LANE]).concat(isForward ? [] : [middle]);
  const candidates = [...direct.map((points) => ({ points, cost: hits(points, near) * 5000 + length(points) }))];
  for (const y of new Set(ys)) {
    for (const shift of LANES) {
      const points = by(y + shift);
      const base = length(points) + 60 + Math.abs(shift) + crowded(y + shift, Math.min(out, into), Math.max(out, into)) * 120;
      // What is longer than the best one is not looked at any closer.
      if (candidates.some((each) => each.cost <= base)) continue;
      candidates.push({ points, cost: hits(points, near) * 5000 + base });
    }
  }
  return candidates.reduce((best, each) => (each.cost < best.cost ? each : best)).points;
}

function turns(start: Place, end: Place, isFan: boolean): Place[][] {
  if (Math.abs(start.y - end.y) < 1) return [[start, end]];
  const at = (x: number) => [start, { x, y: start.y }, { x, y: end.y }, end];
  const near = Math.min(45, (end.x - start.x) / 2);
  const all = [at((start.x + end.x) / 2), at(start.x + near), at(end.x - near)];
  // Ways that part do so soon: what is behind is each one's own.
  return isFan ? [all[1], all[0], all[2]] : all;
}

function length(points: Place[]): number {
  return points.slice(1).reduce((sum, point, place) => sum + Math.abs(point.x - points[place].x) + Math.abs(point.y - points[place].y), 0);
}

/** How often the line runs through a card; along an edge of one is no hit. */
function hits(points: Place[], boxes: Box[]): number {
  let count = 0;
  for (let place = 1; place < points.length; place += 1) {
    const [one, other] = [points[place - 1], points[place]];
    const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)];
    const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y, other.y)];
    for (const box of boxes) if (right > box.left + TIGHT && left < box.right - TIGHT && bottom > box.top + TIGHT && top < box.bottom - TIGHT) count += 1;
  }
  return count;
}

interface Candidate extends Place {
  bonus: number;
}

/** Where words of a way could stand. Where its step has several ways out, rather near the end that is its own. */
function spotsOf(points: Place[], isFan: boolean): Candidate[] {
  const [start, end] = [points[0], points[points.length - 1]];
  const gap = Math.min(90, Math.max(end.x - start.x, 2 * STUB)) / 2;
  const spots: Candidate[] = [{ x: end.x - gap, y: end.y, bonus: isFan ? 90 : 0 }];
  if (Math.abs(end.x - start.x) < 400 && end.x > start.x) spots.push({ x: (start.x + end.x) / 2, y: end.y, bonus: isFan ? 90 : 0 });
  for (let place = points.length - 1; place > 0; place -= 1) {
    const [one, other] = [points[place - 1], points[place]];
    const isOwn = place > 1 || !isFan;
    for (const part of [0.5, 0.25, 0.75]) {
      const isLevel = one.y === other.y;
      const isLast = place === points.length - 1 && isFan;
      spots.push({ x: one.x + (other.x - one.x) * part, y: one.y + (other.y - one.y) * part, bonus: (isLast ? 90 : isOwn && isLevel ? 20 : 0) + (part === 0.5 ? 2 : 0) });
    }
  }
  spots.push({ x: start.x + gap, y: start.y, bonus: isFan ? -20 : 0 });
  return spots;
}

/** The spot with the most room for a label as wide as wanted, and the room that it has there. */
function roomiest(spots: Candidate[], wanted: number, taken: Box[]): Spot {
  let best: { spot: Spot; score: number } | null = null;
  for (const { x, y, bonus } of spots) {
    const width = Math.min(wanted, room({ x, y }, taken, wanted));
    const score = width + (width < Math.min(wanted, LABEL_LEAST) ? -500 : bonus);
    if (best === null || score > best.score) best = { spot: { x, y, width: Math.max(width, Math.min(wanted, LABEL_LEAST)) }, score };
  }
  return (best as { spot: Spot }).spot;
}

/** How wide a label can be around a point before it lies on something. */
function room({ x, y }: Place, taken: Box[], most: number): number {
  let half = most / 2 + 4;
  for (const box of taken) {
    if (y + LABEL_HEIGHT / 2 <= box.top || y - LABEL_HEIGHT / 2 >= box.bottom) continue;
    half = Math.min(half, Math.max(box.left - x, x - box.right));
  }
  return Math.max(0, half * 2 - 8);
}

const ROUND = 10;

/** The line as an SVG path, its corners rounded. */
export function pathOf(points: Place[]): string {
  const said = points.slice(1, -1).map((corner, place) => {
    const [before, after] = [points[place], points[place + 2]];
    const round = Math.min(ROUND, distance(before, corner) / 2, distance(corner, after) / 2);
    const one = towards(corner, before, round);
    const other = towards(corner, after, round);
    return `L${one.x},${one.y} Q${corner.x},${corner.y} ${other.x},${other.y}`;
  });
  const [first, last] = [points[0], points[points.length - 1]];
  return `M${first.x},${first.y} ${said.join(" ")} L${last.x},${last.y}`;
}

function distance(one: Place, other: Place): number {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}

function towards(from: Place, to: Place, by: number): Place {
  return { x: from.x + Math.sign(to.x - from.x) * by, y: from.y + Math.sign(to.y - from.y) * by };
}
