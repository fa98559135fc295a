/** Who leads to whom: what the canvas, the outline and the commands ask of a document. */

import { around, homeOf, homesOf } from "./bodies";
import type { Doc, EdgeBody } from "./document";
import type { Json, JsonObject } from "./json";
import { isObject } from "./json";

export interface Arrow {
  key: string;
  from: string;
  to: string;
  /** A boundary timer's way, which stands in its node and not among the edges. */
  timer?: number;
}

/** All ways, those of boundary timers too; only between steps that are there. */
export function arrows(doc: Doc): Arrow[] {
  const found: Arrow[] = [];
  for (const [key, edge] of Object.entries(doc.edges)) {
    if (Object.hasOwn(doc.nodes, edge.from) && Object.hasOwn(doc.nodes, edge.to))
      found.push({ key, from: edge.from, to: edge.to });
  }
  for (const [id, body] of Object.entries(doc.nodes)) {
    const timers = Array.isArray(body.boundary_timers) ? body.boundary_timers : [];
    timers.forEach((timer, place) => {
      if (isObject(timer) && typeof timer.to === "string" && Object.hasOwn(doc.nodes, timer.to)) {
        found.push({ key: `${id}@${place}`, from: id, to: timer.to, timer: place });
      }
    });
  }
  return found;
}

export interface Neighbours {
  into: Map<string, Arrow[]>;
  out: Map<string, Arrow[]>;
}

const known = new WeakMap<Doc["nodes"], { edges: Doc["edges"]; found: Neighbours }>();

/** The ways into and out of each step. Kept while neither nodes nor edges change. */
export function neighbours(doc: Doc): Neighbours {
  const kept = known.get(doc.nodes);
  if (kept && kept.edges === doc.edges) return kept.found;
  const into = new Map<string, Arrow[]>();
  const out = new Map<string, Arrow[]>();
  for (const id of Object.keys(doc.nodes)) {
    into.set(id, []);
    out.set(id, []);
  }
  for (const arrow of arrows(doc)) {
    into.get(arrow.to)?.push(arrow);
    out.get(arrow.from)?.push(arrow);
  }
  const found = { into, out };
  known.set(doc.nodes, { edges: doc.edges, found });
  return found;
}

/** Everything that can be reached from a step, itself included. */
export function reach(doc: Doc, start: string, way: "out" | "into"): Set<string> {
  const ways = neighbours(doc)[way];
  const seen = new Set<string>([start]);
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const arrow of ways.get(id) ?? []) {
      const next = way === "out" ? arrow.to : arrow.from;
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
    }
  }
  return seen;
}

/**
 * Why these two can't be connected, in a sentence; null where they can. Two ways may lead to the same step where each
 * has a condition of its own (`condition` of the new one), such as two outcomes.
 */
export function whyNot(doc: Doc, from: string, to: string, condition: JsonObject = {}): string | null {
  const name = (id: string) => titleOf(doc, id);
  if (from === to) return "A step can't connect to itself. To repeat something, use a loop.";
  if (!Object.hasOwn(doc.nodes, from) || !Object.hasOwn(doc.nodes, to)) return "That step does not exist.";
  const others = Object.values(doc.edges).filter((edge) => edge.from === from && edge.to === to);
  if (others.some((edge) => !isOther(edge, condition))) return `${name(from)} is already connected to ${name(to)}.`;
  if (homeOf(doc, from) !== homeOf(doc, to)) return whyNotAcross(doc, from, to);
  if (reach(doc, to, "out").has(from)) {
    return `That would create a cycle: ${name(to)} comes before ${name(from)}.`;
  }
  return null;
}

/** Whether a way with this condition is taken in other cases than an edge. */
function isOther(edge: EdgeBody, condition: JsonObject): boolean {
  const said = (of: JsonObject) => ["when", "branch", "default", "on"].map((name) => of[name] ?? null);
  const [one, other] = [said(edge), said(condition)];
  const isAlways = (each: Json[]) => each.every((value) => value === null);
  return !isAlways(one) && !isAlways(other) && JSON.stringify(one) !== JSON.stringify(other);
}

