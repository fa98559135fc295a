/** How ways are drawn on the canvas: around the cards of other steps, each with a place for its words where no card is. */

import { type Box as Card, HEIGHT, boxOf } from "./boxes";
import { homesOf } from "./bodies";
import type { Doc, Place } from "./document";

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

/** The routes of all ways of a draft, those within a container among the steps of that. */
export function routesOf(doc: Doc, ways: Drawn[]): Map<string, Route> {
  const levels = new Map<string | null, { cards: Record<string, Card>; ways: Drawn[] }>();
  const homes = homesOf(doc.nodes);
  for (const [id, home] of homes) {
    const level = levels.get(home) ?? { cards: {}, ways: [] };
    levels.set(home, level);
    if (doc.layout.nodes && Object.hasOwn(doc.layout.nodes, id)) level.cards[id] = boxOf(doc, id);
  }
  const found: [string, Route][] = [];
  for (const way of ways) {
    const home = homes.get(way.from);
    if (home !== undefined && home === homes.get(way.to)) levels.get(home)?.ways.push(way);
    // What leads from one container into another is a mistake, which has to be seen.
    else found.push(...routes({ [way.from]: boxOf(doc, way.from), [way.to]: boxOf(doc, way.to) }, [way]));
  }
  for (const level of levels.values()) found.push(...routes(level.cards, level.ways));
  return new Map(found);
}

/** A route for every way whose two steps have a place. */
export function routes(places: Record<string, Card>, ways: Drawn[]): Map<string, Route> {
  const cards = Object.entries(places).map(([id, card]) => ({ id, box: boxAt(card) }));
  const ends = ownEnds(ways);
  const lanes: { way: Drawn; y: number; left: number; right: number }[] = [];
  const found: { way: Drawn; points: Place[] }[] = [];
  for (const way of ways) {
    if (!places[way.from] || !places[way.to]) continue;
    const points = around(
      way,
      ends(way),
      places,
      cards,
      (y, left, right) =>
        lanes.filter(
          (lane) =>
            Math.abs(lane.y - y) < 6 &&
            lane.left < right &&
            left < lane.right &&
            lane.way.from !== way.from &&
            lane.way.to !== way.to,
        ).length,
    );
    if (points.length === 6)
      lanes.push({
        way,
        y: points[2].y,
        left: Math.min(points[2].x, points[3].x),
        right: Math.max(points[2].x, points[3].x),
      });
    found.push({ way, points });
  }
  const taken = cards.map(({ box }) => box);
  const result = new Map<string, Route>();
  for (const { way, points } of found) {
    const label = roomiest(spotsOf(points, ends(way)), way.words, near(points, taken));
    if (way.words) taken.push(boxAround(label, label.width));
    result.set(way.key, { points, label, plus: label });
  }
  for (const [, route] of result) {
    const { x, y } = roomiest(spotsOf(route.points, null), PLUS, near(route.points, taken));
    route.plus = { x, y };
  }
  return result;
}

/** Which end of a way is its own: its last part where its step has several ways out, its first where several lead to one step. */
type OwnEnd = "first" | "last" | null;

function ownEnds(ways: Drawn[]): (way: Drawn) => OwnEnd {
  const to = new Map<string, Set<string>>();
  const from = new Map<string, Set<string>>();
  for (const way of ways) {
    to.set(way.from, (to.get(way.from) ?? new Set()).add(way.to));
    from.set(way.to, (from.get(way.to) ?? new Set()).add(way.from));
  }
  return (way) => ((to.get(way.from)?.size ?? 0) > 1 ? "last" : (from.get(way.to)?.size ?? 0) > 1 ? "first" : null);
}

/** What a label of the line could lie on. */
function near(points: Place[], boxes: Box[]): Box[] {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [left, right, top, bottom] = [
    Math.min(...xs) - LABEL_MOST,
    Math.max(...xs) + LABEL_MOST,
    Math.min(...ys) - LABEL_HEIGHT,
    Math.max(...ys) + LABEL_HEIGHT,
  ];
  return boxes.filter((box) => box.right > left && box.left < right && box.bottom > top && box.top < bottom);
}

function boxAt({ x, y, w, h }: Card): Box {
  return { left: x, right: x + w, top: y, bottom: y + h };
}

function boxAround({ x, y }: Place, width: number): Box {
  return { left: x - width / 2, right: x + width / 2, top: y - LABEL_HEIGHT / 2, bottom: y + LABEL_HEIGHT / 2 };
}

