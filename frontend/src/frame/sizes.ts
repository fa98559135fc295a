/** How wide and high the panels around the canvas are, and which are closed: kept in the browser, for each person. */

import { set, state } from "../store";

export type Side = "left" | "right" | "bottom";

export interface Panel {
  /** In pixels; null: as the page has it. */
  size: number | null;
  isClosed: boolean;
}

export type Panels = Record<Side, Panel>;

export const LEAST: Record<Side, number> = { left: 180, right: 280, bottom: 120 };
/** So much of the window a panel may take. */
const MOST = 0.45;

const keyOf = (person: string) => `handoff-panels:${person}`;

export function most(side: Side): number {
  return Math.max(LEAST[side], Math.round((side === "bottom" ? window.innerHeight : window.innerWidth) * MOST));
}

export function keptPanels(person: string): Panels {
  let kept: Partial<Record<Side, Partial<Panel>>> = {};
  try {
    kept = (JSON.parse(localStorage.getItem(keyOf(person)) ?? "{}") ?? {}) as typeof kept;
  } catch {
    // Nothing is kept then.
  }
  const of = (side: Side): Panel => {
    const size = kept[side]?.size;
    return { size: typeof size === "number" ? size : null, isClosed: kept[side]?.isClosed === true };
  };
  return { left: of("left"), right: of("right"), bottom: of("bottom") };
}

/** Makes a panel so wide or high, or closes or opens it. */
export function setPanel(side: Side, to: Partial<Panel>): void {
  const { panels, boot } = state();
  const size = typeof to.size === "number" ? Math.min(most(side), Math.max(LEAST[side], Math.round(to.size))) : to.size;
  const next = { ...panels, [side]: { ...panels[side], ...to, ...(size === undefined ? {} : { size }) } };
  set({ panels: next });
  try {
    localStorage.setItem(keyOf(boot.me), JSON.stringify(next));
  } catch {
    // The storage is full or shut: then they are so until the page is left.
  }
}

export function togglePanel(side: Side): void {
  setPanel(side, { isClosed: !state().panels[side].isClosed });
}

/** Puts the sizes on the page. */
export function showPanels(root: HTMLElement): void {
  const { panels } = state();
  for (const side of ["left", "right", "bottom"] as const) {
    const { size, isClosed } = panels[side];
    if (size === null) root.style.removeProperty(`--${side}`);
    else root.style.setProperty(`--${side}`, `${size}px`);
    root.toggleAttribute(`data-no-${side}`, isClosed);
  }
}