function whyNotAcross(doc: Doc, from: string, to: string): string {
  const inner = homeOf(doc, from) !== null && !around(doc, to).includes(homeOf(doc, from) as string) ? from : to;
  const container = titleOf(doc, homeOf(doc, inner) ?? "");
  return `${titleOf(doc, inner)} is a step of ${container}: connect it to others in there, or connect ${container} itself.`;
}

const typeTitles: Record<string, string> = {};

/** Tells what steps are called that have no title of their own. */
export function knowTypes(types: { name: string; title: string }[]): void {
  for (const { name, title } of types) typeTitles[name] = title;
}

function ownTitle(doc: Doc, id: string): string | null {
  const title = doc.nodes[id]?.title;
  return typeof title === "string" && title.trim() ? title : null;
}

/** What a step is called: its title, or that of its type and its id, as in `engine/step_titles.py`. */
export function titleOf(doc: Doc, id: string): string {
  const body = doc.nodes[id];
  if (!body) return id;
  return ownTitle(doc, id) ?? `${typeTitles[body.type] ?? body.type} (${id})`;
}

/** The two lines of a card: the title and the type of a step; of a step without a title its type and its id. */
export function cardLines(doc: Doc, id: string): [string, string] {
  const type = typeTitles[doc.nodes[id].type] ?? doc.nodes[id].type;
  const title = ownTitle(doc, id);
  return title === null ? [type, id] : [title, type];
}

export interface Row {
  id: string;
  depth: number;
}

/**
 * The steps in the order of the work, branches set in below where they part, and what stands in a container below that;
 * what is in a circle comes last.
 */
export function inOrder(doc: Doc): Row[] {
  const levels = new Map<string | null, string[]>();
  for (const [id, home] of homesOf(doc.nodes)) {
    const level = levels.get(home) ?? [];
    levels.set(home, level);
    level.push(id);
  }
  const rows: Row[] = [];
  const put = (home: string | null, depth: number): void => {
    for (const row of levelInOrder(doc, levels.get(home) ?? [])) {
      rows.push({ id: row.id, depth: depth + row.depth });
      if (levels.has(row.id)) put(row.id, depth + row.depth + 1);
    }
  };
  put(null, 0);
  return rows;
}

/** The steps of one container, or those on the outside. */
function levelInOrder(doc: Doc, ids: string[]): Row[] {
  const { into, out } = neighbours(doc);
  const own = new Set(ids);
  const before = new Map(ids.map((id) => [id, (into.get(id) ?? []).filter((arrow) => own.has(arrow.from))]));
  const missing = new Map([...before].map(([id, ways]) => [id, ways.length]));
  const open: Row[] = ids.filter((id) => !missing.get(id)).map((id) => ({ id, depth: 0 }));
  open.reverse();
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    const ways = before.get(id) ?? [];
    const [first] = ways;
    if (ways.length === 1) return (depths.get(first.from) ?? 0) + ((out.get(first.from) ?? []).length > 1 ? 1 : 0);
    return Math.max(Math.min(...ways.map((arrow) => depths.get(arrow.from) ?? 0)) - 1, 0);
  };
  const rows: Row[] = [];
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    const { id } = row;
    depths.set(id, row.depth);
    rows.push(row);
    for (const arrow of [...(out.get(id) ?? [])].reverse()) {
      if (!own.has(arrow.to)) continue;
      const left = (missing.get(arrow.to) ?? 1) - 1;
      missing.set(arrow.to, left);
      if (left > 0) continue;
      const next = { id: arrow.to, depth: depthOf(arrow.to) };
      // Where branches meet it goes on when the other branches are listed.
      const isMeeting = (before.get(arrow.to) ?? []).length > 1;
      const place = isMeeting ? open.findLastIndex((each) => each.depth <= next.depth) + 1 : open.length;
      open.splice(place, 0, next);
    }
  }
  const seen = new Set(rows.map((row) => row.id));
  for (const id of ids) if (!seen.has(id)) rows.push({ id, depth: 0 });
  return rows;
}
