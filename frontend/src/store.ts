/** The state of the builder. Every change of the draft goes through `act`, so every change can be undone and is sent. */

import { create } from "zustand";
import type { Boot } from "./boot";
import { around } from "./model/bodies";
import type { Catalogue } from "./model/catalogue";
import type { Change, Group } from "./model/changes";
import { apply, applyWhatFits, inverses, isEntry } from "./model/changes";
import type { Doc } from "./model/document";
import { definitionOf } from "./model/document";
import { type Folds, asSeen, opened } from "./model/folding";
import { titleOf } from "./model/graph";
import type { Panels } from "./frame/sizes";
import type { Json, JsonObject } from "./model/json";
import { coverOf, isCollapsed } from "./model/levels";
import type { HeatBy, HeatRow } from "./model/heat";
import { leftBehind } from "./model/meanwhile";
import type { Person } from "./model/people";
import type { Problem } from "./model/problems";
import type { Comment } from "./model/talk";
import type { CaseResult, Trial } from "./panels/asked";
import type { EarlierRun } from "./panels/remembered";

export type { Problem } from "./model/problems";

/** A field that somebody else has set meanwhile. Nothing is lost: both values are kept until somebody chooses. */
export interface Conflict {
  group: string;
  label: string;
  path: string[];
  yours?: Json;
  theirs?: Json;
  by: string | null;
  at: string | null;
  /** Why the server takes it from nobody, where nobody else is the cause. */
  refused?: string;
  /** The whole group, to be made again over what is there now. */
  changes: Change[];
}

export type SaveState =
  | { kind: "saved"; at: string }
  | { kind: "saving" }
  | { kind: "offline"; why: string }
  | { kind: "refused"; why: string };

export interface Done {
  label: string;
  changes: Change[];
  merge?: string;
  when: number;
}

export interface Selected {
  nodes: string[];
  edges: string[];
  notes: string[];
}

export type Panel = "problems" | "test" | "comments" | "history";
export type View = "canvas" | "code";

export interface State {
  boot: Boot;
  catalogue: Catalogue;
  doc: Doc;
  /** What the server has, as far as we know, and at which revision. */
  base: Doc;
  revision: number;
  pending: Group[];
  undo: Done[];
  redo: Done[];
  selected: Selected;
  folds: Folds;
  problems: Problem[];
  conflicts: Conflict[];
  /** The field that shows what is typed in it, although the draft has somebody else's value by now. */
  held: string[] | null;
  /** The list of them is seen. */
  showsConflicts: boolean;
  save: SaveState;
  /** The browser keeps what the server does not have yet. */
  isKept: boolean;
  /** What is said once, aloud and in a corner: why something was refused, what was undone. */
  said: { text: string; kind: "info" | "bad"; count: number };
  panel: Panel | null;
  /** The panels around the canvas: how large each is, and whether it is closed. */
  panels: Panels;
  /** Test runs are shown, or test cases; what became of those when somebody wanted to publish. */
  tests: "run" | "cases";
  failing: CaseResult[];
  view: View;
  /** Why the draft can't be drawn; then there is its text only. */
  cannot: string | null;
  adding: Adding | null;
  /** What a comparison says of steps and edges; empty where nothing is compared. */
  marks: Record<string, "added" | "changed" | "removed">;
  /** Whether steps have the colours of their share of time or failures; null rows were not asked for yet. */
  heat: { by: HeatBy | null; rows: HeatRow[] | null };
  /** The last test run, which is shown on the canvas too. */
  trial: Trial | null;
  /** The test runs of this tab, the last one first. */
  earlier: EarlierRun[];
  /** Which part of the page wants the focus. */
  focus: Focus | null;
  /** The step from which a connection is being made by keyboard. */
  connecting: string | null;
  /** The step to which one that leads there is searched. */
  connectingTo: string | null;
  /** The search for a step of the draft is open. */
  finding: boolean;
  publishing: boolean;
  /** A text was typed that can't be read, so it is not in the draft. */
  unread: boolean;
  showsKeys: boolean;
  /** Steps without a place yet, and where they are shown. Kept with the first change that is made. */
  auto: Record<string, { x: number; y: number }>;
  /** Who else has the draft open. */
  people: Person[];
  comments: Comment[];
  /** The server's number of the comments that are known here; null before it was asked. */
  commentsNumber: number | null;
  /** Where the problem or the outline wants the eye to go. */
  look: { node: string; count: number } | null;
}

