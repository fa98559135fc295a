// The grid of a container's items: one stop for Tab, and arrow keys from square to square.

import { leave } from "./morph.js";

const SQUARE = ".item-grid a";
const squares = () => [...document.querySelectorAll(SQUARE)];

// Which square is the stop is known here alone.
leave((name, node) => name === "tabindex" && node.matches(SQUARE));

function stopAt(square) {
  for (const one of squares()) one.tabIndex = one === square ? 0 : -1;
}

/** Lets there be one stop: the square that has the focus or had it, or the one that is shown, or the first. */
function keepStop() {
  const all = squares();
  const stop =
    all.find((one) => one === document.activeElement) ??
    all.find((one) => one.hasAttribute("tabindex") && one.tabIndex === 0);
  stopAt(stop ?? all.find((one) => one.hasAttribute("aria-current")) ?? all[0]);
}

function columns(all) {
  const second = all.findIndex((one) => one.offsetTop > all[0].offsetTop);
  return second < 0 ? all.length : second;
}

function target(key, at, all) {
  const moves = {
    ArrowRight: () => at + 1,
    ArrowLeft: () => at - 1,
    ArrowDown: () => at + columns(all),
    ArrowUp: () => at - columns(all),
    Home: () => 0,
    End: () => all.length - 1,
  };
  return moves[key]?.();
}

document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(SQUARE) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const all = squares();
  const to = target(event.key, all.indexOf(event.target), all);
  if (to === undefined) return;
  event.preventDefault();
  all[to]?.focus();
});

document.addEventListener("focusin", (event) => {
  if (event.target.matches?.(SQUARE)) stopAt(event.target);
});

document.addEventListener("htmx:afterSettle", keepStop);
keepStop();
