// Guards what was typed in any form with data-guard until it is sent; Ctrl-S saves it. In the definition as a text, a
// problem leads to its line.

const guarded = document.querySelector("[data-guard]");
const LEAVING = 5_000;
let dirty = guarded?.hasAttribute("data-dirty") ?? false;
let isSending = false;

/** Something was changed that is not saved. */
export function changed() {
  dirty = true;
  const state = guarded.querySelector("[data-save-state]");
  if (state) state.textContent = "Not saved yet";
}

/** Where sending is stopped, the page is still there, and what was typed is guarded as before. */
function sends() {
  isSending = true;
  setTimeout(() => (isSending = false), LEAVING);
}

if (guarded) {
  guarded.addEventListener("input", changed);
  for (const send of document.querySelectorAll("form[data-guard]")) send.addEventListener("submit", sends);
  addEventListener("beforeunload", (event) => dirty && !isSending && event.preventDefault());
  addEventListener("pagehide", () => {
    if (!isSending) return;
    dirty = false;
    isSending = false;
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      guarded.requestSubmit(guarded.querySelector("button[type=submit][value=save]") ?? undefined);
    }
  });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-line]");
  const text = document.querySelector("textarea#definition");
  if (!link || !text) return;
  event.preventDefault();
  const lines = text.value.split("\n");
  const at = Number(link.dataset.line) - 1;
  const start = lines.slice(0, at).join("\n").length + (at ? 1 : 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[at] ?? "").length);
  text.scrollTop = (text.scrollHeight / lines.length) * Math.max(at - 3, 0);
});
