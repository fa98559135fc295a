/** Automatic layout: by dagre from left to right, wrapped into rows like a text. Loaded when it is needed. */

import dagre from "@dagrejs/dagre";
import { around, homeOf, homesOf, stepsIn } from "../model/bodies";
import { type Size, FIRST, GAP_X, GAP_Y, GRID, HEIGHT, place, sizeOf } from "../model/boxes";
import type { Doc, Place } from "../model/document";
import { withPlacesOf } from "./places";
import { attachedHeight } from "../model/attached";
import { type Arrow, arrows } from "../model/graph";
import { labelSize } from "../model/labels";
import { wayWords } from "../model/words";
import { type Part, type Piece, joined, wrapped } from "./wrap";

/** So high one column of branches gets before it is continued in a second one. */
const COLUMN_HEIGHT = 3600;

/**
 * Places for all steps, those in containers first, which are as large as that makes them; or for some of them that stand
 * in the same one, which stay where their upper left corner is.
 */
export function tidy(doc: Doc, only: string[] = []): Record<string, Place> {
  const home = only.length ? homeOf(doc, only[0]) : null;
  const chosen = only.filter((id) => Object.hasOwn(doc.nodes, id) && homeOf(doc, id) === home);
  if (chosen.length > 1) return tidied(doc, chosen, corner(chosen.map((id) => place(doc, id))));
  const found: Record<string, Place> = {};
  for (const level of levelsOf(doc)) {
    const ids = stepsIn(doc, level);
    Object.assign(found, tidied(withPlacesOf(doc, found), ids, level === null ? { x: 0, y: 0 } : FIRST));
  }
  return found;
}

/** The containers that hold something, the innermost first; then the outside. */
export function levelsOf(doc: Doc): (string | null)[] {
  const homes = [...new Set(homesOf(doc.nodes).values())];
  const depth = (home: string | null) => (home === null ? -1 : around(doc, home).length);
  return homes.toSorted((one, other) => depth(other) - depth(one));
}

/** Places for steps of one level, with this as their upper left corner: what is connected together, one below the other. */
export function tidied(doc: Doc, ids: string[], shift: Place): Record<string, Place> {
  const inside = new Set(ids);
  const ways = arrows(doc).filter((arrow) => inside.has(arrow.from) && inside.has(arrow.to));
  const pieces = partsOf(ids, ways).map((part) => pieceOf(doc, part));
  const found = Object.entries(joined(pieces));
  const own = corner(found.map(([, at]) => at));
  const snap = (value: number) => Math.round(value / GRID) * GRID;
  return Object.fromEntries(
    found.map(([id, at]) => [id, { x: snap(at.x - own.x + shift.x), y: snap(at.y - own.y + shift.y) }]),
  );
}

/** The steps that are connected with one another, in the order of the document. */
function partsOf(ids: string[], ways: Arrow[]): Part[] {
  const beside = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of ways) {
    beside.get(from)?.push(to);
    beside.get(to)?.push(from);
  }
  const numbers = new Map<string, number>();
  const parts: Part[] = [];
  for (const first of ids) {
    if (numbers.has(first)) continue;
    const open = [first];
    numbers.set(first, parts.length);
    for (let id = open.pop(); id !== undefined; id = open.pop())
      for (const other of beside.get(id) ?? []) {
        if (numbers.has(other)) continue;
        numbers.set(other, parts.length);
        open.push(other);
      }
    parts.push({ ids: [], ways: [] });
  }
  for (const id of ids) parts[numbers.get(id) ?? 0].ids.push(id);
  for (const way of ways) parts[numbers.get(way.from) ?? 0].ways.push(way);
  return parts;
}

