/** What is zoomed and scrolled: a board that only shows, in a view that has a height of its own or takes the board's. */

import type { Frame } from "./drawn";

const LEAST = 0.1;
const READABLE = 0.45;
const MOST = 1.5;
const STEP = 1.25;

/**
 * Buttons, Ctrl and the wheel zoom; the rest is scrolling. It fits its place until somebody zooms. What is smaller than
 * `readable` can't be read: of a large picture a part is shown first, and all of it on request. Gives what scrolls to a
 * place of the picture.
 */
export function zoomable(
  card: HTMLElement,
  view: HTMLElement,
  board: HTMLElement,
  frame: Frame,
  readable = READABLE,
): (left: number, top: number) => void {
  let fits = true;
  let least = readable;
  // A large picture stays as it is at first: it is laid out once.
  let scale = least;
  board.style.zoom = String(scale);
  const fitting = () => Math.min(view.clientWidth / frame.width, view.clientHeight / frame.height, 1);
  const zoom = (wanted: number, x = view.clientWidth / 2, y = view.clientHeight / 2) => {
    const next = Math.min(Math.max(wanted, LEAST), MOST);
    const [left, top] = [(view.scrollLeft + x) / scale, (view.scrollTop + y) / scale];
    if (next !== scale) board.style.zoom = String(next);
    scale = next;
    view.scrollTo(left * scale - x, top * scale - y);
  };
  // What is left below it is room for the buttons, and no reason to move it.
  const hidden = () => Math.max(frame.height * scale - view.clientHeight, 0);
  const lookAt = (left: number, top: number) => view.scrollTo(left, Math.min(top, hidden()));
  const fit = () => {
    fits = true;
    // As high as the picture is when it is as wide as there is room, within what the style sheet allows.
    const wide = Math.max(Math.min(view.clientWidth / frame.width, 1), least);
    view.style.height = `${Math.ceil(frame.height * wide)}px`;
    zoom(Math.max(fitting(), least));
    lookAt(view.scrollLeft, view.scrollTop);
  };
  const by: Record<string, () => void> = {
    in: () => zoom(scale * STEP),
    out: () => zoom(scale / STEP),
    full: () => zoom(1),
    fit: () => {
      least = LEAST;
      fit();
    },
  };
  card.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-zoom]");
    if (!button) return;
    fits = false;
    by[button.dataset.zoom ?? "fit"]();
  });
  view.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      fits = false;
      const { left, top } = view.getBoundingClientRect();
      zoom(scale * Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  new ResizeObserver(() => fits && fit()).observe(view);
  fit();
  lookAt(view.scrollLeft, hidden() / 2);
  return lookAt;
}
