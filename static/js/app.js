// What every page can do: dialogs, toasts, theme, copying, the palette, keys. Markup says what (data-…), nothing is inline.

import "./logout.js";
import { keepWhatIsTyped } from "./fields.js";
import { tellMoments } from "./moments.js";
import { palette } from "./palette.js";
import { fade, loggedOut, toast } from "./toasts.js";

const TYPING = "input, textarea, select, [contenteditable]";
const ASKED = "input:not([type=hidden], [type=checkbox], [type=radio]), textarea, select";
const THEMES = ["", "light", "dark"];
/** After so many milliseconds a screen reader knows a page's live regions, and tells what changes in them. */
export const HEARD = 300;

function open(selector) {
  const dialog = document.querySelector(selector);
  if (dialog && !dialog.open) {
    dialog.showModal();
    // What it asks for, not the button that closes it.
    if (!dialog.querySelector("[autofocus]")) dialog.querySelector(ASKED)?.focus();
  }
  return dialog;
}

async function copy(button) {
  const source = document.querySelector(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    toast("Copied", "good");
  } catch {
    toast("The browser did not let this page copy. Select the text and press Ctrl C.", "bad");
  }
}

function nextTheme() {
  const now = THEMES.indexOf(document.documentElement.dataset.theme ?? "");
  const next = THEMES[(now + 1) % THEMES.length];
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
  document.cookie = `theme=${next}; path=/; max-age=${next ? 31_536_000 : 0}; samesite=lax`;
  toast(next ? `Theme: ${next}` : "Theme: as your system");
}

async function takeFile(box, file) {
  const says = box.querySelector("[data-drop-says]");
  const text = box.querySelector("textarea");
  const before = text.value;
  if (file.size > 8 * 1024 * 1024) {
    says.textContent = `${file.name} has more than 8 MiB: too large for a run.`;
    return;
  }
  if (!file.size) {
    says.textContent = `${file.name} is empty; nothing was changed.`;
    return;
  }
  try {
    fill(text, new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
  } catch {
    says.textContent = `${file.name} is no text in UTF-8.`;
    return;
  }
  says.textContent = `${file.name} is in. `;
  if (!before) return;
  const undo = Object.assign(document.createElement("button"), {
    type: "button",
    className: "button plain small",
    textContent: "Undo",
  });
  undo.addEventListener("click", () => {
    fill(text, before);
    says.textContent = "What stood here before is back.";
    text.focus();
  });
  says.append(undo);
}

function fill(text, value) {
  text.value = value;
  text.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("[data-opens]")) open(at("[data-opens]").dataset.opens);
  else if (at("[data-closes]")) at("dialog")?.close();
  else if (at("[data-copy]")) copy(at("[data-copy]"));
  else if (at("[data-theme-switch]")) nextTheme();
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-drop-file]") && event.target.files[0]) {
    takeFile(event.target.closest("[data-drop]"), event.target.files[0]);
    // Else the same file, chosen again, would change nothing.
    event.target.value = "";
  }
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const box = event.target.closest?.("[data-drop]");
    if (!box || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    box.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files[0]) takeFile(box, event.dataTransfer.files[0]);
  });
}

document.addEventListener("focusout", (event) => {
  const menu = event.target.closest("details.menu[open]");
  if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
});

// A form that was sent is not sent again by a second click; back from the page that it led to, or where sending it was
// stopped, it may be.
const SENDING = 5_000;
let sent = new WeakSet();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post" || form.hasAttribute("hx-post")) return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
  setTimeout(() => sent.delete(form), SENDING);
});
addEventListener("pageshow", () => (sent = new WeakSet()));

// A page that the browser kept may be of a session that has ended since.
addEventListener("pageshow", async (event) => {
  const isBack = event.persisted || performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  if (!isBack || (await fetch("/find")).status !== 401) return;
  if (document.querySelector("main textarea")) loggedOut();
  else location.reload();
});

