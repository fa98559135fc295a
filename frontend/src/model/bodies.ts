/**
 * Steps within a container stand in a document beside all others, each with `in`: the id of its container. The same rules
 * as `workflows/document/bodies.py`; `tests/workflows/body_vectors.json` holds both to them.
 */

import type { Doc, EdgeBody, NodeBody } from "./document";
import type { Json, JsonObject } from "./json";
import { isObject, own } from "./json";

export const WITHIN = "in";
const MOST_ENTRIES = 5000;
/** In so many containers a step can be: the JSON of a definition is not deeper. */
const DEEPEST = 16;

type Nodes = Doc["nodes"];
type Edges = Doc["edges"];

/** The edge's key: its ends, numbered where there are several. */
export function edgeKey(from: string, to: string, taken: Record<string, unknown>): string {
  const plain = `${from}>${to}`;
  let key = plain;
  for (let number = 2; Object.hasOwn(taken, key); number += 1) key = `${plain}#${number}`;
  return key;
}

/** What a step does for its items, if it says so as an object. */
export function bodyOf(node: NodeBody | undefined): JsonObject | null {
  const params = node?.params;
  return isObject(params) && isObject(params.body) ? params.body : null;
}

/** Whether steps can stand in this one: it does several steps for its items. */
export function holdsSteps(node: NodeBody | undefined): boolean {
  return Array.isArray(bodyOf(node)?.steps);
}

/** The entries of a definition with those of its bodies behind them; a body that can't be told apart stays a value. */
export function unfolded(nodes: Nodes, edges: Edges): { nodes: Nodes; edges: Edges } {
  const found: { nodes: Nodes; edges: Edges } = { nodes: {}, edges: { ...edges } };
  const taken = new Set(Object.keys(nodes));
  const strays = new Map<string, Set<string>>();
  for (const { from, to } of Object.values(edges))
    if (!taken.has(from) && !taken.has(to)) strays.set(from, (strays.get(from) ?? new Set()).add(to));
  let edgeCount = Object.keys(edges).length;

  const stepsOf = (body: JsonObject): Nodes | null => {
    const { steps } = body;
    if (!Array.isArray(steps) || !steps.length || taken.size + steps.length > MOST_ENTRIES) return null;
    const inner: Nodes = {};
    for (const step of steps) {
      if (!isObject(step) || Object.hasOwn(step, WITHIN) || !isId(step.id)) return null;
      if (taken.has(step.id) || Object.hasOwn(inner, step.id)) return null;
      const { id: _id, ...rest } = step;
      inner[step.id] = rest as NodeBody;
    }
    const isCrossed = Object.keys(inner).some((id) =>
      [...(strays.get(id) ?? [])].some((to) => Object.hasOwn(inner, to)),
    );
    return isCrossed ? null : inner;
  };
  const put = (id: string, node: NodeBody): void => {
    const body = bodyOf(node);
    const inner = body && stepsOf(body);
    const ways = body && inner && edgesOf(body, Object.keys(inner));
    if (!body || !inner || !ways || edgeCount + ways.length > MOST_ENTRIES) {
      found.nodes[id] = node;
      return;
    }
    const left: JsonObject = { ...body, steps: [], ...(isNone(body.edges) ? {} : { edges: [] }) };
    found.nodes[id] = { ...node, params: { ...(node.params as JsonObject), body: left } };
    for (const key of Object.keys(inner)) taken.add(key);
    for (const edge of ways) found.edges[edgeKey(edge.from, edge.to, found.edges)] = edge;
    edgeCount += ways.length;
    for (const [key, step] of Object.entries(inner)) put(key, { ...step, [WITHIN]: id });
  };
  for (const [id, node] of Object.entries(nodes)) put(id, node);
  return found;
}

