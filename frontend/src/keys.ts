/** The keys of the builder, in one table: what they do, where they are shown, and the listener. */

import { laid } from "./canvas/meanwhile";
import { fit, zoom } from "./canvas/view";
import { togglePanel } from "./frame/sizes";
import { holdsSteps, homeOf, withContents } from "./model/bodies";
import type { Doc } from "./model/document";
import { asClip, copy } from "./model/clips";
import { duplicated, insertClip, placeFor } from "./model/inserting";
import { addNote, group, moveSteps, remove, ungroup } from "./model/commands";
import { moveInto } from "./model/moving";
import { foldable } from "./model/folding";
import { inOrder, reach, titleOf } from "./model/graph";
import { coverOf } from "./model/levels";
import { middle } from "./canvas/view";
import { fold } from "./folds";
import { here } from "./add/adding";
import { saidOf } from "./model/said";
import { spokenOf } from "./model/talk";
import type { Problem } from "./store";
import { givenBy } from "./panels/inner";
import { pin, pinWhatItGave } from "./panels/trial";
import {
  act,
  endStay,
  goTo,
  hasRoomFor,
  isStaying,
  redo,
  reveal,
  say,
  seen,
  select,
  set,
  state,
  theOne,
  undo,
  wantFocus,
} from "./store";

import { goToComments } from "./comments";
import { TYPED_IN, isElsewhere, isOnGraph, notePress } from "./graphFocus";
import { goes, noteFocus } from "./inspector/going";

export interface Key {
  keys: string[];
  does: string;
  run: () => void;
  /** Only for who may change the draft. */
  writes?: boolean;
  /** Only for who may publish it. */
  publishes?: boolean;
}

export function openAdd(where = here()): void {
  set({ adding: { where, from: document.activeElement instanceof HTMLElement ? document.activeElement : null } });
}

/** Removes what is selected; what is seen before it has the selection then. */
export function removeSelected(bridge = false): void {
  const { doc, selected } = state();
  const count = selected.nodes.length + selected.edges.length + selected.notes.length;
  if (!count) return say("Nothing is selected.");
  const shown = seen();
  const order = inOrder(doc)
    .map((row) => row.id)
    .filter((id) => coverOf(shown, id) === id);
  const at = selected.nodes.length ? order.indexOf(coverOf(shown, selected.nodes[0])) : -1;
  const name =
    selected.nodes.length === 1
      ? titleOf(doc, selected.nodes[0])
      : count === 1
        ? selected.edges.length
          ? "a connection"
          : "a note"
        : `${count} items`;
  if (!act(`Delete ${name}`, remove(doc, selected, bridge))) return;
  const next = order.filter((id) => Object.hasOwn(state().doc.nodes, id))[Math.max(at - 1, 0)];
  select(at >= 0 && next ? { nodes: [next] } : {});
  say(`Deleted ${name}. Press Ctrl+Z to undo.`);
}

export async function tidySelected(): Promise<void> {
  const { doc, selected } = state();
  const places = await laid(doc, selected.nodes);
  // What was deleted meanwhile gets no place.
  const now = state().doc;
  const there = Object.entries(places).filter(([id]) => Object.hasOwn(now.nodes, id));
  act(
    selected.nodes.length > 1 ? `Tidy ${selected.nodes.length} steps` : "Tidy the canvas",
    moveSteps(now, Object.fromEntries(there)),
  );
  if (selected.nodes.length < 2) requestAnimationFrame(() => fit());
}

export function duplicate(): void {
  const { doc, selected, comments } = state();
  if (!selected.nodes.length && !selected.notes.length) return say("Select what you want to duplicate.");
  if (!hasRoomFor(withContents(doc, selected.nodes).length)) return;
  const home = homeOf(doc, selected.nodes[0] ?? "");
  const made = duplicated(doc, copy(doc, selected), spokenOf(comments), home);
  if (
    act(
      `Duplicate ${selected.nodes.length === 1 ? titleOf(doc, selected.nodes[0]) : `${made.select.length} steps`}`,
      made.changes,
    )
  )
    select({ nodes: made.select });
}

export function groupSelected(): void {
  const { doc, selected } = state();
  if (!selected.nodes.length) return say("Select the steps to group.");
  act(`Group ${selected.nodes.length} steps`, group(doc, selected.nodes, "Group"));
}

