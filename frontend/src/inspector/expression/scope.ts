/** What the server knows of expressions: what they can read at a place, and what they give. */

import { useRef } from "react";
import { ask } from "../../api";
import type { Json, JsonObject } from "../../model/json";
import { type Problem, definition, state, useBuilder } from "../../store";
import { useAnswer } from "../answers";

export type PlaceName =
  | "params"
  | "input"
  | "when"
  | "output"
  | "business_key"
  | "compensate"
  | "body"
  | "round"
  | "set_vars";

/** Where an expression stands. */
export interface ScopePlace {
  place: PlaceName;
  node?: string;
  edge?: { from: string; to: string };
  /** The field of the whole value, such as `nodes[2].params`. */
  base?: string;
  /** The field of the expression itself. */
  field?: string;
}

export interface Entry {
  path: string;
  type: string;
  title?: string;
  /** Whose value it is. */
  from: string;
  /** Whether it is there on every path to this place. */
  always: boolean;
  sample?: Json;
  cut?: boolean;
}

export interface Callable {
  name: string;
  signature: string;
  help: string;
  example: string;
}

export interface Sample {
  from: "run" | "given" | "sample_input" | "schema" | "pins";
  run_id: string | null;
  at: string | null;
  pins: string[];
}

export interface Scope {
  entries: Entry[];
  functions: Callable[];
  sample: Sample | null;
}

export interface Shown {
  value?: Json;
  type?: string;
  cut?: boolean;
  mismatch?: string | null;
  error?: { code: string; message: string; at?: number };
  reads: string[];
  problems: Problem[];
  sample: Sample | null;
}

/** Where among the params an expression stands: some texts can read more than other params. */
function keysOf({ place, base, field }: ScopePlace): (string | number)[] {
  return place === "params" || place === "body" || place === "compensate" ? keysBelow(base, field) : [];
}

function asked(where: ScopePlace): JsonObject {
  const { place, node, edge } = where;
  const { doc } = state();
  const keys = keysOf(where);
  const body: JsonObject = { definition: definition(), place, ...(keys.length ? { keys } : {}) };
  if (node) body.node = node;
  if (edge) body.edge = edge;
  if (doc.layout.pins && Object.keys(doc.layout.pins).length) body.pins = doc.layout.pins;
  return body;
}

/** `nodes[2].params.set["a b"]` below `nodes[2].params` is ["set", "a b"]. */
export function keysBelow(base: string | undefined, field: string | undefined): (string | number)[] {
  if (!base || !field?.startsWith(base)) return [];
  const found: (string | number)[] = [];
  for (const [, name, index, quoted] of field
    .slice(base.length)
    .matchAll(/\.([A-Za-z0-9_-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    found.push(name ?? (index !== undefined ? Number(index) : (JSON.parse(quoted) as string)));
  }
  return found;
}

const scopes = new Map<string, Promise<Scope | null>>();
/** Of which draft the kept scopes are. */
let scoped: unknown[] = [];

/** What can be read at a place; asked once as long as the draft stays as it is. Null where nobody can say. */
export function scopeAt(where: ScopePlace): Promise<Scope | null> {
  const { doc, boot } = state();
  const key = JSON.stringify([where.place, where.node, where.edge, keysOf(where)]);
  const made = [doc.nodes, doc.edges, doc.settings, doc.layout.pins];
  if (made.some((each, at) => each !== scoped[at])) scopes.clear();
  scoped = made;
  const kept = scopes.get(key);
  if (kept) return kept;
  const answer = ask<Scope>(`${boot.urls.api}/scope`, { method: "POST", body: asked(where) }).catch(() => null);
  scopes.set(key, answer);
  return answer;
}

/** The scope of a place as soon as it is `wanted`. */
export function useScope(where: ScopePlace, wanted: boolean): Scope | null {
  const doc = useBuilder((now) => now.doc);
  const key = JSON.stringify([where.place, where.node, where.edge, keysOf(where)]);
  return useAnswer(wanted ? () => scopeAt(where) : null, [key, doc.nodes, doc.edges, doc.settings], {
    wait: (isAnswered) => (isAnswered ? 400 : 0),
    keeps: true,
  });
}

const QUIET_MS = 250;
/** The rest of the draft changes with every letter that is typed somewhere: that can wait. */
const ELSEWHERE_MS = 1200;

/** What a text gives at a place, a moment after it was typed. Null while nobody knows. */
export function useShown(where: ScopePlace, text: string, isWanted = true): Shown | null {
  const nodes = useBuilder((now) => now.doc.nodes);
  const edges = useBuilder((now) => now.doc.edges);
  const pins = useBuilder((now) => now.doc.layout.pins);
  const key = JSON.stringify([where.place, where.node, where.edge, where.field]);
  const last = useRef("");
  const evaluate = (signal: AbortSignal) => {
    const body: JsonObject = { ...asked(where), text };
    return ask<Shown>(`${state().boot.urls.api}/evaluate`, { method: "POST", body, signal });
  };
  const wait = () => {
    const isElsewhere = last.current === text;
    last.current = text;
    return isElsewhere ? ELSEWHERE_MS : QUIET_MS;
  };
  const isAsked = isWanted && text.trim() !== "";
  return useAnswer(isAsked ? evaluate : null, [text, key, nodes, edges, pins], { wait });
}

function ago(at: string): string {
  const minutes = Math.round((Date.now() - new Date(at).getTime()) / 60000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
}

/** Where the values come from, in words. */
export function sampleWords(sample: Sample | null): string {
  if (!sample) return "";
  if (sample.from === "run") return `from the last run${sample.at ? `, ${ago(sample.at)}` : ""}`;
  if (sample.from === "sample_input") return "with the sample input";
  if (sample.from === "pins") return "with pinned outputs";
  return sample.from === "given" ? "with the given input" : "sample";
}
