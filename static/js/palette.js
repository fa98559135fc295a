// Ctrl K: the page's own links and actions at once, what the server finds (workflows, runs) as it comes.

import { loggedOut } from "./toasts.js";

const WAIT = 150;
const LONGEST = 5_000;

export function palette(dialog) {
  if (!dialog) return;
  const ask = dialog.querySelector("input");
  const list = dialog.querySelector("ul");
  let timer = 0;
  let asked = 0;
  // What the server is asked now; settled when its answer is shown.
  let answered = Promise.resolve();
  let isMoved = false;

  function here() {
    const found = [...document.querySelectorAll(".nav a, [data-command]")];
    const named = found.map((item) => [item.dataset.command || item.textContent.trim(), item]);
    // What stands on a page twice is offered once.
    return [...new Map(named)].map(([name, item]) => ({ name, run: () => item.click() }));
  }

  function show(items) {
    list.replaceChildren(
      ...items.map((item, place) => {
        const row = document.createElement("li");
        row.role = "option";
        row.id = `palette-${place}`;
        row.textContent = item.name;
        if (item.about) row.append(Object.assign(document.createElement("small"), { textContent: item.about }));
        row.addEventListener("click", () => choose(row));
        row.go = item.run ?? (() => location.assign(item.url));
        return row;
      }),
    );
    if (!items.length)
      list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found", className: "quiet" }));
    mark(list.querySelector("[role=option]"));
  }

  function mark(row) {
    marked()?.removeAttribute("aria-selected");
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
    ask.setAttribute("aria-activedescendant", row?.id ?? "");
  }

  function choose(row) {
    dialog.close();
    row.go();
  }

  const marked = () => list.querySelector("[aria-selected=true]");
  const typed = () => ask.value.trim().toLowerCase();

  /** What a part of the page has to offer for what is typed: it adds to `found`. */
  function offered() {
    const found = [];
    document.dispatchEvent(new CustomEvent("handoff:find", { detail: { search: typed(), found } }));
    return found;
  }

  const own = () => [...here().filter((item) => item.name.toLowerCase().includes(typed())), ...offered()];

  async function find() {
    clearTimeout(timer);
    timer = 0;
    const mine = ++asked;
    // As it is written: business keys are told apart by their case.
    const address = `${ask.dataset.find}?query=${encodeURIComponent(ask.value.trim())}`;
    try {
      const answer = await fetch(address, {
        headers: { accept: "application/json" },
        signal: AbortSignal.timeout(LONGEST),
      });
      if (answer.status === 401) loggedOut();
      const found = answer.ok ? (await answer.json()).results : [];
      if (mine !== asked) return;
      const at = isMoved ? marked()?.id : undefined;
      show([...own(), ...found]);
      if (at) mark(document.getElementById(at));
    } catch {
      // Offline: the page's own links are still there.
    }
  }

  /** The page's own links at once, and the server asked a little later. */
  function look() {
    clearTimeout(timer);
    asked += 1;
    isMoved = false;
    show(own());
    timer = typed() ? setTimeout(() => (answered = find()), WAIT) : 0;
  }

  /** What fits all that was typed: not what the list held when Enter came. */
  async function enter() {
    if (timer) answered = find();
    const text = ask.value;
    if (!isMoved) await answered;
    if (dialog.open && ask.value === text && marked()) choose(marked());
  }

  function move(row) {
    isMoved = true;
    mark(row);
  }

  ask.addEventListener("input", look);
  ask.addEventListener("keydown", (event) => {
    if (event.key === "Enter") enter();
    // A search field would only be emptied by it.
    else if (event.key === "Escape") dialog.close();
    else if (event.key === "ArrowDown") move(marked()?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === "ArrowUp") move(marked()?.previousElementSibling ?? list.lastElementChild);
    else return;
    event.preventDefault();
  });
  new MutationObserver(() => {
    if (!dialog.open) return;
    ask.value = "";
    look();
    ask.focus();
  }).observe(dialog, { attributeFilter: ["open"] });
}
