/** What a person can do to a draft, each as the changes that it comes to. Pure; where it can't be done, no changes. */

import { type Catalogue, isContainer } from "./catalogue";
import type { Change } from "./changes";
import { Draft } from "./changes";
import type { Doc, EdgeBody, NodeBody, Place } from "./document";
import { WITHIN, edgeKey, homeOf, stepsIn, withContents } from "./bodies";
import { FIRST, GAP_X, GRID, WIDTH, boxOf, makeRoom, place, placeNear, seenFrom, sizeOf, snapped } from "./boxes";
import { neighbours, whyNot } from "./graph";
import { type Where, endIn, homeFor, lastIn } from "./levels";
import type { JsonObject } from "./json";
import { isObject } from "./json";
import { free, slug } from "./names";
import { nextOutcome } from "./outcomes";

export interface Made {
  changes: Change[];
  /** The steps that are selected afterwards. */
  select: string[];
}

/** A new step: what its type needs stays empty, for its author to say; but a container has room for steps. */
function newBody(catalogue: Catalogue, type: string, home: string | null): NodeBody {
  const body: NodeBody = isContainer(catalogue, type) ? { type, params: { body: { steps: [] } } } : { type };
  return home === null ? body : { ...body, [WITHIN]: home };
}

/** Ids that no new step gets, though no step has them. */
export type ReservedIds = Record<string, unknown>;

/** A new step of a type, at a place, behind or before another, on an edge, which it splits, or in a container. */
export function addStep(doc: Doc, catalogue: Catalogue, type: string, asked: Where, reserved: ReservedIds = {}): Made {
  const id = free(slug(catalogue[type]?.title ?? type.split(".").pop() ?? type), { ...reserved, ...doc.nodes });
  const home = homeFor(doc, asked);
  const last = lastIn(doc, home);
  const end = asked.inside === undefined ? undefined : endIn(doc, home);
  const where = end === undefined ? asked : { ...asked, after: end };
  const draft = new Draft(doc);
  const body = newBody(catalogue, type, home);
  const room = where.edge === undefined ? null : roomOn(doc, where.edge);
  const spot = room?.spot ?? (where.at ? seenFrom(doc, home, where.at) : placeFor(doc, where));
  const after = where.after ?? (where.edge ? doc.edges[where.edge]?.from : undefined);
  const behind = after && Object.hasOwn(doc.nodes, after) ? (withContents(doc, [after]).at(-1) ?? after) : last.key;
  draft.insert("nodes", id, body, behind);
  for (const [other, to] of Object.entries(room?.moved ?? {})) draft.set(["layout", "nodes", other], to);
  const at = placeNear(draft, spot, { home, own: id, size: sizeOf(draft.doc, id) });
  draft.set(["layout", "nodes", id], { ...at });
  if (where.edge && doc.edges[where.edge]) splice(draft, catalogue, where.edge, id);
  else if (where.after) connectIn(draft, where.after, id, usualCondition(doc, catalogue, where.after));
  else if (where.before) insertBefore(draft, catalogue, where.before, id);
  makeRoom(draft, doc, home);
  return { changes: draft.changes, select: [id] };
}

/**
 * Where a step stands on an edge, and who makes room for it: what comes after in the same row goes on to the right, all
 * by the same width. On an edge that leads on in another row it stands at the end of its own row.
 */
export function roomOn(doc: Doc, key: string, width = WIDTH): { spot: Place; moved: Record<string, Place> } | null {
  const edge = doc.edges[key];
  if (!edge) return null;
  const [one, other] = [place(doc, edge.from), place(doc, edge.to)];
  const before = sizeOf(doc, edge.from).w + GAP_X;
  if (other.x <= one.x) return { spot: { x: one.x + before, y: one.y }, moved: {} };
  const lacks = Math.max(0, one.x + before + width + GAP_X - other.x);
  const spot = lacks ? { x: one.x + before, y: other.y } : { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  const after = lacks ? rowFrom(doc, edge.to) : [];
  const moved = after.map((id) => [id, { x: place(doc, id).x + lacks, y: place(doc, id).y }] as const);
  return { spot, moved: Object.fromEntries(moved) };
}

/** A step and what it leads to, as long as that stands further to the right. */
function rowFrom(doc: Doc, start: string): string[] {
  const { out } = neighbours(doc);
  const seen = new Set([start]);
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const { to } of out.get(id) ?? []) {
      if (seen.has(to) || place(doc, to).x <= place(doc, id).x) continue;
      seen.add(to);
      open.push(to);
    }
  return [...seen];
}

