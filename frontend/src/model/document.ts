/**
 * A draft as the builder holds it: nodes and edges by key, in order, those of bodies too (`bodies.ts`); what lies beside the
 * definition in `layout`.
 */

import type { Json, JsonObject } from "./json";
import { WITHIN, edgeKey, folded, unfolded } from "./bodies";
import { isObject } from "./json";

export type NodeBody = JsonObject & { type: string };
export type EdgeBody = JsonObject & { from: string; to: string };
export type Place = { x: number; y: number };
export type Note = Place & { w: number; h: number; text: string; color: string };
export type NodeGroup = { title: string; nodes: string[] };

export interface Layout {
  nodes?: Record<string, Place>;
  notes?: Record<string, Note>;
  groups?: Record<string, NodeGroup>;
  pins?: Record<string, Json>;
  /** The containers that are drawn as one card. */
  collapsed?: Record<string, boolean>;
  [other: string]: unknown;
}

export interface Doc {
  nodes: Record<string, NodeBody>;
  edges: Record<string, EdgeBody>;
  settings: JsonObject;
  layout: Layout;
}

/** A definition that can't be shown as a graph; the message says why. */
export class NotDrawable extends Error {}

/** Raises NotDrawable where steps have no names of their own or edges no ends. */
export function keyed(definition: JsonObject, layout: JsonObject): Doc {
  const { nodes, edges, ...settings } = definition;
  const doc: Doc = { nodes: {}, edges: {}, settings, layout: layout as Layout };
  for (const node of asList(nodes, "nodes")) {
    if (!isObject(node) || typeof node.id !== "string" || !node.id) throw new NotDrawable("A step has no id.");
    // Such a key of a JavaScript object is none.
    if (node.id === "__proto__") throw new NotDrawable("A step can't have the id __proto__.");
    if (Object.hasOwn(node, WITHIN)) throw new NotDrawable(`A step has no field \`${WITHIN}\`.`);
    if (Object.hasOwn(doc.nodes, node.id)) throw new NotDrawable(`Two steps have the id ${node.id}.`);
    const { id, ...body } = node;
    doc.nodes[id as string] = body as NodeBody;
  }
  for (const edge of asList(edges, "edges")) {
    if (!isObject(edge) || typeof edge.from !== "string" || typeof edge.to !== "string") {
      throw new NotDrawable("An edge needs both `from` and `to`.");
    }
    doc.edges[edgeKey(edge.from, edge.to, doc.edges)] = edge as EdgeBody;
  }
  return { ...doc, ...unfolded(doc.nodes, doc.edges) };
}

function asList(value: Json | undefined, name: string): Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new NotDrawable(`\`${name}\` is not a list.`);
  return value;
}

/** The definition of a document, as the server keeps it. */
export function definitionOf(doc: Doc): JsonObject {
  return { ...doc.settings, ...folded(doc.nodes, doc.edges) };
}
