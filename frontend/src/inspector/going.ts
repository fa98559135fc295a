/** Going through the form by keys: from part to part, to what is still to be said, and back to the step. */

import { wantFocus } from "../store";

const PARTS = ".insp-head, .insp-part, .insp-section";
/** What is typed or chosen in; of a field without one its first button, such as the one that adds a row. */
const CONTROLS = ["[data-starts]", "input:not([type=hidden]), select, textarea, .cm-content", "button"];
const STOPS = "summary, input:not([type=hidden]), select, textarea, .cm-content, button";
/** Where Enter begins no new line and presses nothing. */
const LINES = "input, select";

function isUsable(field: HTMLElement): boolean {
  // Tab goes to the one of several that is chosen, too.
  const isOneOfSeveral = field instanceof HTMLInputElement && field.type === "radio" && !field.checked;
  return !isOneOfSeveral && !field.matches(":disabled, [tabindex='-1']") && !field.closest("[hidden], .insp-label .fx");
}

function first(within: Element, selector: string): HTMLElement | undefined {
  return [...within.querySelectorAll<HTMLElement>(selector)].find(isUsable);
}

/** The controls of the fields that must be filled in and are empty, from top to bottom. */
export function emptyFields(pane: Element): HTMLElement[] {
  return [...pane.querySelectorAll("[data-empty]")].flatMap((field) => {
    for (const selector of CONTROLS) {
      const found = [...field.querySelectorAll<HTMLElement>(selector)].find(
        (each) => isUsable(each) && !each.closest(".insp-label"),
      );
      if (found) return [found];
    }
    return [];
  });
}

/** The first control of the field that problems name so, or of the one around it, which is opened if it is closed. */
export function controlOf(pane: Element, field: string | undefined): HTMLElement | undefined {
  if (!field) return undefined;
  const around = [...pane.querySelectorAll<HTMLElement>("[data-field]")].filter(({ dataset: { field: own = "" } }) =>
    own.length < field.length ? [".", "["].includes(field[own.length]) && field.startsWith(own) : own === field,
  );
  const nearest = around.at(-1);
  if (!nearest) return undefined;
  for (let box = nearest.closest("details"); box; box = box.parentElement?.closest("details") ?? null) box.open = true;
  return CONTROLS.map((each) => first(nearest, each)).find((each) => each !== undefined);
}

/** To where the next part of the form begins, or the one before. False where there is none: then the key is the browser's. */
function goToPart(pane: Element, by: 1 | -1): boolean {
  const parts = [...pane.querySelectorAll<HTMLElement>(PARTS)].filter((part) => !part.parentElement?.closest(PARTS));
  const now = parts.findIndex((part) => part.contains(document.activeElement));
  for (let at = now + by; at >= 0 && at < parts.length; at += by) {
    const start = first(parts[at], STOPS);
    if (!start) continue;
    start.focus();
    parts[at].scrollIntoView({ block: "nearest" });
    return true;
  }
  return false;
}

let cameFrom: "outline" | "canvas" = "outline";

/** Remembers whether somebody works on the canvas or in the outline. */
export function noteFocus({ target }: Event): void {
  if (!(target instanceof Element)) return;
  if (target.closest(".react-flow")) cameFrom = "canvas";
  else if (target.closest(".builder-left")) cameFrom = "outline";
}

/** Out of the form, to the step where one was. */
function goBack(): void {
  const selector = ".react-flow__node.selected, .react-flow__edge.selected";
  const there = cameFrom === "canvas" ? document.querySelector<HTMLElement>(selector) : null;
  if (there) there.focus();
  else wantFocus("outline");
}

/** To the next field that must be filled in and is empty, below or from the top again; where none is, back. */
export function goOn(pane: Element): void {
  const here = document.activeElement;
  const all = emptyFields(pane).filter((field) => field !== here);
  const isBelow = (field: HTMLElement) =>
    here !== null && (here.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const next = all.find(isBelow) ?? all[0];
  if (next) next.focus();
  else goBack();
}

/** What a key does in the form; false where that is not the form's matter. */
export function goes(name: string, target: Element): boolean {
  const pane = target.closest(".inspector");
  if (!pane || target.closest("dialog")) return false;
  if (name === "F6" || name === "Shift+F6") return goToPart(pane, name === "F6" ? 1 : -1);
  if (name !== "Ctrl+Enter" && !(name === "Enter" && target.matches(LINES))) return false;
  goOn(pane);
  return true;
}