export interface Focus {
  what: "inspector" | "empty" | "outline" | "title" | "comments" | "canvas" | "conflicts";
  count: number;
  /** The field, as problems name it, if it is one of the inspector's. */
  field?: string;
}

/** The search for a step to add is open, and where it will stand. */
export interface Adding {
  where: { after?: string; before?: string; edge?: string; inside?: string; at?: { x: number; y: number } };
  /** What has the focus again when it closes. */
  from?: HTMLElement | null;
}

const MERGE_MS = 1500;
const MOST_UNDO = 500;

export const useBuilder = create<State>(() => ({}) as State);
export const state = useBuilder.getState;
export const set = useBuilder.setState;

let onChange: () => void = () => undefined;

/** Who is told that there is something to send. */
export function whenChanged(listener: () => void): void {
  onChange = listener;
}

export interface Acting {
  /** Acts with the same key, one soon after the other, are one act: typing, nudging. */
  merge?: string;
  /** And until the focus goes elsewhere, however long that takes: a stay in a field. Its own undo is finer. */
  stays?: boolean;
  /** Nobody did it, it comes of what was done before: it is undone together with the last act, whichever that is by now. */
  joins?: boolean;
}

/** The field that is being typed in: the key of its acts, and what they set. */
let stay: { merge: string; path: string[] } | undefined;

/** The focus goes elsewhere: what is typed from now on is another act, and each field shows what the draft has. */
export function endStay(): void {
  stay = undefined;
  const { held, base, pending } = state();
  if (!held) return;
  set({ held: null, doc: withGroups(base, pending) });
  keepSelectionTrue();
}

/** What is being typed in just now. */
export function stayPath(): string[] | null {
  return stay?.path ?? null;
}

/** What is typed in is called otherwise from now on. */
export function stayAs(path: string[]): void {
  if (stay) stay = { path, merge: `type ${path.join("/")}` };
}

/** The draft with what of these groups fits. */
export function withGroups(doc: Doc, groups: Group[]): Doc {
  return groups.reduce((now, group) => applyWhatFits(now, group.changes).doc, doc);
}

/** Whether something was typed since the focus came to the field that has it. */
export function isStaying(): boolean {
  return stay !== undefined;
}

/** The group that what is typed goes into, and whose act it is. */
let growing: { id: string; merge: string } | undefined;

/** A group that is sent stays as it is: the server may have it, though nobody heard so. */
export function endGrowth(): void {
  growing = undefined;
}

/** Does something to the draft. False where it does not fit, and then nothing is done. */
export function act(label: string, changes: Change[], { merge, stays, joins }: Acting = {}): boolean {
  const now = state();
  // What can't be drawn isn't held here: a change of it would go nowhere.
  if (changes.length === 0 || !now.boot.may_write || now.cannot !== null) return false;
  const doc = apply(now.doc, changes);
  if (doc === null) return false;
  const places = placesOf(now.auto);
  const last = now.undo.at(-1);
  const isSoon =
    merge !== undefined && last?.merge === merge && (stay?.merge === merge || Date.now() - last.when < MERGE_MS);
  const goesOn = isSoon || (joins && last !== undefined);
  const done: Done = {
    // What is typed is one act, called as it was when it began: a title is not the name of its own change.
    label: goesOn ? (last?.label ?? label) : label,
    changes: goesOn ? squeezed([...(last?.changes ?? []), ...changes]) : changes,
    merge: joins ? last?.merge : merge,
    when: Date.now(),
  };
  const undo = goesOn ? [...now.undo.slice(0, -1), done] : [...now.undo, done].slice(-MOST_UNDO);
  if (!joins) stay = stays && merge !== undefined ? { merge, path: changes[0].path } : undefined;
  const open = isSoon && growing?.merge === merge ? now.pending.at(-1) : undefined;
  const group =
    open && open.id === growing?.id
      ? { ...open, changes: squeezed([...open.changes, ...changes]) }
      : newGroup(isSoon ? done.label : label, changes);
  const before = group.id === open?.id ? now.pending.slice(0, -1) : now.pending;
  growing = merge === undefined ? undefined : { id: group.id, merge };
  set({ doc, undo, redo: [], auto: {}, pending: [...before, ...places, group] });
  onChange();
  return true;
}