/** Into the container that stands before the selected step, or out of the one that it is in. */
export function moveSelected(way: "in" | "out"): void {
  const { doc, selected } = state();
  const [first] = selected.nodes;
  if (first === undefined) return say("Select the steps to move.");
  const home = homeOf(doc, first);
  const to = way === "out" ? (home === null ? undefined : homeOf(doc, home)) : containerBefore(doc, first);
  if (to === undefined)
    return say(
      way === "out"
        ? `${titleOf(doc, first)} is in no other step.`
        : "Put “For each item” or “Repeat” before this step: then it can be moved in.",
    );
  const what = selected.nodes.length === 1 ? titleOf(doc, first) : `${selected.nodes.length} steps`;
  const label = to === null ? `Move ${what} out` : `Move ${what} into ${titleOf(doc, to)}`;
  if (!act(label, moveInto(doc, selected.nodes, to, {}, state().catalogue))) return;
  reveal(first);
  say(to === null ? `Moved ${what} out.` : `Moved ${what} into ${titleOf(doc, to)}.`);
}

function foldSelected(): void {
  const [first] = state().selected.nodes;
  const id = first === undefined ? null : foldable(state().doc, first);
  if (id === null) return say("Select a step that contains others, such as “For each item”.");
  fold(id);
}

/** The container that is the nearest before a step among those beside it. */
function containerBefore(doc: Doc, id: string): string | undefined {
  const home = homeOf(doc, id);
  const beside = inOrder(doc)
    .map((row) => row.id)
    .filter((each) => homeOf(doc, each) === home && (each === id || holdsSteps(doc.nodes[each])));
  return beside[beside.indexOf(id) - 1];
}

/** To the list of what two people set at once, and of what can't be saved. */
export function goToConflicts(): void {
  if (!state().conflicts.length) return say("Nothing is in conflict.");
  set({ showsConflicts: true });
  wantFocus("conflicts");
}

function nextProblem(): void {
  const { boot, catalogue, doc, problems, selected } = state();
  const words = (problem: Problem) =>
    saidOf(problem, doc, {
      definition: boot.definition_schema,
      paramsOf: (type) => catalogue[type]?.params_schema,
    })
      .map((part) => part.text)
      .join("");
  const own = problems.filter((problem) => problem.node !== null);
  if (!own.length) return say(problems.length ? words(problems[0]) : "No problems.");
  const at = own.findIndex((problem) => problem.node === selected.nodes[0]);
  const next = own[(at + 1) % own.length];
  goTo(next.node as string);
  say(words(next), next.severity === "error" ? "bad" : "info");
}

/** Pins the output of the selected step for tests, or takes the pin out. */
function pinSelected(): void {
  const { doc, trial } = state();
  const one = theOne();
  if (!one) return say("Select a step first.");
  const isPinned = doc.layout.pins !== undefined && one in doc.layout.pins;
  const step = givenBy(trial, one);
  if (!isPinned && !step) return say("Run a test first, then pin the output of this step.");
  if (isPinned) pin(one, undefined);
  else if (trial && step) void pinWhatItGave(trial.id, step);
}

function stream(way: "out" | "into"): void {
  const one = theOne();
  if (one) select({ nodes: [...reach(state().doc, one, way)] });
}

