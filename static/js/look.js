// How a run is looked at: links `[data-look]` select a step or an event, and the page changes in place; keys do the same.
// What is looked at stands in the address, and whatever is asked of the run is asked of that.

import { toast } from "./toasts.js";
import { keep, leave } from "./morph.js";

const TYPING = "input:not([type=range]), textarea, select, [contenteditable]";
const DRAWN = "[data-run-graph]";
const SETTLED = 120; // ms without another event chosen on the range

// What a script has drawn, and where it has put things, is not the server's. Of a large graph few steps change at a time:
// of those that the page has already (`Handoff-Seen`) there comes an empty element.
keep((node, next) => {
  if (!node.dataset) return false;
  if ("kept" in node.dataset) return true;
  return "as" in node.dataset && (!next.firstElementChild || node.dataset.as === next.dataset.as);
});
leave(
  (name, node) =>
    ((name === "style" || name === "data-holds" || name === "data-drawn") && node.closest?.(DRAWN)) ||
    (name === "value" && node.matches("[data-scrub-range]") && node === document.activeElement),
);

const here = () => location.pathname + location.search;
const place = () => document.getElementById("look");

/** Shows what an address asks for. */
function look(address) {
  history.replaceState(history.state, "", address);
  window.htmx.ajax("GET", here(), { source: "#run", target: "#run", swap: "morph:outerHTML" });
}

/** A step that looks different from what the server said of it is taken from it again. */
function mark(part, as) {
  const step = part?.closest("[data-as]");
  if (step) step.dataset.as = as;
}

function select(node) {
  const { toStep } = place().dataset;
  for (const link of document.querySelectorAll(".look-view [aria-current]")) {
    link.removeAttribute("aria-current");
    mark(link, "?");
  }
  // In the graph, and in the timeline below it.
  const all = [...document.querySelectorAll(".look-view [data-step]")].filter((step) => step.dataset.step === node);
  for (const step of all) {
    step.querySelector("a")?.setAttribute("aria-current", "true");
    mark(step, "?");
  }
  const chosen = all[0];
  place().dataset.selected = node;
  chosen?.scrollIntoView({ block: "nearest", inline: "nearest" });
  document.getElementById("look-told").textContent = chosen?.querySelector("strong, a")?.textContent ?? node;
  look(`${toStep}&step=${encodeURIComponent(node)}`);
}

/** Also where what is known of the selected step is still on its way, and with it the link that does the same. */
function unselect() {
  if (!new URLSearchParams(location.search).has("step")) return;
  place().dataset.selected = "";
  look(place().dataset.toStep);
}

const listed = (name) => JSON.parse(place().dataset[name]);

/** The step behind or before the selected one; with `only`, among these. */
function step(by, only) {
  const all = listed("nodes");
  const nodes = only ? all.filter((node) => only.includes(node)) : all;
  if (!nodes.length) return toast("No step failed");
  const at = all.indexOf(place().dataset.selected);
  const next = by > 0 ? nodes.find((node) => all.indexOf(node) > at) : nodes.findLast((node) => all.indexOf(node) < at);
  // Behind the last failure comes the first one again.
  const node = next ?? (only ? nodes[0] : undefined);
  if (node !== undefined) select(node);
}

function scrub(way) {
  document.querySelector(`[data-scrub=${way}]`)?.click();
}

function pause() {
  const isPaused = document.body.toggleAttribute("data-paused");
  // Not where the socket says how it is: each of its beats would take this away.
  const state = document.querySelector("[data-paused-state]");
  state.textContent = isPaused ? "The page follows no more. Press . to follow again." : "";
  state.hidden = !isPaused;
  if (!isPaused) look(here());
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  n: () => step(1, listed("failing")),
  "[": () => scrub("back"),
  "]": () => scrub("forth"),
  ".": pause,
  "=": () => location.assign(document.getElementById("run").dataset.compare),
  Escape: unselect,
};

document.addEventListener("keydown", (event) => {
  if (!place() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest(TYPING) || document.querySelector("dialog[open], details.menu[open]")) return;
  const view = document.querySelector(`[data-view-key="${CSS.escape(event.key)}"]`);
  if (view) return view.click();
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-look]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const node = link.closest("[data-step]")?.dataset.step;
  if (node === undefined) look(link.getAttribute("href").replace(/#.*/, ""));
  else select(node);
});

const OVER = ["COMPLETED", "FAILED", "SKIPPED", "CANCELLED"];

const isFollowing = () =>
  document.getElementById("run")?.hasAttribute("hx-get") && !document.body.hasAttribute("data-paused");

/** Shows what became of steps until the page reads it. Several processes tell, so what is over stays over until then. */
function show(nodes) {
  const marks = document.getElementById("step-marks")?.content;
  if (!marks || !isFollowing()) return;
  for (const step of document.querySelectorAll(".graph-step[data-as]:not([data-inner])")) {
    const status = nodes[step.dataset.step];
    const mark = status && marks.querySelector(`[data-of="${CSS.escape(status)}"]`);
    if (!mark || step.dataset.status === status) continue;
    if (OVER.includes(step.dataset.status) && !OVER.includes(status)) continue;
    step.dataset.status = status;
    step.toggleAttribute("data-failed", status === "FAILED");
    step.querySelector(".graph-status").replaceWith(mark.cloneNode(true));
    step.dataset.as = "?";
  }
}

/** Shows that the run is over, until the page reads the rest of it. */
function end(status) {
  const mark = document.getElementById("run-marks")?.content.querySelector(`[data-status="${CSS.escape(status)}"]`);
  if (mark && isFollowing()) document.querySelector("#run h1 .status")?.replaceWith(mark.cloneNode(true));
}

document.body.addEventListener("handoff:told", ({ detail }) => {
  show(detail.nodes);
  if (detail.status) end(detail.status);
});

let settling;
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-scrub-range]")) return;
  const { value, max } = event.target;
  clearTimeout(settling);
  settling = setTimeout(() => {
    const { toEvent } = place().dataset;
    look(value === max ? toEvent : `${toEvent}&at=${value}`);
  }, SETTLED);
});

// A notice of a change may have waited while something else was looked at.
document.body.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id !== "run") return;
  event.detail.path = here();
  const { seen, selected } = place().dataset;
  if (seen) event.detail.headers["Handoff-Seen"] = `${seen} ${encodeURIComponent(selected)}`;
});

document.body.addEventListener("htmx:beforeRequest", (event) => {
  const isNotice = event.detail.requestConfig.triggeringEvent?.type === "handoff:changed";
  if (isNotice && event.target.id === "run" && document.body.hasAttribute("data-paused")) event.preventDefault();
});

// What was on its way when something else was chosen shows what was chosen before.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.target.id === "run" && event.detail.requestConfig.path !== here()) event.detail.shouldSwap = false;
});

/** On a narrow page what is known of the step lies below its view. */
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.requestConfig?.triggeringEvent?.type === "handoff:changed") return;
  const inspector = document.getElementById("inspector");
  if (inspector && inspector.getBoundingClientRect().top > innerHeight) inspector.scrollIntoView({ block: "nearest" });
});
