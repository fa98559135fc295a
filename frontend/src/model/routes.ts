/** How ways are drawn on the canvas: around the cards of other steps, each with a place for its words where no card is. */

import { type Box as Card, HEIGHT, boxOf } from "./boxes";
import { attachedHeight } from "./attached";
import { homesOf } from "./bodies";
import type { Doc, Place } from "./document";
import { own } from "./json";
import { placesOfLabels } from "./labels";

/** One way that is drawn, with the words on it. */
export interface Drawn {
  key: string;
  from: string;
  to: string;
  words: string;
}

export interface Spot extends Place {
  width: number;
}

export interface Route {
  points: Place[];
  label: Spot;
  /** Where the button for a step in between stands, which is beside the label. */
  plus: Place;
  /** How far below the middle of a card's head it leaves, and arrives: each way out has a line of its own. */
  below: { out: number; into: number };
}

/** Where a way leaves and arrives, and how much further on than others of its step it turns. */
type Port = Route["below"] & { turn: number };

export interface Rect {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const STUB = 24;
const LANE = 18;
const LANES = [0, 10, -10, 20, -20];
const TIGHT = 2;
/** Between the lines of two ways out of one step, where there are few. */
const PORT_GAP = 14;
/** Between the lines of two ways out of one step where they turn. */
const TURN = 8;
const MOST_TURNS = 4;
const MOST_PORTS = 8;
/** So much of a card's side is for its lines. */
const PORTS = 52;

/** The routes of all ways of a draft, those within a container among the steps of that. */
export function routesOf(doc: Doc, ways: Drawn[]): Map<string, Route> {
  const levels = new Map<string | null, Level>();
  const homes = homesOf(doc.nodes);
  for (const [id, home] of homes) {
    const level = levels.get(home) ?? { cards: {}, ways: [], attached: {} };
    levels.set(home, level);
    if (!doc.layout.nodes || !Object.hasOwn(doc.layout.nodes, id)) continue;
    level.cards[id] = boxOf(doc, id);
    level.attached[id] = attachedHeight(doc, id);
  }
  const found: [string, Route][] = [];
  for (const way of ways) {
    const home = homes.get(way.from);
    if (home !== undefined && home === homes.get(way.to)) levels.get(home)?.ways.push(way);
    // What leads from one container into another is a mistake, which has to be seen.
    else found.push(...routes({ [way.from]: boxOf(doc, way.from), [way.to]: boxOf(doc, way.to) }, [way]));
  }
  for (const level of levels.values()) found.push(...routes(level.cards, level.ways, level.attached));
  return new Map(found);
}

interface Level {
  cards: Record<string, Card>;
  ways: Drawn[];
  /** How far below its card what is attached to a step reaches. */
  attached: Record<string, number>;
}

/** A route for every way whose two steps have a place. */
export function routes(
  places: Record<string, Card>,
  ways: Drawn[],
  attached: Record<string, number> = {},
): Map<string, Route> {
  const cards = Object.entries(places).map(([id, card]) => ({
    id,
    box: boxAt({ ...card, h: card.h + (own(attached, id) ?? 0) }),
  }));
  const drawn = ways.filter((way) => places[way.from] && places[way.to]);
  const ends = ownEnds(drawn);
  const ports = portsOf(places, drawn);
  const lanes: { way: Drawn; y: number; left: number; right: number }[] = [];
  const crowdedFor = (way: Drawn) => (y: number, left: number, right: number) =>
    lanes.filter(
      (lane) =>
        Math.abs(lane.y - y) < 6 &&
        lane.left < right &&
        left < lane.right &&
        // What leads to the same step from elsewhere may join in.
        (lane.way.to !== way.to || lane.way.from === way.from),
    ).length;
  const found = drawn.map((way) => {
    const { turn, ...below } = ports.get(way.key) ?? { out: 0, into: 0, turn: 0 };
    const points = around(way, { ...below, turn }, ends(way), places, cards, crowdedFor(way));
    for (let at = 2; at < points.length - 2; at += 1) {
      const [one, other] = [points[at], points[at + 1]];
      if (one.y === other.y && at < points.length - 3)
        lanes.push({ way, y: one.y, left: Math.min(one.x, other.x), right: Math.max(one.x, other.x) });
    }
    return { way, points, below, own: ends(way) };
  });
  const spots = placesOfLabels(
    found.map(({ way, points, own }) => ({ words: way.words, points, own })),
    cards.map(({ box }) => box),
  );
  return new Map(found.map(({ way, points, below }, at) => [way.key, { points, below, ...spots[at] }]));
}

/**
 * How far from the middle each way leaves its step, and arrives: the one that leads straight on in the middle, those to
 * what stands higher above it. Of several ways between the same two steps each arrives at a point of its own, too.
 */
function portsOf(places: Record<string, Card>, ways: Drawn[]): Map<string, Port> {
  const out = new Map<string, Drawn[]>();
  for (const way of ways) out.set(way.from, [...(out.get(way.from) ?? []), way]);
  const found = new Map<string, Port>();
  for (const [from, own] of out) {
    const rise = (way: Drawn) => places[way.to].y - places[from].y;
    // What leads back leaves below the others: its line goes down to a lane.
    const isBack = (way: Drawn) => places[way.to].x < places[from].x + places[from].w;
    const key = (way: Drawn) => (isBack(way) ? 1e6 : 0) + rise(way);
    const sorted = own.toSorted((one, other) => key(one) - key(other));
    const nearest = sorted.reduce((best, way) => (Math.abs(key(way)) < Math.abs(key(best)) ? way : best), sorted[0]);
    const middle = sorted.indexOf(nearest);
    const most = Math.max(middle, sorted.length - 1 - middle, 1);
    // Very many leave as one trunk: each has the part to its own step for itself.
    const isTrunk = sorted.length > MOST_PORTS;
    const step = isTrunk ? 0 : Math.min(PORT_GAP, PORTS / 2 / most);
    const twins = new Map<string, number>();
    sorted.forEach((way, at) => {
      const earlier = twins.get(way.to) ?? 0;
      twins.set(way.to, earlier + 1);
      // Of those that turn down the lowest turns first, of those that turn up the highest: they do not cross.
      const turn = isTrunk ? 0 : Math.min(at < middle ? at : sorted.length - 1 - at, MOST_TURNS) * TURN;
      found.set(way.key, { out: (at - middle) * step, into: earlier * PORT_GAP, turn });
    });
  }
  return found;
}

/** Which part of a way is its own: its last where its step has several ways out, its first where several lead to one step. */
export type OwnEnd = "first" | "middle" | "last" | null;

function ownEnds(ways: Drawn[]): (way: Drawn) => OwnEnd {
  const to = new Map<string, Set<string>>();
  const from = new Map<string, Set<string>>();
  for (const way of ways) {
    to.set(way.from, (to.get(way.from) ?? new Set()).add(way.to));
    from.set(way.to, (from.get(way.to) ?? new Set()).add(way.from));
  }
  return (way) => {
    const [parts, meets] = [(to.get(way.from)?.size ?? 0) > 1, (from.get(way.to)?.size ?? 0) > 1];
    return parts ? (meets ? "middle" : "last") : meets ? "first" : null;
  };
}

function boxAt({ x, y, w, h }: Card): Rect {
  return { left: x, right: x + w, top: y, bottom: y + h };
}

/** The corners of a way: straight on, with one turn between the two, or by a lane past what is in the way. */
function around(
  way: Drawn,
  port: Port,
  own: OwnEnd,
  places: Record<string, Card>,
  cards: { id: string; box: Rect }[],
  crowded: (y: number, left: number, right: number) => number,
): Place[] {
  const [from, to] = [places[way.from], places[way.to]];
  const start = { x: from.x + from.w, y: from.y + HEIGHT / 2 + port.out };
  const end = { x: to.x, y: to.y + HEIGHT / 2 + port.into };
  const [left, right] = [Math.min(start.x, end.x) - 3 * STUB, Math.max(start.x, end.x) + 3 * STUB];
  const boxes = cards
    .filter(({ id, box }) => (box.right > left && box.left < right) || id === way.from || id === way.to)
    .map(({ box }) => box);
  const isForward = end.x - start.x >= 2 * STUB;
  const direct = isForward ? turns(start, end, own, port.turn) : [];
  const free = direct.find((points) => hits(points, boxes) === 0);
  if (free) return free;
  const best = byLane(start, end, port, boxes, direct, crowded);
  return best.hits === 0 ? best.points : byTwoLanes(start, end, cards, best, crowded).points;
}

interface Try {
  points: Place[];
  hits: number;
  cost: number;
}

/** The cheapest of the direct lines and of those along one level lane. */
function byLane(
  start: Place,
  end: Place,
  port: Port,
  boxes: Rect[],
  direct: Place[][],
  crowded: (y: number, left: number, right: number) => number,
): Try {
  // Lines that leave one step, or arrive from the same one, turn at different distances: none lies on another.
  const [out, into] = [start.x + STUB + port.turn, end.x - STUB - Math.min(port.into / 2, STUB / 2)];
  const by = (y: number) => [start, { x: out, y: start.y }, { x: out, y }, { x: into, y }, { x: into, y: end.y }, end];
  const middle = (start.y + end.y) / 2;
  const isForward = end.x - start.x >= 2 * STUB;
  const ys = boxes.flatMap((box) => [box.top - LANE, box.bottom + LANE]).concat(isForward ? [] : [middle]);
  const detour = (y: number) => Math.abs(y - start.y) + Math.abs(y - end.y);
  let best: Try = { points: by(middle), hits: Infinity, cost: Infinity };
  const tell = (points: Place[], own: number) => {
    const count = hits(points, boxes);
    if (count * 5000 + own < best.cost) best = { points, hits: count, cost: count * 5000 + own };
  };
  for (const points of direct) tell(points, length(points));
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
      if (base < best.cost) tell(by(y + shift), base);
    }
  }
  return best;
}

