/** Copies of steps: as text they go from one workflow to another. Pure. */

import { WITHIN, edgeKey, homeOf, withContents } from "./bodies";
import { FIRST, makeRoom, place, seenFrom, spotOf } from "./boxes";
import { Draft } from "./changes";
import type { ReservedIds, Made, Selection } from "./commands";
import type { Doc, EdgeBody, NodeBody, Note, Place } from "./document";
import type { Json, JsonObject } from "./json";
import { isObject } from "./json";
import { isCollapsed, lastIn } from "./levels";
import { free } from "./names";

/** What was copied: steps, the edges among them, their places and notes. The same text in every workflow. */
export interface Clip {
  handoff: 1;
  nodes: Record<string, NodeBody>;
  edges: EdgeBody[];
  places: Record<string, Place>;
  notes: Note[];
  /** The containers among them that are collapsed; a text from before there was that says nothing of it. */
  collapsed?: string[];
}

/** Containers with all that is in them. What was in one that stays behind is on the outside in a clip. */
export function copy(doc: Doc, what: Selection): Clip {
  const ids = withContents(doc, what.nodes);
  const inside = new Set(ids);
  const copied = (id: string): [string, NodeBody, Place] => {
    const { [WITHIN]: home, ...body } = doc.nodes[id];
    return typeof home === "string" && inside.has(home)
      ? [id, doc.nodes[id], place(doc, id)]
      : [id, body as NodeBody, spotOf(doc, id)];
  };
  return {
    handoff: 1,
    nodes: Object.fromEntries(ids.map(copied).map(([id, body]) => [id, body])),
    edges: Object.values(doc.edges).filter((edge) => inside.has(edge.from) && inside.has(edge.to)),
    places: Object.fromEntries(ids.map(copied).map(([id, , at]) => [id, at])),
    notes: (what.notes ?? []).flatMap((id) => doc.layout.notes?.[id] ?? []),
    collapsed: ids.filter((id) => isCollapsed(doc, id)),
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

/**
 * The copied steps again, in a container or not, under ids of their own; expressions among them read the new ones. What
 * stands beside a container gives way.
 */
export function paste(
  doc: Doc,
  clip: Clip,
  shift: Place,
  reserved: ReservedIds = {},
  home: string | null = null,
): Made {
  const draft = new Draft(doc);
  const select = pasteIn(draft, clip, shift, reserved, home);
  makeRoom(draft, doc, home);
  return { changes: draft.changes, select };
}

/** As `paste`, as a part of something else, which makes room itself. Gives the steps that stand at the place. */
export function pasteIn(draft: Draft, clip: Clip, shift: Place, reserved: ReservedIds, home: string | null): string[] {
  const { doc } = draft;
  const corner = seenFrom(doc, home, shift);
  let { key: behind } = lastIn(doc, home);
  const ids = new Map<string, string>();
  for (const id of Object.keys(clip.nodes)) {
    const others = Object.fromEntries([...ids.values()].map((each) => [each, 1]));
    ids.set(id, free(id, { ...reserved, ...draft.doc.nodes, ...others }));
  }
  for (const [id, body] of Object.entries(clip.nodes)) {
    const fresh = ids.get(id) as string;
    const timers = Array.isArray(body.boundary_timers)
      ? body.boundary_timers.flatMap((timer) =>
          isObject(timer) && ids.has(String(timer.to)) ? [{ ...timer, to: ids.get(String(timer.to)) as string }] : [],
        )
      : [];
    const { boundary_timers: _timers, [WITHIN]: was, ...rest } = body;
    const container = ids.get(typeof was === "string" ? was : "") ?? home;
    const renamed: NodeBody = {
      ...(readAs(rest, ids) as NodeBody),
      ...(timers.length && { boundary_timers: timers }),
      ...(container !== null && { [WITHIN]: container }),
    };
    draft.insert("nodes", fresh, renamed, behind);
    behind = fresh;
    const spot = clip.places[id] ?? { x: 0, y: 0 };
    const at = container === home ? { x: spot.x + corner.x, y: spot.y + corner.y } : spot;
    const isIn = container === home && home !== null;
    const kept = isIn ? { x: Math.max(at.x, FIRST.x), y: Math.max(at.y, FIRST.y) } : at;
    draft.set(["layout", "nodes", fresh], kept);
    if (Array.isArray(clip.collapsed) && clip.collapsed.includes(id)) draft.set(["layout", "collapsed", fresh], true);
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
  return [...ids.values()].filter((id) => homeOf(draft.doc, id) === home);
}

const PLAIN_CEL = new Set(["when", "while", "until"]);

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
