// The inbox: keys go through its list and act on the task that is open; a decision is taken up first, then made.

import { HEARD } from "./app.js";
import { toast } from "./toasts.js";

const TYPING = "input, textarea, select, [contenteditable]";
const chosen = () => document.querySelector("#chosen[data-chosen]");
const rows = () => [...document.querySelectorAll("#inbox-list [data-task]")].filter((row) => row.offsetParent);
const isShown = (row) => row.dataset.task === chosen()?.dataset.chosen;

/** Says something to screen readers. */
function say(text) {
  document.getElementById("inbox-said").textContent = text;
}

/** The list says which task is open, also where only one of the two was fetched. */
function mark() {
  for (const row of document.querySelectorAll("#inbox-list [data-task]")) {
    if (isShown(row)) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

/** Shows a row in the middle of its list, so that what comes after it can be seen, too; the page itself stays. */
function reveal(row) {
  const list = document.getElementById("inbox-list");
  if (!row) return;
  const [at, frame] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
  if (list.scrollHeight === list.clientHeight) row.scrollIntoView({ block: "nearest" });
  else if (at.top < frame.top || at.bottom > frame.bottom) list.scrollTop += at.top - frame.top - frame.height / 2;
}

function move(by, opens) {
  const all = rows();
  if (!all.length) return;
  const focused = opens ? -1 : all.indexOf(document.activeElement);
  const here = focused < 0 ? all.findIndex(isShown) : focused;
  const row = all[here < 0 ? 0 : Math.min(all.length - 1, Math.max(0, here + by))];
  row.focus({ preventScroll: true });
  reveal(row);
  if (opens && !isShown(row)) row.click();
}

// What is selected outlives a list that is fetched anew.
const picked = new Set();
let anchor = null;
let counted = "";
const boxes = () => [...document.querySelectorAll("#inbox-list .pick input")];

function count() {
  const form = document.getElementById("bulk");
  if (!form) return;
  for (const box of boxes()) box.checked = picked.has(box.value);
  const chosenNow = boxes().filter((box) => box.checked).length;
  form.classList.toggle("some", chosenNow > 0);
  const words = chosenNow ? `${chosenNow} selected` : "";
  document.getElementById("bulk-count").textContent = words;
  if (words !== counted) say(words);
  counted = words;
  const all = document.getElementById("pick-all");
  all.checked = chosenNow > 0 && chosenNow === boxes().length;
  all.indeterminate = chosenNow > 0 && !all.checked;
}

function pick(box, on) {
  if (on) picked.add(box.value);
  else picked.delete(box.value);
  anchor = box.value;
  count();
}

function select(ranging) {
  const at = rows().find((row) => row === document.activeElement) ?? rows().find(isShown) ?? rows()[0];
  const box = at?.closest("li").querySelector(".pick input");
  if (!box) return;
  at.focus();
  const all = boxes();
  const from = all.findIndex((one) => one.value === anchor);
  if (!ranging || from < 0) return pick(box, !box.checked);
  const to = all.indexOf(box);
  for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) picked.add(one.value);
  pick(box, true);
}

document.addEventListener("change", (event) => {
  if (event.target.matches(".pick input")) pick(event.target, event.target.checked);
  if (event.target.matches("[data-pick-all]")) {
    for (const box of boxes())
      if (event.target.checked) picked.add(box.value);
      else picked.delete(box.value);
    count();
  }
});

/** Folds away, or shows, what stands beside the task; the next page comes as this one was left. */
function foldContext(button) {
  const panes = button.closest(".inbox-panes");
  const isAlone = panes.classList.toggle("alone");
  button.setAttribute("aria-expanded", String(!isAlone));
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it, and the cookie store is not in every browser
  document.cookie = `context=${isAlone ? "no" : "yes"}; path=/inbox/; max-age=31536000; samesite=lax`;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-context]");
  if (button) foldContext(button);
});

function staged() {
  return document.querySelector("[data-label][aria-pressed=true]");
}