/** The places that steps were given for want of any: the first change of the draft keeps them, too. */
function placesOf(auto: State["auto"]): Group[] {
  const changes = Object.entries(auto).map(([id, at]) => ({ path: ["layout", "nodes", id], to: at }));
  return changes.length ? [newGroup("Lay out", changes)] : [];
}

/**
 * One value set several times in a row is one change from the first to the last. A connection that came and went in
 * between is none: it would fit no draft, and what gives a step another id is done as a whole or not at all.
 */
export function squeezed(changes: Change[]): Change[] {
  const result: Change[] = [];
  for (const change of changes) {
    const last = result.at(-1);
    const isSame =
      last && change.at === undefined && last.at === undefined && change.path.join("\n") === last.path.join("\n");
    if (!isSame) result.push(change);
    else if (isEntry(change.path) && last.from === undefined && change.to === undefined) result.pop();
    else result[result.length - 1] = { ...last, to: change.to };
  }
  return result;
}

export function newGroup(label: string, changes: Change[]): Group {
  return { id: uuid(), label: [...label].slice(0, 200).join(""), changes };
}

/** `crypto.randomUUID` exists on https and localhost only. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function undo(): void {
  back("undo");
}

export function redo(): void {
  back("redo");
}

function back(way: "undo" | "redo"): void {
  const now = state();
  const done = now[way].at(-1);
  if (!done) return say(way === "undo" ? "Nothing to undo." : "Nothing to redo.");
  const wanted = way === "undo" ? inverses(done.changes) : done.changes;
  const fitting = applyWhatFits(now.doc, wanted);
  const { left } = fitting;
  // A step that gets its id back takes along what was connected with it since, by whomever.
  const ways = leftBehind(now.doc, fitting.doc, () => true);
  const [doc, made] = [apply(fitting.doc, ways) ?? fitting.doc, [...fitting.made, ...ways]];
  const rest = now[way].slice(0, -1);
  const other = way === "undo" ? "redo" : "undo";
  // What was looked into, and is open in the draft now, follows the draft again.
  const folds = Object.fromEntries(Object.entries(now.folds).filter(([id, it]) => isCollapsed(doc, id) !== it));
  set({ [way]: rest, [other]: [...now[other], { ...done, merge: undefined }], doc, folds } as Partial<State>);
  if (made.length) {
    set({ pending: [...state().pending, newGroup(`${way === "undo" ? "Undo" : "Redo"}: ${done.label}`, made)] });
    onChange();
  }
  const what = `${way === "undo" ? "Undid" : "Redid"}: ${done.label}.`;
  say(left && !made.length ? "Someone else has changed this since, so it was left as it is." : what);
  keepSelectionTrue();
}

/** The draft as who is here sees it: with what they have opened for themselves. */
export function seen(now: State = state()): Doc {
  return asSeen(now.doc, now.folds);
}

