// The list of runs: keys go through its rows, what is selected outlives changes, a panel shows a run beside the list, and
// runs that come while somebody reads are announced instead of moving what is before them.

import { loggedOut, toast } from "./toasts.js";

const TYPING = "input, textarea, select, [contenteditable]";
const picked = new Set();
let anchor = null;

const list = () => document.getElementById("runs");
const rows = () => [...document.querySelectorAll("#runs tr[data-run]")];
const boxOf = (row) => row?.querySelector(".pick input");
const linkOf = (row) => row?.querySelector(".what a");
const here = () => document.activeElement?.closest?.("#runs tr[data-run]");
const panel = () => document.getElementById("preview");

function count() {
  const form = document.getElementById("bulk");
  const shown = rows();
  for (const row of shown) {
    const box = boxOf(row);
    if (!box) continue;
    box.checked = picked.has(row.dataset.run);
    row.toggleAttribute("data-picked", box.checked);
  }
  const chosen = shown.filter((row) => picked.has(row.dataset.run)).length;
  const all = document.querySelector("#runs [data-pick-all]");
  if (all) {
    all.checked = chosen > 0 && chosen === shown.length;
    all.indeterminate = chosen > 0 && !all.checked;
  }
  if (!form) return;
  const matching = form.querySelector("[data-all-matching]");
  form.classList.toggle("some", chosen > 0);
  const words = matching?.checked ? "All that match" : `${chosen} selected`;
  document.getElementById("bulk-count").textContent = chosen ? words : "";
}

function pick(row, on) {
  if (on) picked.add(row.dataset.run);
  else picked.delete(row.dataset.run);
  anchor = row.dataset.run;
  count();
}

function unselect() {
  picked.clear();
  const matching = document.querySelector("#bulk [data-all-matching]");
  if (matching) matching.checked = false;
  count();
}

function go(by) {
  const all = rows();
  if (!all.length) return;
  const at = all.indexOf(here());
  const row = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  linkOf(row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  if (!panel().hidden) preview(row);
}

function select(ranging) {
  const row = here() ?? rows()[0];
  if (!boxOf(row)) return;
  linkOf(row).focus({ preventScroll: true });
  const all = rows();
  const from = all.findIndex((one) => one.dataset.run === anchor);
  if (!ranging || from < 0) return pick(row, !picked.has(row.dataset.run));
  const to = all.indexOf(row);
  for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) picked.add(one.dataset.run);
  pick(row, true);
}

let asked = 0;
async function preview(row) {
  const button = row?.querySelector("[data-preview]");
  if (!button) return;
  asked += 1;
  const mine = asked;
  try {
    const answer = await fetch(button.dataset.preview);
    if (answer.status === 401) return loggedOut();
    if (!answer.ok) throw new Error(answer.status);
    const text = await answer.text();
    if (mine !== asked) return;
    const box = panel();
    box.innerHTML = text;
    box.hidden = false;
    for (const one of rows()) one.toggleAttribute("data-previewed", one === row);
  } catch {
    toast("This run could not be shown here. Open it instead.", "bad");
  }
}

function closePreview() {
  const row = rows().find((one) => one.hasAttribute("data-previewed"));
  asked += 1;
  panel().hidden = true;
  panel().replaceChildren();
  row?.removeAttribute("data-previewed");
  if (row && !here()) linkOf(row).focus({ preventScroll: true });
}

function togglePreview(row) {
  if (!row) return;
  if (!panel().hidden && row.hasAttribute("data-previewed")) closePreview();
  else preview(row);
}

document.addEventListener("change", (event) => {
  const row = event.target.closest("#runs tr[data-run]");
  if (row && event.target.matches(".pick input")) pick(row, event.target.checked);
  else if (event.target.matches("#runs [data-pick-all]")) {
    for (const one of rows())
      if (event.target.checked) picked.add(one.dataset.run);
      else picked.delete(one.dataset.run);
    count();
  } else if (event.target.matches("[data-all-matching]")) count();
});

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("[data-preview]")) togglePreview(at("tr[data-run]"));
  else if (at("[data-close-preview]")) closePreview();
  else if (at("[data-unselect]")) unselect();
  else if (at("[data-show-new]")) showNew();
  else if (at("[data-more-filters]")) unfold(at("[data-more-filters]"));
});

/** On a narrow page all filters but the text are folded away. */
function unfold(button) {
  const shown = document.getElementById("more-filters").classList.toggle("shown");
  button.setAttribute("aria-expanded", shown);
}

let went = -Infinity;
document.addEventListener("keydown", (event) => {
  const { key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const isBox = event.target.matches("input[type=checkbox]") && event.target.closest("#runs");
  if (event.target.closest(TYPING) && !isBox) return;
  if (key === "Escape") {
    if (event.target.closest("details.menu[open]")) return;
    if (!panel().hidden) closePreview();
    else if (picked.size) unselect();
    return;
  }
  // `g` goes elsewhere with the key that follows: that is none of ours.
  const isSecond = event.timeStamp - went < 1500;
  went = key === "g" ? event.timeStamp : -Infinity;
  if (isSecond) return;
  if (key === "j") go(1);
  else if (key === "k") go(-1);
  else if (key === "x") select(false);
  else if (key === "X") select(true);
  else if (key === " " && here() && event.target.matches(".what a")) {
    event.preventDefault();
    togglePreview(here());
  }
});

// What has come since: the first page as it would be now, until its reader wants it or is not at it.
let waiting = null;

function isRead() {
  return scrollY > 40 || picked.size > 0 || !panel().hidden || here() || list().matches(":hover");
}

function announce(number) {
  const line = document.getElementById("arrived");
  line.hidden = number === 0;
  line.querySelector("button").textContent = number ? `Show ${number} new run${number === 1 ? "" : "s"}` : "";
}

function showNew() {
  if (!waiting) return;
  Idiomorph.morph(list(), waiting, { morphStyle: "outerHTML" });
  waiting = null;
  announce(0);
  htmx.process(list());
  count();
  linkOf(rows()[0])?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = event;
  if (detail.target.id !== "runs" || detail.xhr.status !== 200) return;
  const known = new Map(rows().map((row) => [row.dataset.run, row]));
  const come = new DOMParser().parseFromString(detail.serverResponse, "text/html");
  const fresh = [...come.querySelectorAll("tr[data-run]")];
  const added = fresh.filter((row) => !known.has(row.dataset.run));
  // Where more was loaded, the first page would take it away.
  const isLonger = known.size > fresh.length;
  if (!known.size || (!isLonger && !(added.length && isRead()))) {
    waiting = null;
    return announce(0);
  }
  detail.shouldSwap = false;
  for (const row of fresh) {
    const old = known.get(row.dataset.run);
    if (old) Idiomorph.morph(old, row.outerHTML, { morphStyle: "outerHTML" });
  }
  waiting = added.length ? detail.serverResponse : null;
  announce(added.length);
  count();
});

// At once: until all has settled somebody may have sent the form, with nothing selected.
document.body.addEventListener("htmx:afterSwap", count);
// Who was faster than this script has selected some already.
for (const row of rows()) if (boxOf(row)?.checked) picked.add(row.dataset.run);
count();
