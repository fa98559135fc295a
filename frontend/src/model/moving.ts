/** Steps into a container and out of it: pure. */

import { WITHIN, around, homeOf, withContents } from "./bodies";
import { GAP_X, boxOf, freePlace, makeRoom, place, seenFrom, sizeOf } from "./boxes";
import type { Change } from "./changes";
import { Draft } from "./changes";
import type { Catalogue } from "./catalogue";
import { bridgesOver, connectIn, usualCondition } from "./commands";
import type { Doc, Place } from "./document";
import { arrows, neighbours } from "./graph";
import { isObject } from "./json";
import { endIn, lastIn } from "./levels";

/**
 * Steps into a container, or onto the outside (null), with what they hold. Connections to what they leave are made
 * between what stands before and behind them; there they come behind the last step, or behind the container they were in.
 */
export function moveInto(
  doc: Doc,
  ids: string[],
  home: string | null,
  spots: Record<string, Place> = {},
  catalogue: Catalogue = {},
): Change[] {
  const wanted = new Set(ids);
  const moved = ids.filter(
    (id) =>
      homeOf(doc, id) !== home && !around(doc, id).some((each) => wanted.has(each)) && Object.hasOwn(doc.nodes, id),
  );
  const carried = new Set(withContents(doc, moved));
  if (moved.length === 0 || (home !== null && carried.has(home))) return [];
  const leaving = new Set(moved);
  const draft = new Draft(doc);
  const bridges = bridgesOver(doc, leaving);
  cutWays(draft, leaving);
  for (const [from, to, condition] of bridges) connectIn(draft, from, to, condition);
  let { key: behind } = lastIn(draft.doc, home);
  // Out of a container they come behind it, else where what is there goes on.
  const from = childOn(doc, homeOf(doc, moved[0]), home);
  let before = from ?? (home === null ? undefined : endIn(draft.doc, home));
  let beside = before ?? lastIn(draft.doc, home).id;
  for (const id of moved) {
    const corner = beside === undefined ? null : boxOf(draft.doc, beside);
    const at = spots[id] ?? (corner && { x: corner.x + corner.w + GAP_X, y: corner.y });
    draft.set(["nodes", id, WITHIN], home ?? undefined);
    draft.move("nodes", id, behind);
    behind = withContents(draft.doc, [id]).at(-1) ?? id;
    const wish = at ? seenFrom(draft.doc, home, at) : place(doc, id);
    draft.set(["layout", "nodes", id], freePlace(draft.doc, wish, { home, own: id, size: sizeOf(draft.doc, id) }));
    const isLed = (neighbours(draft.doc).into.get(id) ?? []).length > 0;
    if (before !== undefined && !isLed) connectIn(draft, before, id, usualCondition(draft.doc, catalogue, before));
    beside = id;
    if (before !== undefined) before = id;
  }
  makeRoom(draft, doc, home);
  return draft.changes;
}

/** The step of `home` that `inner` is, or stands in. */
function childOn(doc: Doc, inner: string | null, home: string | null): string | undefined {
  if (inner === null) return undefined;
  return [inner, ...around(doc, inner)].find((id) => homeOf(doc, id) === home);
}

/** Without the ways between these steps and others, and without the boundary timers that lead from one to the other. */
function cutWays(draft: Draft, moved: Set<string>): void {
  const crossing = arrows(draft.doc).filter((arrow) => moved.has(arrow.from) !== moved.has(arrow.to));
  for (const { key, timer } of crossing) if (timer === undefined) draft.set(["edges", key], undefined);
  for (const id of new Set(crossing.filter(({ timer }) => timer !== undefined).map(({ from }) => from))) {
    const timers = draft.doc.nodes[id].boundary_timers;
    if (!Array.isArray(timers)) continue;
    const left = timers.filter((timer) => !isObject(timer) || moved.has(String(timer.to)) === moved.has(id));
    draft.set(["nodes", id, "boundary_timers"], left.length ? left : undefined);
  }
}
