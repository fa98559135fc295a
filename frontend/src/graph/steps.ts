/** The steps of a run on the picture of its definition, and which of its ways were taken. */

import type { Frame } from "../picture/drawn";

const GAP = 20;
const WIDTH = 240;
const HEIGHT = 72;

/**
 * Puts the steps of the list where the picture has them, below it those that are in no picture: what undoes others.
 * Gives how much higher the picture gets by these.
 */
export function putSteps(card: HTMLElement, picture: HTMLElement, frame: Frame): number {
  const places = new Map<string, HTMLElement>();
  for (const step of picture.querySelectorAll<HTMLElement>(".picture-step")) places.set(step.dataset.node ?? "", step);
  const perRow = Math.max(1, Math.floor(frame.width / (WIDTH + GAP)));
  let others = 0;
  for (const step of card.querySelectorAll<HTMLElement>(".graph-step")) {
    const shown = places.get(step.dataset.step ?? "");
    if (shown) {
      const { left, top, width, height } = shown.style;
      Object.assign(step.style, { left, top, width, height });
      if (shown.classList.contains("holds-steps")) step.dataset.holds = "";
      shown.hidden = true;
      continue;
    }
    const [column, row] = [others % perRow, Math.floor(others / perRow)];
    others += 1;
    Object.assign(step.style, {
      left: `${GAP + column * (WIDTH + GAP)}px`,
      top: `${frame.height + row * (HEIGHT + GAP)}px`,
      width: `${WIDTH}px`,
      height: `${HEIGHT}px`,
    });
  }
  return Math.ceil(others / perRow) * (HEIGHT + GAP);
}

const OVER = new Set(["COMPLETED", "FAILED", "SKIPPED", "CANCELLED"]);

/** Marks each way by what became of it: `taken`, `dead`, or neither as long as nobody knows. */
export function markWays(card: HTMLElement): void {
  const steps = new Map<string, HTMLElement>();
  for (const step of card.querySelectorAll<HTMLElement>(".graph-step")) steps.set(step.dataset.step ?? "", step);
  const taken = new Map<string, Set<string>>();
  for (const [id, step] of steps)
    if (step.dataset.taken) taken.set(id, new Set(JSON.parse(step.dataset.taken) as string[]));
  for (const line of card.querySelectorAll<SVGElement>("[data-from]")) {
    const { from = "", to = "" } = line.dataset;
    const source = steps.get(from);
    // What stands in a container has no rows of its own: its ways say nothing.
    const isOver = source !== undefined && OVER.has(source.dataset.status ?? "");
    const isTaken = taken.get(from)?.has(to) ?? false;
    line.classList.toggle("taken", isTaken);
    line.classList.toggle("dead", isOver && !isTaken);
  }
}
