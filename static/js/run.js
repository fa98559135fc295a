// Pages of runs: what is unfolded stays so while they follow, times count on.

import { loggedOut, toast } from "./toasts.js";
import "./look.js";
import { leave } from "./morph.js";

const TYPING = "input, textarea, select, [contenteditable]";

// Morphing gives elements the attributes that came; what a reader unfolded or pressed is theirs.
leave(
  (name, node) =>
    (name === "open" && node.matches("details")) || (name === "aria-pressed" && node.matches("[data-errors-only]")),
);

function spoken(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}

function tick() {
  for (const time of document.querySelectorAll("time[data-since], time[data-due], time[data-deadline]")) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    if (time.matches("[data-since]")) time.textContent = time.dataset.since + spoken(seconds);
    else if (time.matches("[data-deadline]")) {
      time.textContent = seconds < 0 ? `due in ${spoken(-seconds)}` : `overdue by ${spoken(seconds)}`;
      time.parentElement.classList.toggle("bad-text", seconds >= 0);
    } else time.textContent = seconds < 0 ? `in ${spoken(-seconds)}` : "now";
  }
}

function errorsOnly() {
  const button = document.querySelector("[data-errors-only]");
  if (!button) return toast("There is nothing to hide");
  const only = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", only);
  document.body.classList.toggle("errors-only", only);
}

async function copyFrom(address) {
  try {
    const answer = await fetch(address);
    if (answer.status === 401) return loggedOut();
    if (!answer.ok) throw new Error(answer.status);
    await navigator.clipboard.writeText(await answer.text());
    toast("Copied", "good");
  } catch {
    toast("This could not be copied. Download it instead.", "bad");
  }
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-errors-only]")) errorsOnly();
  const copied = event.target.closest("[data-copy-from]");
  if (copied) copyFrom(copied.dataset.copyFrom);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-tidy]")) {
    for (const field of form.elements) if (!field.value) field.disabled = true;
  }
});

// Back from the page that the form led to: its fields may be filled in again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-tidy]"))
    for (const field of form.elements) field.disabled = false;
});

document.addEventListener("keydown", (event) => {
  if (!document.getElementById("run") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest(TYPING) || document.querySelector("dialog[open]")) return;
  if (event.key === "e") errorsOnly();
});

document.body.addEventListener("htmx:afterSwap", tick);
setInterval(tick, 1000);
tick();
