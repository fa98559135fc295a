/** What a person can do to a draft, each as the changes that it comes to. Pure; where it can't be done, no changes. */

import type { Catalogue } from "./catalogue";
import type { Change } from "./changes";
import { Draft } from "./changes";
import type { Doc, EdgeBody, NodeBody, Note, Place } from "./document";
import { edgeKey } from "./bodies";
import { neighbours, reach, whyNot } from "./graph";
import type { Json, JsonObject } from "./json";
import { isObject } from "./json";
import { free, slug } from "./names";
import { nextOutcome } from "./outcomes";

export const WIDTH = 240;
export const HEIGHT = 72;
export const GAP_X = 90;
export const GAP_Y = 36;
export const GRID = 10;

export interface Made {
  changes: Change[];
  /** The steps that are selected afterwards. */
  select: string[];
}

export function place(doc: Doc, id: string): Place {
  return doc.layout.nodes?.[id] ?? { x: 0, y: 0 };
}

function snapped(point: Place): Place {
  return { x: Math.round(point.x / GRID) * GRID, y: Math.round(point.y / GRID) * GRID };
}

/** The nearest place below (or at) this one where no step is in the way. */
export function freePlace(doc: Doc, wanted: Place, own?: string): Place {
  const taken = Object.keys(doc.nodes).flatMap((id) => (id === own ? [] : [place(doc, id)]));
  const spot = snapped(wanted);
  const hits = () =>
    taken.some((other) => Math.abs(other.x - spot.x) < WIDTH + 20 && Math.abs(other.y - spot.y) < HEIGHT + 20);
  while (hits()) spot.y += HEIGHT + GAP_Y;
  return spot;
}

/** A new step's params: what its type needs and has an example for stays empty, for its author to say. */
function newBody(type: string): NodeBody {
  return { type } as NodeBody;
}

export interface Where {
  /** Behind this step. */
  after?: string;
  /** Before this step. */
  before?: string;
  /** On this edge. */
  edge?: string;
  at?: Place;
}

/** Ids that no new step gets, though no step has them. */
export type Kept = Record<string, unknown>;

/** A new step of a type, at a place, behind or before another, or on an edge, which it splits. */
export function addStep(doc: Doc, catalogue: Catalogue, type: string, where: Where, kept: Kept = {}): Made {
  const id = free(slug(catalogue[type]?.title ?? type.split(".").pop() ?? type), { ...kept, ...doc.nodes });
  const draft = new Draft(doc);
  const room = where.edge === undefined ? null : roomOn(doc, where.edge);
  const spot = room?.spot ?? where.at ?? placeFor(doc, where);
  const keys = Object.keys(doc.nodes);
  const after = where.after ?? (where.edge ? doc.edges[where.edge]?.from : undefined);
  draft.insert("nodes", id, newBody(type), after && Object.hasOwn(doc.nodes, after) ? after : (keys.at(-1) ?? null));
  for (const [other, to] of Object.entries(room?.moved ?? {})) draft.set(["layout", "nodes", other], to);
  draft.set(["layout", "nodes", id], { ...freePlace(draft.doc, spot, id) });
  if (where.edge && doc.edges[where.edge]) splice(draft, where.edge, id);
  else if (where.after) connectIn(draft, where.after, id, usualCondition(doc, catalogue, where.after));
  else if (where.before) insertBefore(draft, where.before, id);
  return { changes: draft.changes, select: [id] };
}

/**
 * Where a step stands on an edge that leads to the right, and who makes room for it: what comes after and stands
 * beside or behind the end of the edge goes on to the right, all by the same width.
 */
