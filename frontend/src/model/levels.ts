/** Levels of a draft: the outside, and what stands in each container. Where a level ends, and which are seen. Pure. */

import { around, homeOf, holdsSteps, stepsIn, withContents } from "./bodies";
import type { Doc, Place } from "./document";
import { neighbours } from "./graph";

/** Where something new comes. */
export interface Where {
  /** Behind this step. */
  after?: string;
  /** Before this step. */
  before?: string;
  /** On this edge. */
  edge?: string;
  /** In this container, behind its last step. */
  inside?: string;
  /** A point of the canvas. */
  at?: Place;
}

/** The container that a step so placed stands in; null on the outside. */
export function homeFor(doc: Doc, where: Where): string | null {
  const beside = where.after ?? where.before ?? doc.edges[where.edge ?? ""]?.from;
  return beside === undefined ? (where.inside ?? null) : homeOf(doc, beside);
}

/** The only step of a container that leads to no other: there it goes on. */
export function endIn(doc: Doc, home: string | null): string | undefined {
  const { out } = neighbours(doc);
  const ends = stepsIn(doc, home).filter((id) => !(out.get(id) ?? []).some((arrow) => arrow.timer === undefined));
  return ends.length === 1 ? ends[0] : undefined;
}

/** The step that is the last of a container (null: of all on the outside), and the last of what stands in that. */
export function lastIn(doc: Doc, home: string | null): { id: string | undefined; key: string | null } {
  const id = stepsIn(doc, home).at(-1);
  return { id, key: id === undefined ? home : (withContents(doc, [id]).at(-1) ?? id) };
}

/** Whether a container is drawn as one card, without what stands in it. */
export function isCollapsed(doc: Doc, id: string): boolean {
  return doc.layout.collapsed?.[id] === true && holdsSteps(doc.nodes[id]);
}

/** The step that is drawn for this one: itself, or the outermost container around it that is collapsed. */
export function coverOf(doc: Doc, id: string): string {
  if (!doc.layout.collapsed) return id;
  return around(doc, id).findLast((each) => isCollapsed(doc, each)) ?? id;
}

/** What is told of steps, at those that are drawn for them; `both`: what is told of two at one. */
export function atCovers<T>(doc: Doc, told: Map<string, T>, both: (one: T, other: T) => T): Map<string, T> {
  if (!doc.layout.collapsed) return told;
  const found = new Map<string, T>();
  for (const [id, one] of told) {
    const cover = coverOf(doc, id);
    const other = found.get(cover);
    found.set(cover, other === undefined ? one : both(other, one));
  }
  return found;
}

/** The draft as it is drawn: without what stands in containers that are collapsed. */
export function drawn(doc: Doc): Doc {
  if (!Object.keys(doc.layout.collapsed ?? {}).some((id) => Object.hasOwn(doc.nodes, id) && isCollapsed(doc, id)))
    return doc;
  const isSeen = (id: string) => coverOf(doc, id) === id;
  const nodes = Object.fromEntries(Object.entries(doc.nodes).filter(([id]) => isSeen(id)));
  const edges = Object.fromEntries(
    Object.entries(doc.edges).filter(([, edge]) => isSeen(edge.from) && isSeen(edge.to)),
  );
  return { ...doc, nodes, edges };
}