export const KEYS: Key[] = [
  {
    keys: ["a", "/"],
    does: "Add a step after the selected one, or on the selected connection",
    writes: true,
    run: () => openAdd(),
  },
  {
    keys: ["Shift+a"],
    does: "Add a step in the selected one, where it holds steps",
    writes: true,
    run: () => {
      const one = theOne();
      if (one && holdsSteps(state().doc.nodes[one])) openAdd({ inside: one });
      else say("Select a step that contains others, such as “For each item”.");
    },
  },
  {
    keys: [">"],
    does: "Move the selected steps into the container before them",
    writes: true,
    run: () => moveSelected("in"),
  },
  { keys: ["<"], does: "Move the selected steps out of their container", writes: true, run: () => moveSelected("out") },
  { keys: ["f"], does: "Collapse the container of the selected step to a card, or open it", run: foldSelected },
  {
    keys: ["i"],
    does: "Insert a step before the selected one",
    writes: true,
    run: () => (theOne() ? openAdd({ before: theOne() as string }) : openAdd()),
  },
  {
    keys: ["c"],
    does: "Connect the selected step to another",
    writes: true,
    run: () => (theOne() ? set({ connecting: theOne() }) : say("Select the step to connect from.")),
  },
  { keys: ["Enter"], does: "Edit the selected step", run: () => wantFocus("inspector") },
  { keys: ["e"], does: "Go to the first required field that is empty", writes: true, run: () => wantFocus("empty") },
  { keys: ["F2"], does: "Rename the selected step", writes: true, run: () => wantFocus("title") },
  { keys: ["o"], does: "Go to the outline", run: () => wantFocus("outline") },
  { keys: ["Delete", "Backspace"], does: "Delete", writes: true, run: () => removeSelected() },
  {
    keys: ["Ctrl+Delete", "Ctrl+Backspace"],
    does: "Delete and connect the steps before and after",
    writes: true,
    run: () => removeSelected(true),
  },
  { keys: ["Ctrl+z"], does: "Undo", writes: true, run: undo },
  { keys: ["Ctrl+y", "Ctrl+Shift+z"], does: "Redo", writes: true, run: redo },
  { keys: ["Ctrl+d"], does: "Duplicate", writes: true, run: duplicate },
  {
    keys: ["Ctrl+a"],
    does: "Select everything",
    run: () => select({ nodes: Object.keys(state().doc.nodes), notes: Object.keys(state().doc.layout.notes ?? {}) }),
  },
  { keys: ["g"], does: "Group the selected steps", writes: true, run: groupSelected },
  {
    keys: ["Shift+g"],
    does: "Ungroup the selected steps",
    writes: true,
    run: () => act("Ungroup", ungroup(state().doc, state().selected.nodes)),
  },
  { keys: ["n"], does: "Add a note", writes: true, run: () => noteHere() },
  { keys: ["l"], does: "Tidy the canvas, or what is selected", writes: true, run: () => void tidySelected() },
  { keys: ["Shift+ArrowLeft"], does: "Select everything that comes before", run: () => stream("into") },
  { keys: ["Shift+ArrowRight"], does: "Select everything that comes after", run: () => stream("out") },
  { keys: ["F8"], does: "Go to the next problem", run: nextProblem },
  { keys: ["["], does: "Close or open the steps on the left", run: () => togglePanel("left") },
  { keys: ["]"], does: "Close or open the form on the right", run: () => togglePanel("right") },
  { keys: ["Shift+c"], does: "Go to the conflicts", writes: true, run: goToConflicts },
  { keys: ["m"], does: "Comments on the selected step, or all of them", run: goToComments },
  { keys: ["t"], does: "Test", run: () => set({ panel: "test" }) },
  {
    keys: ["p"],
    does: "Pin or unpin the output of the selected step",
    writes: true,
    run: pinSelected,
  },
  { keys: ["Shift+p"], does: "Publish", publishes: true, run: () => set({ publishing: true }) },
  { keys: ["0"], does: "Fit to screen", run: fit },
  { keys: ["1"], does: "Zoom to 100%", run: () => zoom("full") },
  { keys: ["+", "="], does: "Zoom in", run: () => zoom("in") },
  { keys: ["-"], does: "Zoom out", run: () => zoom("out") },
  { keys: ["Escape"], does: "Clear the selection", run: () => select({}) },
  { keys: ["Ctrl+f"], does: "Find a step", run: () => set({ finding: true }) },
  { keys: ["?"], does: "Show keyboard shortcuts", run: () => set({ showsKeys: true }) },
];

export function noteHere(): void {
  const made = addNote(seen(), middle());
  if (act("Add a note", made.changes)) select({ notes: [made.id] });
}

function pressed(event: KeyboardEvent): string {
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isSign = event.key.length === 1 && !/[a-z0-9]/i.test(event.key);
  return [
    event.ctrlKey || event.metaKey ? "Ctrl" : "",
    event.shiftKey && !isSign ? "Shift" : "",
    event.altKey ? "Alt" : "",
    name,
  ]
    .filter(Boolean)
    .join("+");
}

const UNDOES = ["Ctrl+z", "Ctrl+y", "Ctrl+Shift+z"];
/** What leads from a field to somewhere else. */
const FROM_FIELDS = ["F8", "Ctrl+f"];
/** What changes nothing by itself, and acts wherever the focus is. */
const EVERYWHERE = [...UNDOES, ...FROM_FIELDS, "?"];
/** Where Enter and the arrows have a meaning of their own. */
const OWN_KEYS = "button, a, summary, [role=tab], [role=option], [role=menuitem]";

