/** Whether the focus is on the graph: single keys and the clipboard act only on the canvas and in the outline. */

export const TYPED_IN = "input, textarea, select, [contenteditable=true], .cm-editor, dialog";
/** The canvas with its tools, and the outline. */
const GRAPH = ".builder-middle, .outline, .outline-empty";

/** Whether the last press was outside of the graph, on something that takes no focus: the page has the focus then. */
let isPressedElsewhere = false;

/** Whether it is the page, or what the page has its parts in: a press on what takes no focus gives it to that. */
function isPage(target: Element): boolean {
  return target === document.body || target.querySelector(".builder") !== null;
}

/** Listens to presses and to the focus. */
export function notePress(event: Event): void {
  const target = event.target instanceof Element ? event.target : document.body;
  if (event.type === "focusin") isPressedElsewhere &&= isPage(target);
  else if (!target.closest("dialog")) isPressedElsewhere = target.closest(GRAPH) === null;
}

/** Whether this element is of the graph; the page itself is, unless a press elsewhere gave it the focus. */
export function isOnGraph(target: Element): boolean {
  return isPage(target) ? !isPressedElsewhere : target.closest(GRAPH) !== null;
}

/** Whether a copy or paste is not about steps: in a field, outside of the graph, or with a selected text. */
export function isElsewhere(event: Event): boolean {
  const target = event.target instanceof Element ? event.target : document.body;
  return target.closest(TYPED_IN) !== null || !isOnGraph(target) || (document.getSelection()?.toString() ?? "") !== "";
}
