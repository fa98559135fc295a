/** The words on ways: how large they are, and where they stand, whole and on nothing else. Pure. */

import { HEIGHT, type Size } from "./boxes";
import type { Place } from "./document";
import type { OwnEnd, Rect, Spot } from "./routes";

export const LABEL_MOST = 240;
const LABEL_LEAST = 84;
const LINE = 17;
const EDGES = 20;
const FRAME = 6;
/** A longer text is cut on the canvas; its form has all of it. */
const MOST_LINES = 8;

/** About how wide a text is in px. */
function textWidth(words: string): number {
  let width = 0;
  for (const letter of words) width += (letter.codePointAt(0) ?? 0) > 0x2e7f ? 13 : 7;
  return width;
}

/** The height of a label that is this wide. */
function heightAt(words: string, width: number): number {
  const room = width - EDGES;
  let [lines, used] = [1, 0];
  for (const word of words.split(" ")) {
    const own = textWidth(word);
    const wanted = used ? used + 7 + own : own;
    if (wanted <= room) {
      used = wanted;
      continue;
    }
    if (used) lines += 1;
    // A word that is wider than the label is broken.
    lines += Math.max(0, Math.ceil(own / room) - 1);
    used = own % room;
  }
  return Math.min(lines, MOST_LINES) * LINE + FRAME;
}

/** The shapes that a label can have, the widest first; none for no words. */
export function labelShapes(words: string): Size[] {
  if (!words) return [];
  const whole = Math.min(Math.ceil(textWidth(words) * 1.04) + EDGES, LABEL_MOST);
  const widths = [whole, ...[180, 130, LABEL_LEAST].filter((width) => width < whole)];
  return widths.map((w) => ({ w, h: heightAt(words, w) }));
}

/** The shape that a label has where there is room. */
export function labelSize(words: string): Size | null {
  return labelShapes(words)[0] ?? null;
}

interface Line {
  words: string;
  points: Place[];
  own: OwnEnd;
}

interface Candidate extends Place {
  bonus: number;
}

const STUB = 24;
const PLUS: Size[] = [{ w: 26, h: 26 }];
const AIR = 4;

/** For each line where its words stand and how wide, and where its button does: on no card and on no other words. */
export function placesOfLabels(lines: Line[], cards: Rect[]): { label: Spot; plus: Place }[] {
  const taken = new Grid(cards);
  const labels = lines.map(({ words, points, own }) => {
    const shapes = labelShapes(words);
    const label = roomiest(points, own, shapes.length ? shapes : PLUS, taken);
    if (words) taken.add(rectOf(label, label));
    return { x: label.x, y: label.y, width: label.w };
  });
  return lines.map(({ points }, at) => {
    const { x, y } = roomiest(points, null, PLUS, taken);
    return { label: labels[at], plus: { x, y } };
  });
}

function rectOf({ x, y }: Place, { w, h }: Size): Rect {
  return { left: x - w / 2, right: x + w / 2, top: y - h / 2, bottom: y + h / 2 };
}

/** What is taken, by squares of the canvas: only what is near is compared. */
class Grid {
  private squares = new Map<string, Rect[]>();

  constructor(rects: Rect[]) {
    for (const rect of rects) this.add(rect);
  }

  private *keys({ left, right, top, bottom }: Rect): Generator<string> {
    for (let x = Math.floor(left / SQUARE); x <= Math.floor(right / SQUARE); x += 1)
      for (let y = Math.floor(top / SQUARE); y <= Math.floor(bottom / SQUARE); y += 1) yield `${x} ${y}`;
  }

  add(rect: Rect): void {
    for (const key of this.keys(rect)) {
      const square = this.squares.get(key) ?? [];
      this.squares.set(key, square);
      square.push(rect);
    }
  }

  /** How much of it is taken, in px². */
  covered(rect: Rect): number {
    const near = new Set<Rect>();
    for (const key of this.keys(rect)) for (const each of this.squares.get(key) ?? []) near.add(each);
    let area = 0;
    for (const each of near) {
      const width = Math.min(rect.right, each.right) - Math.max(rect.left, each.left);
      const height = Math.min(rect.bottom, each.bottom) - Math.max(rect.top, each.top);
      if (width > 0 && height > 0) area += width * height;
    }
    return area;
  }
}

const SQUARE = 400;

/** The best spot: nothing there, the words on few lines, on the part of the line that is its own. */
function roomiest(points: Place[], own: OwnEnd, shapes: Size[], taken: Grid): Place & Size {
  let best: { spot: Place & Size; cost: number } | null = null;
  for (const [narrower, shape] of shapes.entries())
    for (const { x, y, bonus } of spotsOf(points, own, shape)) {
      const cost = narrower * 25 - bonus;
      if (best !== null && cost >= best.cost) continue;
      const rect = rectOf({ x, y }, { w: shape.w + 2 * AIR, h: shape.h + 2 });
      const covered = taken.covered(rect);
      const whole = cost + (covered ? 500 + covered : 0);
      if (best === null || whole < best.cost) best = { spot: { x, y, ...shape }, cost: whole };
    }
  return (best as { spot: Place & Size }).spot;
}

/** Shares of a stretch of a line at which words could stand: of a long one more. */
function partsOf(one: Place, other: Place): number[] {
  const length = Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
  const more = Math.min(Math.floor(length / 40), MOST_PARTS);
  return [0.5, 0.25, 0.75, ...Array.from({ length: more }, (_, at) => (at + 0.5) / more)];
}

const MOST_PARTS = 40;

/** Where words of a way could stand: rather on the part that is its own; where all of it is taken, above or below it. */
function spotsOf(points: Place[], own: OwnEnd, { w, h }: Size): Candidate[] {
  const [start, end] = [points[0], points[points.length - 1]];
  const gap = Math.min(90, Math.max(end.x - start.x, 2 * STUB)) / 2;
  const bonus = (place: number) => {
    const part = place === 1 ? "first" : place === points.length - 1 ? "last" : "middle";
    return own === part ? 90 : 0;
  };
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
    for (const part of partsOf(one, other)) {
      spots.push({
        x: one.x + (other.x - one.x) * part,
        y: one.y + (other.y - one.y) * part,
        bonus: bonus(place) + (isLevel && own === null ? 20 : 0) + (part === 0.5 ? 2 : 0),
      });
    }
  }
  // Beside the cards there is no room: above or below them there may be.
  const high = HEIGHT / 2 + h / 2 + AIR + 2;
  for (const { x, y } of spots.slice(0, 2))
    for (const [aside, far] of [
      [-high, 1],
      [high, 1],
      [-high - h - AIR, 2],
      [high + h + AIR, 2],
    ])
      for (const along of [0, w / 2, -w / 2])
        spots.push({ x: x + along, y: y + aside, bonus: -80 * far - Math.abs(along) / 10 });
  return spots;
}