export function roomOn(doc: Doc, key: string, width = WIDTH): { spot: Place; moved: Record<string, Place> } | null {
  const edge = doc.edges[key];
  if (!edge) return null;
  const [one, other] = [place(doc, edge.from), place(doc, edge.to)];
  const before = WIDTH + GAP_X;
  if (other.x <= one.x) return null;
  const lacks = Math.max(0, one.x + before + width + GAP_X - other.x);
  const spot = lacks ? { x: one.x + before, y: other.y } : { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  const after = lacks ? [...reach(doc, edge.to, "out")].filter((id) => place(doc, id).x >= other.x) : [];
  const moved = after.map((id) => [id, { x: place(doc, id).x + lacks, y: place(doc, id).y }] as const);
  return { spot, moved: Object.fromEntries(moved) };
}

function placeFor(doc: Doc, where: Where): Place {
  if (where.edge && doc.edges[where.edge]) {
    const { from, to } = doc.edges[where.edge];
    const [one, other] = [place(doc, from), place(doc, to)];
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  }
  if (where.after) {
    const spot = place(doc, where.after);
    return { x: spot.x + WIDTH + GAP_X, y: spot.y };
  }
  if (where.before) {
    const spot = place(doc, where.before);
    return { x: spot.x - WIDTH - GAP_X, y: spot.y };
  }
  const last = Object.keys(doc.nodes).at(-1);
  return last ? placeFor(doc, { after: last }) : { x: 0, y: 0 };
}

/** The edge now leads to a step, and a new one without a condition from there, or from where its group goes on. */
export function splice(draft: Draft, key: string, id: string, end = id): void {
  const { from, to, ...condition } = draft.doc.edges[key] as EdgeBody;
  const was = key;
  const first = edgeKey(from, id, draft.doc.edges);
  draft.insert("edges", first, { from, to: id, ...condition }, was);
  draft.set(["edges", was], undefined);
  connectIn(draft, end, to, {}, first);
}

/** What led to a step leads to another one now, and from there, or from where its group goes on, to the step. */
export function insertBefore(draft: Draft, target: string, id: string, end = id): void {
  const into = (neighbours(draft.doc).into.get(target) ?? []).filter((arrow) => arrow.timer === undefined);
  for (const arrow of into) rerouted(draft, arrow.key, { to: id });
  connectIn(draft, end, target, {});
}

function rerouted(draft: Draft, key: string, ends: Partial<EdgeBody>): string {
  const body = { ...draft.doc.edges[key], ...ends } as EdgeBody;
  const taken = Object.values(draft.doc.edges).some((edge) => edge.from === body.from && edge.to === body.to);
  if (!taken && body.from !== body.to) draft.insert("edges", edgeKey(body.from, body.to, draft.doc.edges), body, key);
  draft.set(["edges", key], undefined);
  return edgeKey(body.from, body.to, {});
}

function connectIn(draft: Draft, from: string, to: string, condition: JsonObject, after?: string): string | null {
  if (whyNot(draft.doc, from, to)) return null;
  const key = edgeKey(from, to, draft.doc.edges);
  if (after === undefined) draft.insert("edges", key, { from, to, ...condition });
  else draft.insert("edges", key, { from, to, ...condition }, after);
  return key;
}

/** What a new way out of this step says by itself: a decision's first way is a question, its last one the rest; who asks
 * people has a way for each outcome. */
export function usualCondition(doc: Doc, catalogue: Catalogue, from: string): JsonObject {
  const body = doc.nodes[from];
  const others = Object.values(doc.edges).filter((edge) => edge.from === from && edge.on !== "error");
  if (body && catalogue[body.type]?.decides && others.length > 0 && !others.some((edge) => edge.default))
    return { default: true };
  const outcome = body ? nextOutcome(doc, catalogue, from) : null;
  return outcome === null ? {} : { branch: outcome };
}

export function connect(
  doc: Doc,
  from: string,
  to: string,
  condition: JsonObject = {},
): { changes: Change[]; key: string | null } {
  const draft = new Draft(doc);
  const key = connectIn(draft, from, to, condition);
  return { changes: draft.changes, key };
}

/** An edge drawn to another end. Its condition stays. */
export function reconnect(doc: Doc, key: string, ends: { from?: string; to?: string }): Change[] {
  const body = doc.edges[key];
  if (!body) return [];
  const { [key]: _own, ...rest } = doc.edges;
  const wanted = { ...body, ...ends };
  if (whyNot({ ...doc, edges: rest }, wanted.from, wanted.to)) return [];
  const draft = new Draft(doc);
  draft.insert("edges", edgeKey(wanted.from, wanted.to, draft.doc.edges), wanted, key);
  draft.set(["edges", key], undefined);
  return draft.changes;
}

export interface Selection {
  nodes: string[];
  edges: string[];
  notes?: string[];
}

/** Everything selected goes, with what hangs on it; `bridge` connects what stood before with what comes after. */
export function remove(doc: Doc, what: Selection, bridge = false): Change[] {
  const draft = new Draft(doc);
  const gone = new Set(what.nodes.filter((id) => Object.hasOwn(doc.nodes, id)));
  const bridges = bridge ? bridgesOver(doc, gone) : [];
  for (const [key, edge] of Object.entries(doc.edges)) {
    if (gone.has(edge.from) || gone.has(edge.to) || what.edges.includes(key)) draft.set(["edges", key], undefined);
  }
  for (const key of what.edges) if (key.includes("@")) removeTimer(draft, key);
  for (const id of gone) forget(draft, id);
  for (const [from, to, condition] of bridges) connectIn(draft, from, to, condition);
  for (const note of what.notes ?? []) draft.set(["layout", "notes", note], undefined);
  return draft.changes;
}

function removeTimer(draft: Draft, key: string): void {
  const [id, number] = key.split("@");
  const timers = draft.doc.nodes[id]?.boundary_timers;
  if (!Array.isArray(timers)) return;
  const left = timers.filter((_, place) => place !== Number(number));
  draft.set(["nodes", id, "boundary_timers"], left.length ? left : undefined);
}

function forget(draft: Draft, id: string): void {
  for (const [other, body] of Object.entries(draft.doc.nodes)) {
    const timers = body.boundary_timers;
    if (other === id || !Array.isArray(timers)) continue;
    const left = timers.filter((timer) => !isObject(timer) || timer.to !== id);
    if (left.length < timers.length) draft.set(["nodes", other, "boundary_timers"], left.length ? left : undefined);
  }
  for (const [group, body] of Object.entries(draft.doc.layout.groups ?? {})) {
    if (!body.nodes.includes(id)) continue;
    const left = body.nodes.filter((each) => each !== id);
    draft.set(["layout", "groups", group], left.length ? { ...body, nodes: left } : undefined);
  }
  draft.set(["layout", "pins", id], undefined);
  draft.set(["nodes", id], undefined);
  draft.set(["layout", "nodes", id], undefined);
}

function bridgesOver(doc: Doc, gone: Set<string>): [string, string, JsonObject][] {
  const { out } = neighbours(doc);
  const found: [string, string, JsonObject][] = [];
  for (const edge of Object.values(doc.edges)) {
    if (gone.has(edge.from) || !gone.has(edge.to)) continue;
    const { from: _from, to: _to, ...condition } = edge;
    const open = [edge.to];
    const seen = new Set(open);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const arrow of out.get(id) ?? []) {
        if (arrow.timer !== undefined || doc.edges[arrow.key]?.on === "error") continue;
        if (!gone.has(arrow.to)) found.push([edge.from, arrow.to, condition]);
        else if (!seen.has(arrow.to)) {
          seen.add(arrow.to);
          open.push(arrow.to);
        }
      }
    }
  }
  return found;
}