function placeFor(doc: Doc, where: Where): Place {
  if (where.edge && doc.edges[where.edge]) {
    const { from, to } = doc.edges[where.edge];
    const [one, other] = [place(doc, from), place(doc, to)];
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  }
  if (where.after) {
    const spot = place(doc, where.after);
    return { x: spot.x + sizeOf(doc, where.after).w + GAP_X, y: spot.y };
  }
  if (where.before) {
    const spot = place(doc, where.before);
    return { x: spot.x - WIDTH - GAP_X, y: spot.y };
  }
  const last = lastIn(doc, where.inside ?? null).id;
  if (where.inside !== undefined && last === undefined) return FIRST;
  return last ? placeFor(doc, { after: last }) : { x: 0, y: 0 };
}

/** The edge now leads to a step, and a new one from there, or from where its group goes on. */
export function splice(draft: Draft, catalogue: Catalogue, key: string, id: string, end = id): void {
  const { from, to, ...condition } = draft.doc.edges[key] as EdgeBody;
  const was = key;
  const first = edgeKey(from, id, draft.doc.edges);
  draft.insert("edges", first, { from, to: id, ...condition }, was);
  draft.set(["edges", was], undefined);
  connectIn(draft, end, to, usualCondition(draft.doc, catalogue, end), first);
}

/** What led to a step leads to another one now, and from there, or from where its group goes on, to the step. */
export function insertBefore(draft: Draft, catalogue: Catalogue, target: string, id: string, end = id): void {
  const into = (neighbours(draft.doc).into.get(target) ?? []).filter((arrow) => arrow.timer === undefined);
  for (const arrow of into) rerouted(draft, arrow.key, { to: id });
  connectIn(draft, end, target, usualCondition(draft.doc, catalogue, end));
}

function rerouted(draft: Draft, key: string, ends: Partial<EdgeBody>): string {
  const body = { ...draft.doc.edges[key], ...ends } as EdgeBody;
  const taken = Object.values(draft.doc.edges).some((edge) => edge.from === body.from && edge.to === body.to);
  if (!taken && body.from !== body.to) draft.insert("edges", edgeKey(body.from, body.to, draft.doc.edges), body, key);
  draft.set(["edges", key], undefined);
  return edgeKey(body.from, body.to, {});
}

export function connectIn(
  draft: Draft,
  from: string,
  to: string,
  condition: JsonObject,
  after?: string,
): string | null {
  if (whyNot(draft.doc, from, to, condition)) return null;
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
  if (whyNot({ ...doc, edges: rest }, wanted.from, wanted.to, wanted)) return [];
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
  const gone = new Set(withContents(doc, what.nodes));
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
  draft.set(["layout", "collapsed", id], undefined);
  draft.set(["nodes", id], undefined);
  draft.set(["layout", "nodes", id], undefined);
}

/** What to connect where these steps go: what stood before them with what comes after, on its way there. */
export function bridgesOver(doc: Doc, gone: Set<string>): [string, string, JsonObject][] {
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

/** Steps (within their containers, which grow with them) and notes at other places. */
export function moveSteps(doc: Doc, places: Record<string, Place>): Change[] {
  const draft = new Draft(doc);
  for (const [id, to] of Object.entries(places)) {
    const least = homeOf(doc, id) === null ? { x: -Infinity, y: -Infinity } : { x: FIRST.x / 2, y: FIRST.y };
    const at = { x: Math.round(Math.max(to.x, least.x)), y: Math.round(Math.max(to.y, least.y)) };
    if (Object.hasOwn(doc.nodes, id)) draft.set(["layout", "nodes", id], at);
    else if (doc.layout.notes?.[id]) {
      draft.set(["layout", "notes", id, "x"], Math.round(to.x));
      draft.set(["layout", "notes", id, "y"], Math.round(to.y));
    }
  }
  return draft.changes;
}

const NOTE = { w: 220, h: 120 };

/** The nearest place below (or at) this one where a note hides no step and no other note. */
function roomForNote(doc: Doc, wanted: Place): Place {
  const spot = snapped(wanted);
  const taken = [...stepsIn(doc, null).map((id) => boxOf(doc, id)), ...Object.values(doc.layout.notes ?? {})].toSorted(
    (one, other) => one.y - other.y,
  );
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
    .filter(([each, body]) =>
      root === "nodes" ? homeOf(doc, each) === homeOf(doc, key) : body.from === doc.edges[key]?.from,
    )
    .map(([each]) => each);
  const at = peers.indexOf(key);
  const next = peers[at + by];
  if (at < 0 || next === undefined) return [];
  const draft = new Draft(doc);
  const behind = (id: string) => (root === "nodes" ? (withContents(doc, [id]).at(-1) ?? id) : id);
  if (by === 1) draft.move(root, key, behind(next));
  else draft.move(root, next, behind(key));
  return draft.changes;
}