function isId(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "" && value !== "__proto__" && !/[>#]/.test(value);
}

function isNone(value: Json | undefined): boolean {
  return value === undefined || value === null;
}

/** The edges of a body that lead from one of its steps to another; null where some lead elsewhere. */
function edgesOf(body: JsonObject, ids: string[]): EdgeBody[] | null {
  const { edges } = body;
  if (isNone(edges)) return chain(ids);
  if (!Array.isArray(edges)) return null;
  const known = new Set<Json | undefined>(ids);
  const isAmong = (edge: Json) => isObject(edge) && known.has(edge.from) && known.has(edge.to);
  return edges.every(isAmong) ? (edges as EdgeBody[]) : null;
}

function chain(ids: string[]): EdgeBody[] {
  return ids.slice(1).map((to, at) => ({ from: ids[at], to }));
}

/** The nodes and edges of the definition that entries stand for; what is in nothing that can hold it is on the outside. */
export function folded(nodes: Nodes, edges: Edges): { nodes: Json[]; edges: Json[] } {
  const homes = homesOf(nodes);
  const within = new Map<string, string[]>();
  for (const [id, home] of homes) if (home !== null) listed(within, home).push(id);
  const outer: Json[] = [];
  const inner = new Map<string, EdgeBody[]>();
  for (const edge of Object.values(edges)) {
    const home = homes.get(edge.from) ?? null;
    if (home !== null && homes.get(edge.to) === home) listed(inner, home).push(edge);
    else outer.push(edge);
  }
  const nodeOf = (id: string): JsonObject => {
    const { [WITHIN]: _home, ...rest } = nodes[id];
    const ids = within.get(id);
    if (!ids) return { id, ...rest };
    const params = rest.params as JsonObject;
    const body: JsonObject = { ...(params.body as JsonObject), steps: ids.map(nodeOf) };
    const ways = inner.get(id) ?? [];
    if (!isNone(body.edges) || !isChain(ways, ids)) body.edges = ways;
    return { id, ...rest, params: { ...params, body } };
  };
  const tops = [...homes].flatMap(([id, home]) => (home === null ? [nodeOf(id)] : []));
  return { nodes: tops, edges: outer };
}

function listed<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function isChain(edges: EdgeBody[], ids: string[]): boolean {
  return (
    edges.length === ids.length - 1 &&
    edges.every((edge, at) => edge.from === ids[at] && edge.to === ids[at + 1] && Object.keys(edge).length === 2)
  );
}

const known = new WeakMap<Nodes, Map<string, string | null>>();

/**
 * The container that each step is in; null on the outside. Of several in each other one is on the outside, and of very many
 * around each other each `DEEPEST` + 1st.
 */
export function homesOf(nodes: Nodes): Map<string, string | null> {
  const kept = known.get(nodes);
  if (kept) return kept;
  const said = (id: string): string | null => {
    const home = own(nodes, id)?.[WITHIN];
    return typeof home === "string" && bodyOf(own(nodes, home)) !== null ? home : null;
  };
  const homes = new Map<string, string | null>();
  const depths = new Map<string, number>();
  for (const id of Object.keys(nodes)) {
    const way = new Set<string>();
    for (let at: string | null = id; at !== null && !homes.has(at) && !way.has(at); at = said(at)) way.add(at);
    for (const name of [...way].reverse()) {
      const home = said(name);
      const depth = (home === null ? DEEPEST : (depths.get(home) ?? DEEPEST)) + 1;
      homes.set(name, depth <= DEEPEST ? home : null);
      depths.set(name, depth <= DEEPEST ? depth : 0);
    }
  }
  const found = new Map(Object.keys(nodes).map((id) => [id, homes.get(id) ?? null] as const));
  known.set(nodes, found);
  return found;
}

/** The container that a step is in, or null. */
export function homeOf(doc: Doc, id: string): string | null {
  return homesOf(doc.nodes).get(id) ?? null;
}

/** The steps that stand in this container, in their order; on the outside for null. */
export function stepsIn(doc: Doc, container: string | null): string[] {
  return [...homesOf(doc.nodes)].flatMap(([id, home]) => (home === container ? [id] : []));
}

/** These steps with all that stands in them, at whatever depth, in the order of the document. */
export function withContents(doc: Doc, ids: Iterable<string>): string[] {
  const wanted = new Set(ids);
  const homes = homesOf(doc.nodes);
  const isWanted = (id: string): boolean => {
    for (let at: string | null = id; at !== null; at = homes.get(at) ?? null) if (wanted.has(at)) return true;
    return false;
  };
  return Object.keys(doc.nodes).filter(isWanted);
}

/** The containers around a step, the nearest first. */
export function around(doc: Doc, id: string): string[] {
  const homes = homesOf(doc.nodes);
  const found: string[] = [];
  for (let at = homes.get(id) ?? null; at !== null; at = homes.get(at) ?? null) found.push(at);
  return found;
}

/** What the validator calls a step: `nodes[3].params.body.steps[1]`; its places are those of the definition. */
export function fieldOf(doc: Doc, id: string): string {
  const homes = homesOf(doc.nodes);
  const home = homes.get(id) ?? null;
  const place = stepsIn(doc, home).indexOf(id);
  return home === null ? `nodes[${place}]` : `${fieldOf(doc, home)}.params.body.steps[${place}]`;
}

/** What the validator calls an edge: `edges[2]`, or so many in the body that it is in. */
export function edgeFieldOf(doc: Doc, key: string): string {
  const home = edgeHome(doc, key);
  const place = edgesIn(doc, home).indexOf(key);
  return home === null ? `edges[${place}]` : `${fieldOf(doc, home)}.params.body.edges[${place}]`;
}

function edgeHome(doc: Doc, key: string): string | null {
  const { from, to } = doc.edges[key];
  const homes = homesOf(doc.nodes);
  const home = homes.get(from) ?? null;
  return homes.get(to) === home ? home : null;
}

function edgesIn(doc: Doc, home: string | null): string[] {
  return Object.keys(doc.edges).filter((key) => edgeHome(doc, key) === home);
}

/** The entry of nodes or edges that the keys of a validator's field lead to, and what of them is left. */
export function entryAt(
  doc: Doc,
  keys: (string | number)[],
): { root: "nodes" | "edges"; key: string; rest: (string | number)[] } | null {
  let home: string | null = null;
  let [root, place, ...rest] = keys;
  for (;;) {
    if ((root !== "nodes" && root !== "edges") || typeof place !== "number") return null;
    const key: string | undefined = (root === "nodes" ? stepsIn(doc, home) : edgesIn(doc, home))[place];
    if (key === undefined) return null;
    const isInside = root === "nodes" && rest[0] === "params" && rest[1] === "body" && stepsIn(doc, key).length > 0;
    if (!isInside || typeof rest[3] !== "number") return { root, key, rest };
    home = key;
    [root, place, ...rest] = [rest[2] === "steps" ? "nodes" : rest[2], ...rest.slice(3)];
  }
}