function stage(button) {
  const says = document.getElementById("consequence");
  for (const one of document.querySelectorAll(".decision-bar [data-label]")) one.removeAttribute("aria-pressed");
  if (says) says.hidden = !button;
  if (!button) return;
  button.setAttribute("aria-pressed", "true");
  const keys = [document.createElement("kbd"), document.createElement("kbd")];
  keys[0].textContent = "Ctrl";
  keys[1].textContent = "Enter";
  const label = document.createElement("strong");
  label.textContent = button.dataset.label;
  says.replaceChildren(
    label,
    `: ${button.dataset.then} `,
    keys[0],
    " ",
    keys[1],
    " decides, ",
    Object.assign(document.createElement("kbd"), { textContent: "Esc" }),
    " leaves it.",
  );
}

/** A link of a mail names the outcome that is taken up; it decides nothing. */
function stageNamed() {
  const name = new URLSearchParams(location.search).get("outcome");
  const button = [...document.querySelectorAll(".decision-bar [data-label]")].find((one) => one.value === name);
  if (name && button) stage(button);
}

stageNamed();

function commit() {
  const button = staged();
  if (button?.offsetParent) button.click();
  else if (document.querySelector(".decision-bar")) toast("Take up an outcome first: a, r or its number");
}

function back() {
  if (staged()) return stage(null);
  const row = rows().find(isShown);
  if (row) row.focus();
  else chosen()?.querySelector("[data-back]")?.click();
}

function press(key) {
  const button = chosen()?.querySelector(`[data-key="${key}"]`);
  if (!button?.offsetParent) return;
  button.click();
  if (key === "s") button.parentElement.querySelector("form button")?.focus();
}

function write(id) {
  const field = document.getElementById(id);
  if (!field?.offsetParent) return;
  field.focus();
  field.scrollIntoView({ block: "center" });
}

function unfold(selector, id) {
  const details = document.querySelector(selector);
  if (!details) return;
  details.open = true;
  write(id);
}

/** Whoever let go of a field goes on with the list or the task in which it stands. */
function letGo(field) {
  field.blur();
  const list = field.closest("#inbox-list");
  (list ? (rows().find(isShown) ?? rows()[0]) : document.getElementById("task-title"))?.focus({ preventScroll: true });
}

function act(event) {
  const { key } = event;
  // What a key leads to must not get the key, too.
  if ("mit".includes(key)) event.preventDefault();
  if (key === "j") move(1);
  else if (key === "k") move(-1);
  else if (key === "x") select(false);
  else if (key === "X") select(true);
  else if (key === "]") move(1, true);
  else if (key === "[") move(-1, true);
  else if (/^[ar1-9]$/.test(key)) {
    const button = document.querySelector(`[data-stage~="${key}"]`);
    if (button?.offsetParent) stage(button);
  } else if (key === "c" || key === "s" || key === "w") press(key);
  else if (key === "z") document.querySelector("#held [data-undo]")?.click();
  else if (key === "i") write("text");
  else if (key === "t") unfold(".give:has(#to)", "to");
  else if (key === "m") write("text");
  else if (key === "Escape") back();
}

// A form is shown anew while somebody types on: what stands in the field that they are in is theirs.
window.Idiomorph.defaults.ignoreActiveValue = true;

/** What can still be undone says for how long; when that is over, it counts, and the server says so. */
function countDown() {
  for (const says of document.querySelectorAll("#held [data-until]")) {
    const left = Math.ceil((Date.parse(says.dataset.until) - Date.now()) / 1000);
    says.textContent = `${says.dataset.counts} ${left > 0 ? `in ${left} s` : "now"}`;
    says.closest(".undo").toggleAttribute("data-over", left <= 0);
  }
}
setInterval(countDown, 500);
countDown();

// Nobody hears what is said by a page that waits for the next one.
let isLeft = false;
addEventListener("submit", (event) => {
  isLeft = !event.defaultPrevented;
});