function onKey(event: KeyboardEvent): void {
  const target = event.target instanceof Element ? event.target : document.body;
  const name = pressed(event);
  // What was just added has the focus in its title: an undo there takes it away, as long as nothing is typed.
  const isUntouched = target.matches("[data-title]") && !isStaying();
  const isTyping = target.closest(TYPED_IN) !== null && !(isUntouched && UNDOES.includes(name));
  if (name === "Escape" && !event.defaultPrevented && target.closest(".inspector") && !target.closest("dialog"))
    return wantFocus("outline");
  if (!event.defaultPrevented && !event.isComposing && goes(name, target)) return event.preventDefault();
  const isEverywhere = ["F8", ...UNDOES].includes(name) && !isTyping;
  if (event.defaultPrevented || (isTyping && !FROM_FIELDS.includes(name))) return;
  // Behind a dialog nobody goes to a problem.
  if (name === "F8" && document.querySelector("dialog[open]")) return;
  if (name === "Enter" && target.closest(OWN_KEYS)) return;
  if (name === "Enter" && target.closest(".react-flow__node") && !(target as Element).classList.contains("selected"))
    return;
  if ((name.startsWith("Shift+Arrow") || name === "Escape") && target.closest(".react-flow__node")) return;
  const key = KEYS.find((each) => each.keys.includes(name));
  if (!key || (state().view !== "canvas" && !isEverywhere && name !== "?")) return;
  if (!EVERYWHERE.includes(name) && !isOnGraph(target)) return;
  const { boot } = state();
  if ((key.writes && !boot.may_write) || (key.publishes && !boot.may_publish)) return;
  event.preventDefault();
  key.run();
}

/** Copying as text, so that it goes from one workflow (or program) to another. */
function onCopy(event: ClipboardEvent): void {
  if (isElsewhere(event)) return;
  const { boot, doc, selected } = state();
  if (!selected.nodes.length && !selected.notes.length) return;
  const isCut = event.type === "cut" && boot.may_write;
  event.preventDefault();
  event.clipboardData?.setData("text/plain", JSON.stringify(copy(doc, selected), null, 1));
  const count = selected.nodes.length + selected.notes.length;
  if (isCut) removeSelected();
  say(`${isCut ? "Cut" : "Copied"} ${count === 1 ? "1 item" : `${count} items`}.`);
}

function onPaste(event: ClipboardEvent): void {
  // The title of what was just added has the focus; nobody means steps to be a title.
  const isInTitle = event.target instanceof Element && event.target.matches("[data-title]");
  if ((isElsewhere(event) && !isInTitle) || !state().boot.may_write) return;
  const clip = asClip(event.clipboardData?.getData("text/plain") ?? "");
  if (!clip) return;
  event.preventDefault();
  if (!hasRoomFor(Object.keys(clip.nodes).length)) return;
  const { catalogue, doc, selected } = state();
  const where = placeFor(doc, clip, selected);
  const isNowhere = Object.keys(where).length === 0;
  const isThere = Object.keys(clip.nodes).some((id) => Object.hasOwn(doc.nodes, id));
  // What was cut out comes back under its id, and with its comments.
  const made = insertClip(doc, catalogue, clip, isNowhere && !isThere ? { at: middle() } : where);
  if (act(`Paste ${made.select.length === 1 ? "a step" : `${made.select.length} steps`}`, made.changes)) {
    if (made.select.length) reveal(made.select[0]);
    select({ nodes: made.select });
    wantFocus(made.select.length === 1 ? "title" : "inspector");
  }
}

export function listen(): () => void {
  const pairs: [string, (event: never) => void][] = [
    ["keydown", onKey],
    ["copy", onCopy],
    ["cut", onCopy],
    ["paste", onPaste],
    ["focusout", endStay],
    ["focusin", noteFocus],
    ["focusin", notePress],
    ["pointerdown", notePress],
  ];
  for (const [name, listener] of pairs) document.addEventListener(name, listener as EventListener);
  return () => {
    for (const [name, listener] of pairs) document.removeEventListener(name, listener as EventListener);
  };
}