export function moveSteps(doc: Doc, places: Record<string, Place>): Change[] {
  const draft = new Draft(doc);
  for (const [id, to] of Object.entries(places)) {
    if (Object.hasOwn(doc.nodes, id)) draft.set(["layout", "nodes", id], { x: Math.round(to.x), y: Math.round(to.y) });
    else if (doc.layout.notes?.[id]) {
      draft.set(["layout", "notes", id, "x"], Math.round(to.x));
      draft.set(["layout", "notes", id, "y"], Math.round(to.y));
    }
  }
  return draft.changes;
}

/** What was copied: steps, the edges among them, their places and notes. The same text in every workflow. */
export interface Clip {
  handoff: 1;
  nodes: Record<string, NodeBody>;
  edges: EdgeBody[];
  places: Record<string, Place>;
  notes: Note[];
}

export function copy(doc: Doc, what: Selection): Clip {
  const ids = what.nodes.filter((id) => Object.hasOwn(doc.nodes, id));
  const inside = new Set(ids);
  return {
    handoff: 1,
    nodes: Object.fromEntries(ids.map((id) => [id, doc.nodes[id]])),
    edges: Object.values(doc.edges).filter((edge) => inside.has(edge.from) && inside.has(edge.to)),
    places: Object.fromEntries(ids.map((id) => [id, place(doc, id)])),
    notes: (what.notes ?? []).flatMap((id) => doc.layout.notes?.[id] ?? []),
  };
}

