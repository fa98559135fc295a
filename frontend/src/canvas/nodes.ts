/** The document as React Flow wants it. Nothing else knows both, so another library could take its place. */

import type { Edge, Node } from "@xyflow/react";
import { MarkerType, Position } from "@xyflow/react";
import type { Catalogue } from "../model/catalogue";
import { faceOf } from "../model/catalogue";
import { dueWords, undoWords } from "../model/attached";
import { around, holdsSteps, homeOf, stepsIn, withContents } from "../model/bodies";
import { HEIGHT, place, sizeOf } from "../model/boxes";
import type { Doc, NodeBody, Note, Place } from "../model/document";
import { countIn, stepsInWords } from "../model/folding";
import { isObject, own } from "../model/json";
import { atCovers, isCollapsed } from "../model/levels";
import { type Arrow, arrows, cardLines, titleOf } from "../model/graph";
import { endsInWords } from "../model/outcomes";
import { type Figures, type HeatBy, both, heatOf } from "../model/heat";
import { type Route, routesOf } from "../model/routes";
import { type WayKind, wayKind } from "../model/ways";
import { type Person, described } from "../model/people";
import { commentsInWords } from "../model/talk";
import { counted, wayWords } from "../model/words";
import type { TrialStep } from "../panels/asked";
import { countsInWords, farOver } from "../panels/inner";
import type { Problem } from "../store";
import { sized } from "./sized";
import { type GroupNode, groupNodes } from "./groups";
import { StartDrawer, type StartEdge, type StartNode } from "./startNodes";
import type { Start } from "./starts";

export type StepData = {
  title: string;
  /** The two lines of its card. */
  lines: [string, string];
  icon: string;
  group: string;
  body: NodeBody;
  errors: number;
  warnings: number;
  isPinned: boolean;
  isOpenEnd: boolean;
  /** Which of its outcomes nothing follows, in words. */
  ends: string;
  /** Whether steps stand in it, and how many do; at whatever depth, where it is collapsed. */
  holds: number | null;
  isCollapsed: boolean;
  mark: Mark | null;
  /** How it went in the last test run; of what is done for each item how far that is, and all of it in words. */
  status: string | null;
  far: string | null;
  farInWords: string;
  /** Who else is at it. */
  people: Person[];
  /** How many comments on it are open. */
  comments: number;
  /** Its share of the time or of the failures, where that is shown: how hot it is, and in words. */
  heat: number | null;
  heatInWords: string;
  /** Its deadline and what undoes it, in words. */
  due: string;
  undo: string;
};
export type StepNode = Node<StepData, "step">;
export type NoteNode = Node<{ text: string; color: string }, "note">;
export type AnyNode = StepNode | NoteNode | GroupNode | StartNode;
export type FlowEdge = Edge<
  {
    words: string;
    kind: WayKind;
    /** Of a deadline: whether it ends the step, which goes on beside a reminder. */
    ends: boolean;
    mark: Mark | null;
    route: Route | null;
  },
  "flow"
>;
export type AnyEdge = FlowEdge | StartEdge;
/** What a comparison says of it. */
export type Mark = "added" | "changed" | "removed";

export interface Seen {
  /** What is drawn: without what stands in containers that are collapsed. */
  doc: Doc;
  /** All of the draft. */
  all: Doc;
  catalogue: Catalogue;
  problems: Problem[];
  selected: Set<string>;
  dragged: Record<string, Place>;
  marks: Record<string, Mark>;
  statuses: Map<string, TrialStep>;
  here: Map<string, Person[]>;
  talk: Map<string, number>;
  heat: Map<string, Figures>;
  heatBy: HeatBy | null;
  starts: Start[];
}

/** Errors and warnings. */
type Counts = [number, number];

const NOBODY: Person[] = [];

function handles(width: number) {
  return [
    { type: "target" as const, position: Position.Left, x: -7, y: HEIGHT / 2 - 7, width: 14, height: 14 },
    { type: "source" as const, position: Position.Right, x: width - 7, y: HEIGHT / 2 - 7, width: 14, height: 14 },
  ];
}

/** Keeps what it made, so that React Flow draws again only what is different. */
export class Drawer {
  private starts = new StartDrawer();
  private steps = new Map<string, { key: unknown[]; node: StepNode }>();
  private notes = new Map<string, { key: unknown[]; node: NoteNode }>();
  private ways = new Map<string, { key: unknown[]; edge: FlowEdge }>();
  private routed: { key: unknown[]; found: Map<string, Route> } = { key: [], found: new Map() };

