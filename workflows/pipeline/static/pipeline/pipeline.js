// The pipeline form: what its buttons do without a round trip. Without this script each of them is a submit, and the
// server does the same (workflows/pipeline/rules.py).

import { changed } from "../js/guard.js";
import { tellProblems } from "./problems.js";

const form = document.querySelector("[data-pipeline]");

if (form) pipeline(form);

function pipeline(form) {
  document.documentElement.classList.add("scripted");
  const list = form.querySelector("[data-steps]");
  const cards = () => [...list.querySelectorAll(":scope > [data-step]")];
  const titleOf = (card) => card.querySelector("[data-type]").selectedOptions[0].text;

  function say(text) {
    form.querySelector("[data-said]").textContent = text;
  }

  function renumber() {
    cards().forEach((card, place) => {
      for (const shown of card.querySelectorAll("[data-place]")) shown.textContent = place + 1;
    });
    changed();
  }

  function move(card, by, button) {
    const all = cards();
    const place = all.indexOf(card);
    const other = all[place + by];
    if (!other) {
      say(`${titleOf(card)} is ${by < 0 ? "the first" : "the last"} step already.`);
      return;
    }
    if (by < 0) other.before(card);
    else other.after(card);
    renumber();
    button.focus();
    card.scrollIntoView({ block: "nearest" });
    say(`${titleOf(card)} is step ${place + by + 1} of ${all.length} now.`);
  }

  function blank(type, key) {
    const template = document.querySelector(`template[data-blank="${CSS.escape(type)}"]`);
    const card = template.content.firstElementChild.cloneNode(true);
    for (const part of [card, ...card.querySelectorAll("*")]) {
      for (const { name, value } of [...part.attributes]) {
        if (value.includes("KEY")) part.setAttribute(name, value.replaceAll("KEY", key));
      }
    }
    return card;
  }

  function freeKey() {
    let number = cards().length + 1;
    while (form.querySelector(`[name="step"][value="s${number}"]`) || removed.has(`s${number}`)) number += 1;
    return `s${number}`;
  }

  function add(type) {
    const card = blank(type, freeKey());
    list.append(card);
    renumber();
    card.scrollIntoView({ block: "nearest" });
    card.querySelector("[data-type]").focus();
    say(`${titleOf(card)} was added as step ${cards().length}.`);
  }

  // The cards that a step had as other types, with what was typed there.
  const shelves = new Map();

  function retype(select) {
    const card = select.closest("[data-step]");
    const kept = new FormData(form);
    const type = select.value;
    const shelf = shelves.get(card.dataset.step) ?? new Map();
    shelves.set(card.dataset.step, shelf.set(card.querySelector("[name$='.shown']").value, card));
    const fresh = shelf.get(type) ?? blank(type, card.dataset.step);
    fresh.querySelector("[data-type]").value = type;
    // A setting that both types have keeps what was typed.
    for (const input of fresh.querySelectorAll("input:not([type=hidden]), textarea, select:not([data-type])")) {
      if (!kept.has(input.name) || input.closest("[data-rows]")) continue;
      if (input.type === "checkbox") input.checked = kept.getAll(input.name).includes(input.value);
      else input.value = kept.get(input.name);
    }
    card.replaceWith(fresh);
    renumber();
    fresh.querySelector("[data-type]").focus();
    say(`Step ${cards().indexOf(fresh) + 1} is ${titleOf(fresh)} now. What was set before comes back with its type.`);
  }

  const removed = new Set();

  function remove(card) {
    const line = document.createElement("li");
    line.className = "removed";
    const text = Object.assign(document.createElement("span"), { textContent: `${titleOf(card)} was removed.` });
    const undo = Object.assign(document.createElement("button"), {
      type: "button",
      className: "button plain small",
      textContent: "Undo",
    });
    undo.addEventListener("click", () => {
      line.replaceWith(card);
      removed.delete(card.dataset.step);
      renumber();
      card.querySelector("[data-remove]").focus();
      say(`${titleOf(card)} is back as step ${cards().indexOf(card) + 1}.`);
    });
    line.append(text, undo);
    removed.add(card.dataset.step);
    card.replaceWith(line);
    renumber();
    undo.focus();
    say(`${titleOf(card)} was removed.`);
  }

  function addRow(button) {
    const rows = button.closest("fieldset").querySelector("[data-rows]");
    const row = rows.lastElementChild.cloneNode(true);
    const at = Number(row.dataset.row);
    const [own, next] = [at, at + 1].map((place) => `${rows.dataset.rows}[${place}]`);
    row.dataset.row = at + 1;
    for (const input of row.querySelectorAll("input, textarea, select")) {
      input.name = input.name.replace(own, next);
      if (input.type === "checkbox") input.checked = false;
      else input.value = "";
      input.ariaLabel = input.ariaLabel?.replace(/row \d+/, `row ${rows.children.length + 1}`) ?? null;
    }
    rows.append(row);
    row.querySelector("input, textarea").focus();
  }

  function dropRow(button) {
    const row = button.closest("li");
    const next = row.nextElementSibling ?? row.previousElementSibling;
    if (next) row.remove();
    else for (const input of row.querySelectorAll("input, textarea")) input.value = "";
    (next ?? row).querySelector("input, textarea").focus();
    changed();
  }

  form.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const card = button.closest("[data-step]");
    if (button.dataset.add) add(button.dataset.add);
    else if (button.dataset.move) move(card, button.dataset.move === "up" ? -1 : 1, button);
    else if ("remove" in button.dataset) remove(card);
    else if ("addRow" in button.dataset) addRow(button);
    else if ("dropRow" in button.dataset) dropRow(button);
    else return;
    event.preventDefault();
  });

  form.addEventListener("change", (event) => {
    if (event.target.matches("[data-type]")) retype(event.target);
  });

  form.addEventListener("keydown", (event) => {
    const card = event.target.closest("[data-step]");
    if (!card || !event.altKey || event.target.matches("select, textarea")) return;
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    move(card, event.key === "ArrowUp" ? -1 : 1, event.target);
  });

  let dragged = null;
  let before = null;
  list.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("[data-grip]")?.closest("[data-step]");
    before = dragged?.nextElementSibling;
    if (!dragged) return;
    event.dataTransfer.setDragImage(dragged, 16, 16);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", titleOf(dragged));
    dragged.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const over = event.target.closest("[data-steps] > li");
    if (!over || over === dragged) return;
    const { top, height } = over.getBoundingClientRect();
    if (event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  list.addEventListener("drop", (event) => {
    if (!dragged) return;
    event.preventDefault();
    before = undefined;
    renumber();
    say(`${titleOf(dragged)} is step ${cards().indexOf(dragged) + 1} of ${cards().length} now.`);
  });
  list.addEventListener("dragend", () => {
    // Dropped outside, or Esc: it goes back to where it was.
    if (dragged && before !== undefined) list.insertBefore(dragged, before);
    dragged?.classList.remove("dragged");
    dragged = null;
  });

  tellProblems(form);

  const title = form.querySelector("[data-names]");
  const name = title && document.querySelector(title.dataset.names);
  let own = Boolean(name?.value);
  name?.addEventListener("input", () => (own = name.value !== ""));
  title?.addEventListener("input", () => {
    if (!own && name) name.value = nameOf(title.value);
  });
}

function nameOf(title) {
  const letters = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };
  const plain = title.toLowerCase().replace(/[äöüß]/g, (letter) => letters[letter]);
  return plain
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
}