/** The clip of a text, if it is one. */
export function asClip(text: string): Clip | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) && value.handoff === 1 && isObject(value.nodes) && Array.isArray(value.edges)
      ? (value as unknown as Clip)
      : null;
  } catch {
    return null;
  }
}

/** The copied steps again, under ids of their own; expressions among them read the new ones. */
export function paste(doc: Doc, clip: Clip, shift: Place, kept: Kept = {}): Made {
  const draft = new Draft(doc);
  const ids = new Map<string, string>();
  for (const id of Object.keys(clip.nodes)) {
    const others = Object.fromEntries([...ids.values()].map((each) => [each, 1]));
    ids.set(id, free(id, { ...kept, ...draft.doc.nodes, ...others }));
  }
  for (const [id, body] of Object.entries(clip.nodes)) {
    const fresh = ids.get(id) as string;
    const timers = Array.isArray(body.boundary_timers)
      ? body.boundary_timers.flatMap((timer) =>
          isObject(timer) && ids.has(String(timer.to)) ? [{ ...timer, to: ids.get(String(timer.to)) as string }] : [],
        )
      : [];
    const { boundary_timers: _timers, ...rest } = body;
    const renamed = readAs(rest, ids) as NodeBody;
    draft.insert("nodes", fresh, timers.length ? { ...renamed, boundary_timers: timers } : renamed);
    const spot = clip.places[id] ?? { x: 0, y: 0 };
    draft.set(["layout", "nodes", fresh], { x: spot.x + shift.x, y: spot.y + shift.y });
  }
  for (const edge of clip.edges) {
    const { from, to, ...condition } = edge;
    const [start, end] = [ids.get(from), ids.get(to)];
    if (start && end)
      draft.insert("edges", edgeKey(start, end, draft.doc.edges), {
        from: start,
        to: end,
        ...(readAs(condition, ids) as JsonObject),
      });
  }
  for (const note of clip.notes ?? []) {
    const id = free("note", draft.doc.layout.notes ?? {});
    draft.set(["layout", "notes", id], { ...note, x: note.x + shift.x, y: note.y + shift.y });
  }
  return { changes: draft.changes, select: [...ids.values()] };
}

const PLAIN_CEL = new Set(["when", "while"]);

/** The value with `steps.old` as `steps.new` in its expressions. */
function readAs(value: Json, ids: Map<string, string>, isCel = false): Json {
  if (typeof value === "string") {
    return isCel ? renamedIn(value, ids) : inHoles(value, (hole) => renamedIn(hole, ids));
  }
  if (Array.isArray(value)) return value.map((item) => readAs(item, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readAs(item, ids, PLAIN_CEL.has(key))]));
}