function pieceOf(doc: Doc, { ids, ways }: Part): Piece {
  const sizes = new Map(
    ids.map((id) => [id, { w: sizeOf(doc, id).w, h: sizeOf(doc, id).h + attachedHeight(doc, id) }]),
  );
  const columns = columnsOf(ids, ways);
  const { links, behind } = linksOf(columns, ways, sizes);
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "LR", nodesep: GAP_Y, edgesep: GRID, ranksep: GAP_X, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  // dagre keeps steps in plain objects: `constructor` would be taken for what every object has.
  const named = (id: string) => `.${id}`;
  for (const [id, { w, h }] of sizes) {
    // Lines end at the head of a card, so a container is as high above that as below: dagre has them at the middle.
    graph.setNode(named(id), { width: w, height: 2 * h - HEIGHT });
  }
  const labels = new Map<string, Size>();
  for (const way of ways) {
    // Words on a way get room of their own; those of several ways between the same steps stand below one another.
    const size = labelSize(wayWords(doc, way));
    const key = `${way.from}\n${way.to}`;
    const before = labels.get(key) ?? { w: 0, h: 0 };
    if (!size) continue;
    const both = { w: Math.max(before.w, size.w), h: before.h + size.h };
    labels.set(key, both).set(way.to, both);
  }
  for (const { from, to } of links) {
    // Behind another step of its column a step has the words on its own way before it.
    const label = labels.get(`${from}\n${to}`) ?? (behind.has(to) ? labels.get(to) : undefined);
    const room = label ? { width: label.w + GRID, height: label.h, labelpos: "c" } : {};
    graph.setEdge(named(from), named(to), room);
  }
  dagre.layout(graph);
  const spots = ids.map((id) => graph.node(named(id)) as Place);
  const turned = isUpsideDown(spots) ? -1 : 1;
  const boxes = ids.map((id, at) => {
    const { x, y } = spots[at];
    const size = sizes.get(id) as Size;
    return { id, middle: x, x: x - size.w / 2, y: turned * y - HEIGHT / 2, ...size };
  });
  return wrapped(boxes, ways);
}

/** Whether more steps stand above than below the ones of their column that come before them in the document. */
function isUpsideDown(spots: Place[]): boolean {
  const last = new Map<number, number>();
  let balance = 0;
  for (const { x, y } of spots) {
    const above = last.get(x);
    if (above !== undefined) balance += Math.sign(y - above);
    last.set(x, y);
  }
  return balance < 0;
}

/** In which column each step stands at the earliest: behind all that lead to it. What is in a circle is in the first. */
function columnsOf(ids: string[], ways: Arrow[]): Map<string, number> {
  const out = new Map<string, string[]>(ids.map((id) => [id, []]));
  const missing = new Map(ids.map((id) => [id, 0]));
  for (const { from, to } of ways) {
    out.get(from)?.push(to);
    missing.set(to, (missing.get(to) ?? 0) + 1);
  }
  const columns = new Map(ids.map((id) => [id, 0]));
  const open = ids.filter((id) => !missing.get(id));
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const to of out.get(id) ?? []) {
      columns.set(to, Math.max(columns.get(to) ?? 0, (columns.get(id) ?? 0) + 1));
      const left = (missing.get(to) ?? 1) - 1;
      missing.set(to, left);
      if (left === 0) open.push(to);
    }
  return columns;
}

interface Link {
  from: string;
  to: string;
}

/**
 * The ways as dagre gets them. A column that would be very high is continued beside itself: the steps that are too
 * many stand behind others of it.
 */
function linksOf(
  columns: Map<string, number>,
  ways: Arrow[],
  sizes: Map<string, Size>,
): { links: Link[]; behind: Map<string, string> } {
  const members = new Map<number, string[]>();
  for (const [id, column] of columns) members.set(column, [...(members.get(column) ?? []), id]);
  const behind = new Map<string, string>();
  for (const ids of members.values()) {
    const heights = ids.map((id) => (sizes.get(id)?.h ?? HEIGHT) + GAP_Y);
    const height = heights.reduce((sum, each) => sum + each, 0);
    const widest = Math.max(...ids.map((id) => sizes.get(id)?.w ?? 0)) + GAP_X;
    const most = Math.max(COLUMN_HEIGHT, Math.sqrt(height * widest));
    if (height <= most) continue;
    const rows = Math.ceil(ids.length / Math.ceil(height / most));
    for (let at = rows; at < ids.length; at += 1) behind.set(ids[at], ids[at - rows]);
  }
  const follower = new Map([...behind].map(([to, from]) => [from, to]));
  const last = (id: string): string => {
    let at = id;
    for (let next = follower.get(at); next !== undefined; next = follower.get(at)) at = next;
    return at;
  };
  const links = new Map([...behind].map(([to, from]) => [`${from}\n${to}`, { from, to }]));
  for (const { from, to } of ways) {
    const isNext = columns.get(from) === (columns.get(to) ?? 0) - 1;
    const link = { from: last(from), to };
    if (!(isNext && behind.has(to))) links.set(`${link.from}\n${to}`, link);
  }
  return { links: [...links.values()], behind };
}

function corner(places: Place[]): Place {
  return { x: Math.min(...places.map((at) => at.x)), y: Math.min(...places.map((at) => at.y)) };
}