  nodes(seen: Seen): AnyNode[] {
    const found = atCovers(
      seen.all,
      counts(seen.problems),
      (one, other): Counts => [one[0] + other[0], one[1] + other[1]],
    );
    const here = atCovers(seen.all, seen.here, (some, others) => [...some, ...others]);
    const talk = atCovers(seen.all, seen.talk, (some, others) => some + others);
    const heat = atCovers(seen.all, seen.heat, both);
    const gathered = { ...seen, here, talk, heat };
    const leads = new Set(arrows(seen.doc).map((arrow) => arrow.from));
    // React Flow wants what holds others before those.
    const ids = Object.keys(seen.doc.nodes);
    const depth = new Map(ids.map((id) => [id, around(seen.doc, id).length]));
    const ordered = ids.toSorted((one, other) => (depth.get(one) ?? 0) - (depth.get(other) ?? 0));
    const steps = ordered.map((id) => this.step(id, gathered, found, !leads.has(id)));
    const notes = Object.entries(seen.doc.layout.notes ?? {}).map(([id, note]) => this.note(id, note, seen));
    return [...groupNodes(seen), ...notes, ...this.starts.nodes(seen.starts), ...steps];
  }

  private step(id: string, seen: Seen, found: Map<string, Counts>, isOpenEnd: boolean): StepNode {
    const body = seen.doc.nodes[id];
    const position = own(seen.dragged, id) ?? place(seen.doc, id);
    const home = homeOf(seen.doc, id);
    const { w, h } = sizeOf(seen.doc, id);
    const collapsed = isCollapsed(seen.all, id);
    const holds = collapsed ? countIn(seen.all, id) : holdsSteps(body) ? stepsIn(seen.doc, id).length : null;
    const [errors, warnings] = found.get(id) ?? [0, 0];
    const isPinned = seen.doc.layout.pins !== undefined && Object.hasOwn(seen.doc.layout.pins, id);
    const selected = seen.selected.has(id);
    const mark = own(seen.marks, id) ?? (collapsed && isOtherwise(seen, id) ? "changed" : null);
    const tried = seen.statuses.get(id);
    const status = tried?.status ?? null;
    const far = tried?.inner ? farOver(tried.inner) : null;
    const farInWords = tried?.inner ? countsInWords(tried.inner) : "";
    const title = titleOf(seen.doc, id);
    const people = seen.here.get(id) ?? NOBODY;
    const comments = seen.talk.get(id) ?? 0;
    const figures = seen.heat.get(id);
    const hot = seen.heatBy && figures ? heatOf(figures, seen.heatBy) : null;
    const heat = hot?.level ?? null;
    const heatInWords = hot?.words ?? "";
    const ends = endsInWords(seen.all, seen.catalogue, id);
    const [due, undo] = [dueWords(body), undoWords(body, seen.catalogue)];
    const look = [
      errors,
      warnings,
      isPinned,
      selected,
      isOpenEnd,
      ends,
      mark,
      status,
      far,
      farInWords,
      title,
      people,
      comments,
      heat,
      heatInWords,
      due,
      undo,
    ];
    const key = [body, position.x, position.y, home, w, h, holds, collapsed, ...look];
    const kept = this.steps.get(id);
    if (kept?.key.every((value, at) => value === key[at])) return kept.node;
    const face = faceOf(seen.catalogue, body.type);
    const node: StepNode = {
      id,
      type: "step",
      position,
      selected,
      ...sized(w, h),
      ...(home !== null && { parentId: home }),
      handles: handles(w),
      ariaLabel: [
        ...cardLines(seen.doc, id),
        ...(home === null ? [] : [`in ${titleOf(seen.doc, home)}`]),
        ...(collapsed ? [`collapsed, ${stepsInWords(holds ?? 0)}`] : []),
        ...(ends ? [ends] : []),
        ...(due ? [due] : []),
        ...(undo ? [`undone by ${undo}`] : []),
        ...(errors ? [counted(errors, "error")] : []),
        ...(comments ? [commentsInWords(comments)] : []),
        ...(heatInWords ? [heatInWords] : []),
        ...people.map((person) => `${described(person)} here`),
      ].join(", "),
      data: {
        title,
        lines: cardLines(seen.doc, id),
        icon: face.icon,
        group: face.group,
        body,
        errors,
        warnings,
        isPinned,
        isOpenEnd,
        ends,
        holds,
        isCollapsed: collapsed,
        mark,
        status,
        far,
        farInWords,
        people,
        comments,
        heat,
        heatInWords,
        due,
        undo,
      },
    };
    this.steps.set(id, { key, node });
    return node;
  }