/** The text with each of its holes changed; one that nothing ends is none. */
function inHoles(text: string, changed: (hole: string) => string): string {
  const parts: string[] = [];
  let from = 0;
  for (let start = text.indexOf("{{"); start >= 0; start = text.indexOf("{{", from)) {
    const end = text.indexOf("}}", start + 2);
    if (end < 0) break;
    parts.push(text.slice(from, start), changed(text.slice(start, end + 2)));
    from = end + 2;
  }
  return parts.join("") + text.slice(from);
}

function renamedIn(expression: string, ids: Map<string, string>): string {
  return expression.replace(/\bsteps(?:\.(\w+)|\["([\w-]+)"\])/g, (whole, dotted?: string, quoted?: string) => {
    const fresh = ids.get(dotted ?? quoted ?? "");
    if (!fresh) return whole;
    return /^\w+$/.test(fresh) ? `steps.${fresh}` : `steps["${fresh}"]`;
  });
}

const NOTE = { w: 220, h: 120 };

/** The nearest place below (or at) this one where a note hides no step and no other note. */
function roomForNote(doc: Doc, wanted: Place): Place {
  const spot = snapped(wanted);
  const taken = [
    ...Object.keys(doc.nodes).map((id) => ({ ...place(doc, id), w: WIDTH, h: HEIGHT })),
    ...Object.values(doc.layout.notes ?? {}),
  ].toSorted((one, other) => one.y - other.y);
  // From top to bottom: each that is in the way is passed once.
  for (const box of taken) {
    const isBeside = box.x >= spot.x + NOTE.w + GRID || spot.x >= box.x + box.w + GRID;
    const isPassed = box.y >= spot.y + NOTE.h + GRID || spot.y >= box.y + box.h + GRID;
    if (!isBeside && !isPassed) spot.y = Math.ceil((box.y + box.h + 2 * GRID) / GRID) * GRID;
  }
  return spot;
}

export function addNote(doc: Doc, at: Place): { changes: Change[]; id: string } {
  const id = free("note", doc.layout.notes ?? {});
  const draft = new Draft(doc).set(["layout", "notes", id], {
    ...roomForNote(doc, at),
    ...NOTE,
    text: "",
    color: "yellow",
  });
  return { changes: draft.changes, id };
}

export function group(doc: Doc, ids: string[], title: string): Change[] {
  const members = ids.filter((id) => Object.hasOwn(doc.nodes, id));
  if (members.length === 0) return [];
  const draft = new Draft(doc);
  ungroupIn(draft, members);
  return draft.set(["layout", "groups", free("group", draft.doc.layout.groups ?? {})], { title, nodes: members })
    .changes;
}

export function ungroup(doc: Doc, ids: string[]): Change[] {
  const draft = new Draft(doc);
  ungroupIn(draft, ids);
  return draft.changes;
}

function ungroupIn(draft: Draft, ids: string[]): void {
  const leaving = new Set(ids);
  for (const [key, body] of Object.entries(draft.doc.layout.groups ?? {})) {
    const left = body.nodes.filter((id) => !leaving.has(id));
    if (left.length < body.nodes.length)
      draft.set(["layout", "groups", key], left.length ? { ...body, nodes: left } : undefined);
  }
}

/** One place up or down among the ways out of its step (a decision takes the first that holds), or among all steps. */
export function reorder(doc: Doc, root: "nodes" | "edges", key: string, by: -1 | 1): Change[] {
  const peers = Object.entries(doc[root])
    .filter(([, body]) => root === "nodes" || body.from === doc.edges[key]?.from)
    .map(([each]) => each);
  const at = peers.indexOf(key);
  const next = peers[at + by];
  if (at < 0 || next === undefined) return [];
  const draft = new Draft(doc);
  if (by === 1) draft.move(root, key, next);
  else draft.move(root, next, key);
  return draft.changes;
}