/** Selected is only what is there; what is out of sight in a container is so by the card of that. */
export function keepSelectionTrue(): void {
  const { doc, selected } = state();
  // Nobody loses the form that they type in.
  const typed = stay?.path[0] === "nodes" ? stay.path[1] : "";
  if (selected.nodes.includes(typed)) lookInto(typed);
  const coverIn = (id: string) => coverOf(seen(), id);
  const nodes = selected.nodes.filter((id) => Object.hasOwn(doc.nodes, id));
  const ends = selected.edges
    .map((key) => ({ key, from: doc.edges[key]?.from ?? (key.includes("@") ? key.split("@")[0] : "") }))
    .filter(({ from }) => Object.hasOwn(doc.nodes, from));
  const covers = ends.map(({ from }) => from).filter((id) => coverIn(id) !== id);
  const next: Selected = {
    nodes: [...new Set([...nodes, ...covers].map(coverIn))],
    edges: ends.filter(({ from }) => coverIn(from) === from).map(({ key }) => key),
    notes: selected.notes.filter((id) => doc.layout.notes && id in doc.layout.notes),
  };
  const isSame = (["nodes", "edges", "notes"] as const).every((each) => next[each].join() === selected[each].join());
  if (!isSame) set({ selected: next });
}

export function select(what: Partial<Selected>): void {
  set({ selected: { nodes: what.nodes ?? [], edges: what.edges ?? [], notes: what.notes ?? [] } });
}

/** Opens the containers that a step was put into, as a part of what was done. */
export function reveal(node: string): void {
  const { doc } = state();
  const closed = around(doc, node).filter((id) => isCollapsed(seen(), id));
  if (closed.length) act(`Open ${titleOf(doc, closed[0])}`, opened(doc, closed), { joins: true });
}

/** Opens the containers that a step stands in for who looks, and for nobody else. */
function lookInto(node: string): void {
  const closed = around(state().doc, node).filter((id) => isCollapsed(seen(), id));
  if (closed.length) set({ folds: { ...state().folds, ...Object.fromEntries(closed.map((id) => [id, false])) } });
}

/** Selects a step and brings it into sight. */
export function goTo(node: string): void {
  lookInto(node);
  select({ nodes: [node] });
  set({ look: { node, count: (state().look?.count ?? 0) + 1 } });
}

/** Asks that a part of the page takes the focus; one that is closed is opened for it, until the page is left. */
export function wantFocus(what: Focus["what"], field?: string): void {
  const { panels } = state();
  const side =
    what === "outline" ? "left" : ["inspector", "empty", "title", "comments"].includes(what) ? "right" : null;
  if (side && panels[side].isClosed) set({ panels: { ...panels, [side]: { ...panels[side], isClosed: false } } });
  set({ focus: { what, field, count: (state().focus?.count ?? 0) + 1 } });
}

export function say(text: string, kind: "info" | "bad" = "info"): void {
  set({ said: { text, kind, count: state().said.count + 1 } });
}

/** Whether so many steps more may be added; it says so where not, as publishing would. */
export function hasRoomFor(count: number): boolean {
  const { boot, doc } = state();
  const isThere = Object.keys(doc.nodes).length + count <= boot.most_steps;
  if (!isThere) say(`A workflow has at most ${boot.most_steps} steps: split it into several workflows.`, "bad");
  return isThere;
}

/** The one step that is selected alone, if it is one. */
export function theOne(now: State = state()): string | null {
  const { nodes, edges, notes } = now.selected;
  return nodes.length === 1 && edges.length === 0 && notes.length === 0 ? nodes[0] : null;
}

export function theEdge(now: State = state()): string | null {
  const { nodes, edges } = now.selected;
  return edges.length === 1 && nodes.length === 0 ? edges[0] : null;
}

/** The draft as a definition, as it stands here. */
export function definition(): JsonObject {
  const { cannot, boot, doc } = state();
  return cannot === null ? definitionOf(doc) : boot.definition;
}

export function hasErrors(now: State = state()): boolean {
  return now.problems.some((problem) => problem.severity === "error");
}