// Pages without a socket that follow ask at each tick: `hx-trigger="handoff:tick from:body"`; each second where what they
// wait for is soon over. A hidden page rests; when it is shown again it catches up.
const TICKS = { "handoff:tick": 5_000, "handoff:second": 1_000 };
for (const [name, ms] of Object.entries(TICKS)) {
  const tick = () => document.hidden || document.body.dispatchEvent(new CustomEvent(name));
  setInterval(tick, ms);
  document.addEventListener("visibilitychange", tick);
}

let went = -Infinity;
// On the window: what a page does with a key itself comes first.
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    open("#palette");
    return;
  }
  const menu = event.key === "Escape" && event.target.closest("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
    return;
  }
  if (event.defaultPrevented || event.target.closest(TYPING) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") open("#keys");
  else if (event.key === "/") {
    const search = document.querySelector("main input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  } else if (event.key === "g") went = event.timeStamp;
  else if (event.timeStamp - went < 1500) document.querySelector(`[data-go="${CSS.escape(event.key)}"]`)?.click();
});

document.body.addEventListener("htmx:configRequest", (event) => {
  const token = document.querySelector("meta[name=csrf]");
  if (token && event.detail.verb !== "get") event.detail.headers["X-CSRFToken"] = token.content;
});

/** Whether the page asked for something by itself: nobody waits for the answer to that (live.js asks again). */
export const isAutomatic = (detail) => "Handoff-Automatic" in detail.requestConfig.headers;

document.body.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if (status === 401) loggedOut();
  else if (!isAutomatic(event.detail) || status < 500)
    toast(
      status === 403 ? "You are not allowed to do this." : `The server answered ${status}. Nothing was changed.`,
      "bad",
    );
});
document.body.addEventListener(
  "htmx:afterOnLoad",
  (event) => event.detail.successful && document.getElementById("logged-out")?.remove(),
);
document.body.addEventListener(
  "htmx:sendError",
  (event) => isAutomatic(event.detail) || toast("The server can't be reached. Nothing was changed.", "bad"),
);
document.body.addEventListener("toast", (event) => toast(event.detail.text ?? event.detail.value, event.detail.kind));

// What the page came with is told a moment later, where screen readers hear it.
setTimeout(() => {
  const told = document.getElementById("told");
  const lines = [...(told?.children ?? [])];
  document.getElementById("toasts").append(...lines);
  lines.forEach(fade);
  told?.remove();
}, HEARD);

// What is wrong with a form that came back is where its reader goes on.
const wrong = location.hash ? null : document.querySelector("main [role=alert], main [aria-invalid=true]");
if (wrong?.matches("[role=alert]")) wrong.tabIndex = -1;
wrong?.focus();
palette(document.getElementById("palette"));

// "3 min ago" where how long ago says more than when; the moment itself is in the title that the page came with.
// A unit, its seconds, and from how many on it is used: "tomorrow" would be said of what is due in 47 hours.
const UNITS = [
  ["day", 86_400, 2 * 86_400],
  ["hour", 3600, 3600],
  ["minute", 60, 60],
];
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function tellAges() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const away = Math.abs(seconds);
    const [unit, size] = UNITS.find(([, , from]) => away >= from) ?? [];
    if (away > 30 * 86_400) continue;
    time.textContent = unit ? AGO.format(Math.trunc(seconds / size), unit) : seconds > 0 ? "in a moment" : "just now";
  }
}

/** Tabs, or a menu, that have no room beside each other are one line: where somebody is comes into sight. */
function showWhere() {
  for (const tab of document.querySelectorAll(":is(.tabs, .side > .nav) [aria-current]")) {
    const line = tab.closest(".tabs, .nav");
    const [inner, outer] = [tab.getBoundingClientRect(), line.getBoundingClientRect()];
    line.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }
}

showWhere();
tellAges();
setInterval(tellAges, 30_000);
document.body.addEventListener("htmx:afterSwap", tellAges);

keepWhatIsTyped();

tellMoments();
document.body.addEventListener("htmx:afterSwap", tellMoments);