/** The corners of a way: straight on, with one turn between the two, or by a lane past what is in the way. */
function around(
  way: Drawn,
  own: OwnEnd,
  places: Record<string, Card>,
  cards: { id: string; box: Box }[],
  crowded: (y: number, left: number, right: number) => number,
): Place[] {
  const start = { x: places[way.from].x + places[way.from].w, y: places[way.from].y + HEIGHT / 2 };
  const end = { x: places[way.to].x, y: places[way.to].y + HEIGHT / 2 };
  const [left, right] = [Math.min(start.x, end.x) - STUB, Math.max(start.x, end.x) + STUB];
  const boxes = cards
    .filter(({ id, box }) => (box.right > left && box.left < right) || id === way.from || id === way.to)
    .map(({ box }) => box);
  const isForward = end.x - start.x >= 2 * STUB;
  const direct = isForward ? turns(start, end, own) : [];
  const free = direct.find((points) => hits(points, boxes) === 0);
  if (free) return free;
  const [out, into] = [start.x + STUB, end.x - STUB];
  const by = (y: number) => [start, { x: out, y: start.y }, { x: out, y }, { x: into, y }, { x: into, y: end.y }, end];
  const middle = (start.y + end.y) / 2;
  const ys = boxes.flatMap((box) => [box.top - LANE, box.bottom + LANE]).concat(isForward ? [] : [middle]);
  const detour = (y: number) => Math.abs(y - start.y) + Math.abs(y - end.y);
  let best = { points: by(middle), cost: Infinity };
  const tell = (points: Place[], cost: number) => {
    if (cost < best.cost) best = { points, cost };
  };
  for (const points of direct) tell(points, hits(points, boxes) * 5000 + length(points));
  const level = Math.abs(into - out) + 2 * STUB + 60;
  for (const y of [...new Set(ys)].sort((one, other) => detour(one) - detour(other))) {
    // The lanes get longer from here on: none is better than the best one.
    if (best.cost <= level + detour(y) - 2 * LANE) break;
    for (const shift of LANES) {
      const base =
        level +
        detour(y + shift) +
        Math.abs(shift) +
        crowded(y + shift, Math.min(out, into), Math.max(out, into)) * 120;
      if (base < best.cost) {
        const points = by(y + shift);
        tell(points, hits(points, boxes) * 5000 + base);
      }
    }
  }
  return best.points;
}

function turns(start: Place, end: Place, own: OwnEnd): Place[][] {
  if (Math.abs(start.y - end.y) < 1) return [[start, end]];
  const at = (x: number) => [start, { x, y: start.y }, { x, y: end.y }, end];
  const soon = Math.min(45, (end.x - start.x) / 2);
  const all = [at((start.x + end.x) / 2), at(start.x + soon), at(end.x - soon)];
  // Ways that part do so soon, and those that meet do so late: the rest is each one's own.
  return own === "last" ? [all[1], all[0], all[2]] : own === "first" ? [all[2], all[0], all[1]] : all;
}

function length(points: Place[]): number {
  return points
    .slice(1)
    .reduce((sum, point, place) => sum + Math.abs(point.x - points[place].x) + Math.abs(point.y - points[place].y), 0);
}

/** How often the line runs through a card; along an edge of one is no hit. */
function hits(points: Place[], boxes: Box[]): number {
  let count = 0;
  for (let place = 1; place < points.length; place += 1) {
    const [one, other] = [points[place - 1], points[place]];
    const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)];
    const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y, other.y)];
    for (const box of boxes)
      if (right > box.left + TIGHT && left < box.right - TIGHT && bottom > box.top + TIGHT && top < box.bottom - TIGHT)
        count += 1;
  }
  return count;
}

interface Candidate extends Place {
  bonus: number;
}

/** Where words of a way could stand: rather on the part that is its own. */
function spotsOf(points: Place[], own: OwnEnd): Candidate[] {
  const [start, end] = [points[0], points[points.length - 1]];
  const gap = Math.min(90, Math.max(end.x - start.x, 2 * STUB)) / 2;
  const bonus = (place: number) =>
    own === (place === 1 ? "first" : place === points.length - 1 ? "last" : null) && own !== null ? 90 : 0;
  const [first, last] = [bonus(1), bonus(points.length - 1)];
  const spots: Candidate[] = [
    { x: end.x - gap, y: end.y, bonus: last },
    { x: start.x + gap, y: start.y, bonus: first },
  ];
  if (Math.abs(end.x - start.x) < 400 && end.x > start.x) {
    const x = (start.x + end.x) / 2;
    spots.push({ x, y: end.y, bonus: last }, { x, y: start.y, bonus: first });
  }
  for (let place = points.length - 1; place > 0; place -= 1) {
    const [one, other] = [points[place - 1], points[place]];
    const isLevel = one.y === other.y;
    for (const part of [0.5, 0.25, 0.75]) {
      spots.push({
        x: one.x + (other.x - one.x) * part,
        y: one.y + (other.y - one.y) * part,
        bonus: bonus(place) + (isLevel && own === null ? 20 : 0) + (part === 0.5 ? 2 : 0),
      });
    }
  }
  return spots;
}

/** The spot with the most room for a label as wide as wanted, and the room that it has there. */
function roomiest(spots: Candidate[], wanted: number, taken: Box[]): Spot {
  let best: { spot: Spot; score: number } | null = null;
  for (const { x, y, bonus } of spots) {
    const width = Math.min(wanted, room({ x, y }, taken, wanted));
    const score = width + (width < Math.min(wanted, LABEL_LEAST) ? -500 : bonus);
    if (best === null || score > best.score)
      best = { spot: { x, y, width: Math.max(width, Math.min(wanted, LABEL_LEAST)) }, score };
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

/** A point on the way, which may be a hair aslant: it begins at the rim of a circle. */
function towards(from: Place, to: Place, by: number): Place {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const share = by / (Math.hypot(x, y) || 1);
  return { x: from.x + x * share, y: from.y + y * share };
}
