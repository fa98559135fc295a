/** The steps of a run on the picture of its definition, and which of its ways were taken. */

import type { Frame } from "../picture/drawn";

const GAP = 20;
const WIDTH = 240;
const HEIGHT = 72;

/** Where a step stands on the board; `holds`: others stand in it. */
export interface Spot {
  left: string;
  top: string;
  width: string;
  height: string;
  holds: boolean;
}

/** Takes the cards out of the picture for which the list has steps, and gives where they stood. */
export function takeSpots(card: HTMLElement, picture: HTMLElement): Map<string, Spot> {
  const listed = new Set([...stepsOf(card)].map((step) => step.dataset.step));
  const spots = new Map<string, Spot>();
  for (const shown of picture.querySelectorAll<HTMLElement>(".picture-step")) {
    const { node = "" } = shown.dataset;
    if (!listed.has(node)) continue;
    const { left, top, width, height } = shown.style;
    spots.set(node, { left, top, width, height, holds: shown.classList.contains("holds-steps") });
    shown.remove();
  }
  return spots;
}

const stepsOf = (card: HTMLElement) => card.querySelectorAll<HTMLElement>(".graph-step");

/**
 * Puts the steps of the list where the picture has them, below it those that are in no picture: what undoes others.
 * Gives how much higher the picture gets by these.
 */
export function putSteps(card: HTMLElement, spots: Map<string, Spot>, frame: Frame): number {
  const perRow = Math.max(1, Math.floor(frame.width / (WIDTH + GAP)));
  let others = 0;
  for (const step of stepsOf(card)) {
    const spot = spots.get(step.dataset.step ?? "");
    if (spot) {
      const { holds, ...place } = spot;
      if (!step.style.left) Object.assign(step.style, place);
      if (holds) step.dataset.holds = "";
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
  // What stands in a container has many rows, one for each item: its ways say nothing.
  for (const step of stepsOf(card)) if (step.dataset.inner === undefined) steps.set(step.dataset.step ?? "", step);
  const taken = new Map<string, Set<string>>();
  for (const [id, step] of steps)
    if (step.dataset.taken) taken.set(id, new Set(JSON.parse(step.dataset.taken) as string[]));
  for (const line of card.querySelectorAll<SVGElement>("[data-from]")) {
    const { from = "", to = "" } = line.dataset;
    const source = steps.get(from);
    const status = source?.dataset.status ?? "";
    // Of what completed behind the events that are known nobody knows which ways it took.
    const isOver = OVER.has(status) && (status !== "COMPLETED" || taken.has(from));
    const isTaken = taken.get(from)?.has(to) ?? false;
    line.classList.toggle("taken", isTaken);
    line.classList.toggle("dead", isOver && !isTaken);
  }
}