  private note(id: string, note: Note, seen: Seen): NoteNode {
    const position = own(seen.dragged, id) ?? { x: note.x, y: note.y };
    const selected = seen.selected.has(id);
    const key = [note, position.x, position.y, selected];
    const kept = this.notes.get(id);
    if (kept?.key.every((value, at) => value === key[at])) return kept.node;
    const node: NoteNode = {
      id,
      type: "note",
      position,
      selected,
      ...sized(note.w, note.h),
      zIndex: -1,
      ariaLabel: `Note: ${note.text || "empty"}`,
      data: { text: note.text, color: note.color },
    };
    this.notes.set(id, { key, node });
    return node;
  }

  /** Found again only where a place, a way or its words are different; a step that is being dragged waits until it stands. */
  private routes(doc: Doc, all: Arrow[]): Map<string, Route> {
    const ways = all.map((arrow) => ({
      key: arrow.key,
      from: arrow.from,
      to: arrow.to,
      words: wayWords(doc, arrow),
    }));
    const key = [doc.layout.nodes, places(doc), ways.map((way) => `${way.key} ${way.words}`).join("\n")];
    if (key.every((value, at) => value === this.routed.key[at])) return this.routed.found;
    const found = routesOf(doc, ways);
    for (const [name, route] of found) {
      const before = this.routed.found.get(name);
      if (before && isSame(before, route)) found.set(name, before);
    }
    this.routed = { key, found };
    return found;
  }

  edges(seen: Seen): FlowEdge[] {
    const all = arrows(seen.doc);
    const found = this.routes(seen.doc, all);
    return all.map((arrow) => {
      const body = arrow.timer === undefined ? seen.doc.edges[arrow.key] : seen.doc.nodes[arrow.from].boundary_timers;
      const selected = seen.selected.has(arrow.key);
      const mark = seen.marks[arrow.key] ?? null;
      const route = found.get(arrow.key) ?? null;
      const [from, to] = [titleOf(seen.doc, arrow.from), titleOf(seen.doc, arrow.to)];
      const key = [body, selected, mark, route, from, to];
      const kept = this.ways.get(arrow.key);
      if (kept?.key.every((value, at) => value === key[at])) return kept.edge;
      const words = wayWords(seen.doc, arrow);
      const edge: FlowEdge = {
        id: arrow.key,
        type: "flow",
        source: arrow.from,
        target: arrow.to,
        selected,
        reconnectable: arrow.timer === undefined,
        markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
        ariaLabel: `From ${from} to ${to}${words ? `: ${words}` : ""}`,
        data: { words, kind: wayKind(seen.doc, arrow), ends: endsStep(seen.doc, arrow), mark, route },
      };
      this.ways.set(arrow.key, { key, edge });
      return edge;
    });
  }
}

function endsStep(doc: Doc, { from, timer }: Arrow): boolean {
  const timers = doc.nodes[from].boundary_timers;
  const own = timer !== undefined && Array.isArray(timers) ? timers[timer] : null;
  return isObject(own) && own.interrupting !== false;
}

/** What is drawn where, as far as ways go around it: which containers there are, and who is in which. */
function places(doc: Doc): string {
  return Object.keys(doc.nodes)
    .flatMap((id) => (homeOf(doc, id) !== null || holdsSteps(doc.nodes[id]) ? [`${id} ${homeOf(doc, id)}`] : []))
    .join("\n");
}

function isSame(one: Route, other: Route): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether a comparison says something of what stands in it. */
function isOtherwise({ all, marks }: Seen, id: string): boolean {
  return withContents(all, [id]).some((each) => Object.hasOwn(marks, each));
}

function counts(problems: Problem[]): Map<string, Counts> {
  const found = new Map<string, Counts>();
  for (const { node, severity } of problems) {
    if (node === null) continue;
    const [errors, warnings] = found.get(node) ?? [0, 0];
    found.set(node, severity === "error" ? [errors + 1, warnings] : [errors, warnings + 1]);
  }
  return found;
}
