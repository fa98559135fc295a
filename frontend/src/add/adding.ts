/** Adding a step where the selection is. */

import { middle } from "../canvas/view";
import { holdsSteps, stepsIn } from "../model/bodies";
import { addStep } from "../model/commands";
import type { Where } from "../model/levels";
import { calledNow } from "../inspector/rename";
import { type Snippet, addSnippet } from "../model/snippets";
import { spokenOf } from "../model/talk";
import { actOn } from "../folds";
import { goTo, hasRoomFor, reveal, select, state, theEdge, theOne, wantFocus } from "../store";

const MOST_RECENT = 5;
const KEY = "handoff-recent-steps";

/** Where a step goes if nobody says so: on the selected edge, behind the selected step, behind the last one. */
export function here(): Where {
  const now = state();
  const edge = theEdge(now);
  if (edge && Object.hasOwn(now.doc.edges, edge)) return { edge };
  const one = theOne(now);
  // Behind a container, but in one that waits for its first step.
  if (one && holdsSteps(now.doc.nodes[one]) && stepsIn(now.doc, one).length === 0) return { inside: one };
  if (one) return { after: one };
  return Object.keys(now.doc.nodes).length === 0 ? { at: middle() } : {};
}

/** Adds a step of a type and selects it; its title has the focus. */
export function addHere(type: string, where: Where = here()): void {
  if (!hasRoomFor(1)) return;
  const { catalogue, comments } = state();
  const there = stillThere(where);
  const made = actOn(`Add ${catalogue[type]?.title ?? type}`, where.at !== undefined, (doc) =>
    addStep(doc, catalogue, type, there, spokenOf(comments)),
  );
  if (!made) return;
  remember(type);
  reveal(made.select[0]);
  goTo(made.select[0]);
  wantFocus("title");
}

/** Puts a ready-made group into the draft, as one act, and selects its steps. */
export function addGroupHere(snippet: Snippet, where: Where = here()): void {
  if (!hasRoomFor(snippet.nodes.length)) return;
  const { catalogue, comments } = state();
  const there = stillThere(where);
  const made = actOn(`Add ${snippet.title}`, where.at !== undefined, (doc) =>
    addSnippet(doc, catalogue, snippet, there, spokenOf(comments)),
  );
  if (!made) return;
  reveal(made.select[0]);
  goTo(made.select[0]);
  select({ nodes: made.select });
  wantFocus("inspector");
}

/** The same place, although its step has got the id of its title since the list was opened. */
function stillThere(where: Where): Where {
  const { nodes, edges } = state().doc;
  const { after, before, edge, inside } = where;
  return {
    ...where,
    ...(after !== undefined && { after: calledNow(after, nodes) }),
    ...(inside !== undefined && { inside: calledNow(inside, nodes) }),
    ...(before !== undefined && { before: calledNow(before, nodes) }),
    ...(edge !== undefined && { edge: calledNow(edge, edges) }),
  };
}

/** The step types that were added last, newest first. */
export function recent(): string[] {
  try {
    const names = JSON.parse(localStorage.getItem(KEY) ?? "[]") as unknown;
    return Array.isArray(names)
      ? names.filter((name): name is string => typeof name === "string" && Object.hasOwn(state().catalogue, name))
      : [];
  } catch {
    return [];
  }
}

function remember(type: string): void {
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify([type, ...recent().filter((name) => name !== type)].slice(0, MOST_RECENT)),
    );
  } catch {
    // Then nothing is recent.
  }
}