/** The cheapest line that leaves by one lane, crosses the rows where nothing stands, and arrives by another lane. */
function byTwoLanes(
  start: Place,
  end: Place,
  cards: { box: Rect }[],
  one: Try,
  crowded: (y: number, left: number, right: number) => number,
): Try {
  const boxes = cards.map(({ box }) => box);
  const near = (x: number, y: number) =>
    boxes
      .filter((box) => box.left - LANE < x && box.right + LANE > x)
      .flatMap((box) => [box.top - LANE, box.bottom + LANE])
      .toSorted((a, b) => Math.abs(a - y) - Math.abs(b - y))
      .slice(0, MOST_TRIES);
  const columns = [...new Set(boxes.flatMap((box) => [box.left - LANE, box.right + LANE]))]
    .toSorted((a, b) => away(a, start.x, end.x) - away(b, start.x, end.x))
    .slice(0, 2 * MOST_TRIES);
  let best = one;
  for (const out of besides(start, boxes, 1))
    for (const into of besides(end, boxes, -1))
      for (const leave of near(out, start.y))
        for (const x of [out, into, ...columns])
          for (const arrive of x === into ? [leave] : near(into, end.y)) {
            const points = [
              start,
              { x: out, y: start.y },
              { x: out, y: leave },
              { x, y: leave },
              { x, y: arrive },
              { x: into, y: arrive },
              { x: into, y: end.y },
              end,
            ];
            const cost =
              length(points) + 120 * (crowded(leave, Math.min(out, x), Math.max(out, x)) + (x === out ? 0 : 1));
            if (cost >= best.cost) continue;
            const count = hits(points, boxes);
            if (count * 5000 + cost < best.cost) best = { points, hits: count, cost: count * 5000 + cost };
          }
  return best;
}