/** What can be undone, or did not count, is said to screen readers, unless it was said before. */
function tellHeld(which) {
  if (isLeft) return;
  const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.dataset.says);
  const there = texts("#held [data-says]");
  const before = JSON.parse(sessionStorage.getItem("held") ?? "[]").filter((text) => there.includes(text));
  const isNew = texts(which).filter((text) => !before.includes(text));
  sessionStorage.setItem("held", JSON.stringify([...before, ...isNew]));
  if (isNew.length) say(isNew.join(" "));
}
setTimeout(tellHeld, HEARD, "#held [data-says]");

// What was typed within the last second is kept, too, when its page is left; what is sent is kept by that.
let unsaved = null;
const leave = () => {
  if (!unsaved) return;
  const typed = new FormData(unsaved.form);
  typed.delete("password");
  for (const [name, value] of [...typed]) if (value instanceof File) typed.delete(name);
  navigator.sendBeacon(unsaved.address, typed);
  unsaved = null;
};
document.addEventListener("input", (event) => {
  const form = event.target.closest("#decide");
  const state = document.getElementById("draft-state");
  if (form && state) unsaved = { form, address: state.getAttribute("hx-post") };
});
document.addEventListener("submit", (event) => {
  if (event.target.id === "decide") unsaved = null;
});
document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.id === "draft-state") unsaved = null;
});
document.body.addEventListener("htmx:beforeSwap", (event) => event.detail.target.id === "chosen" && leave());
addEventListener("pagehide", leave);

let went = -Infinity;
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    event.preventDefault();
    // In a form beside the decision it sends that form, whatever is taken up.
    if (event.target.matches("textarea, input") && event.target.closest("#chosen form:not(#decide)"))
      return event.target.form.requestSubmit();
    return commit();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && event.target.closest("details.menu[open]")) return;
  if (event.target.closest(TYPING)) {
    if (event.key === "Escape") letGo(event.target);
    return;
  }
  // `g r` goes to the runs: its second key is none of ours.
  const isSecond = event.timeStamp - went < 1500;
  went = event.key === "g" ? event.timeStamp : -Infinity;
  if (!isSecond) act(event);
});

document.body.addEventListener("htmx:afterSettle", (event) => {
  mark();
  measure();
  // What was just decided is told by the page that comes then: this one is about to go.
  tellHeld("#held .notice [data-says]");
  if (event.detail.target?.id === "bulk-review") document.getElementById("bulk-dialog").showModal();
  if (event.detail.target?.id === "chosen" || event.detail.elt?.id === "chosen")
    document.getElementById("task-title")?.focus({ preventScroll: true });
});
document.body.addEventListener("htmx:afterSwap", () => {
  // At once: until all has settled somebody may have sent the form, with nothing selected. The list comes by morphing,
  // of which nothing is left to settle.
  count();
  countDown();
});

// How high the bar is that decides: what is over the page lies above it.
let measured = null;
const watch = new ResizeObserver(([one]) =>
  document.documentElement.style.setProperty("--bar", `${one.target.offsetHeight}px`),
);
function measure() {
  const bar = document.querySelector(".decision-bar");
  if (bar === measured) return;
  watch.disconnect();
  measured = bar;
  if (bar) watch.observe(bar);
  else document.documentElement.style.removeProperty("--bar");
}

mark();
// Who was faster than this script has selected some already.
for (const box of boxes()) if (box.checked) picked.add(box.value);
count();
measure();
// What was sent and came back is still taken up: its keys go on once what it lacked is there.
stage(document.querySelector("[data-tried]"));
reveal(rows().find(isShown));
// Who acted here goes on here, not at the head of the page.
const came = document.referrer.startsWith(`${location.origin}/inbox/`) && document.activeElement === document.body;
const places = [location.hash.slice(1), "task-title", "list-title"];
if (came)
  places
    .map((id) => document.getElementById(id))
    .find(Boolean)
    ?.focus({ preventScroll: true });
