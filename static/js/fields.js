// Forms whose fields come and go with what is filled in: the server's answer changes the form, never what was typed
// since it was asked. Such an answer knows nothing of that yet; leaving the field asks again.

import { leave } from "./morph.js";

const FIELDS = "form-fields";
const carried = new WeakMap();
let typedSince = new Set();

function inputs(within) {
  return within.querySelectorAll("input[id], textarea[id], select[id]");
}

function entry(input) {
  return input.type === "checkbox" || input.type === "radio" ? input.checked : input.value;
}

/** Registers with htmx and idiomorph; to be called once. */
export function keepWhatIsTyped() {
  const fields = (event) => event.detail.target?.id === FIELDS && event.detail.target;

  document.body.addEventListener("htmx:beforeRequest", (event) => {
    const form = fields(event);
    if (!form) return;
    carried.set(event.detail.xhr, new Map([...inputs(form)].map((input) => [input, entry(input)])));
    // Rows move up when one of them goes: until they have, nobody types into them.
    if (event.detail.elt.name === "edit") form.inert = true;
  });
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const form = fields(event);
    const before = carried.get(event.detail.xhr);
    if (!form || !before) return;
    typedSince = new Set([...inputs(form)].filter((input) => before.has(input) && before.get(input) !== entry(input)));
  });
  document.body.addEventListener("htmx:afterSwap", () => typedSince.clear());
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt.name === "edit") document.getElementById(FIELDS)?.removeAttribute("inert");
  });

  // On a page that follows what happens nothing of the answer is newer than what somebody types into it.
  leave((name, node) => name === "value" && node.closest?.("[data-keeps-typed]") && node.value !== node.defaultValue);
  leave(
    (name, node) =>
      ["value", "checked", "selected"].includes(name) &&
      (typedSince.has(node) || typedSince.has(node.parentElement?.closest("select"))),
  );
}