const MOST_TRIES = 6;

/** Where a line could turn up or down beside a card: at the usual place, or past what stands above or below it. */
function besides({ x, y }: Place, boxes: Rect[], way: 1 | -1): number[] {
  const usual = x + way * STUB;
  const past = boxes
    .filter((box) => box.left < usual && box.right > usual && (y < box.top || y > box.bottom))
    .map((box) => (way === 1 ? box.right : box.left) + way * LANE);
  return [usual, ...[...new Set(past)].toSorted((a, b) => way * (a - b)).slice(0, 2)];
}

function away(x: number, one: number, other: number): number {
  return Math.max(0, Math.min(one, other) - x, x - Math.max(one, other)) * 2 + Math.abs(x - other) / 10;
}

function turns(start: Place, end: Place, own: OwnEnd, turn: number): Place[][] {
  if (Math.abs(start.y - end.y) < 1) return [[start, end]];
  const at = (x: number) => [start, { x, y: start.y }, { x, y: end.y }, end];
  const half = (end.x - start.x) / 2;
  const soon = Math.min(45, half);
  const all = [at(start.x + half), at(start.x + Math.min(STUB + turn, half)), at(end.x - soon)];
  // Ways that part do so soon, and those that meet do so late: the rest is each one's own.
  return own === "last" || own === "middle"
    ? [all[1], all[0], all[2]]
    : own === "first"
      ? [all[2], all[0], all[1]]
      : all;
}

function length(points: Place[]): number {
  return points
    .slice(1)
    .reduce((sum, point, place) => sum + Math.abs(point.x - points[place].x) + Math.abs(point.y - points[place].y), 0);
}

/** How often the line runs through a card; along an edge of one is no hit. */
function hits(points: Place[], boxes: Rect[]): number {
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
