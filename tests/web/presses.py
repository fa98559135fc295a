"""How much hands do: presses of a mouse, taps and keys, counted by the page itself."""

from playwright.sync_api import Page

# A text that is typed into a field counts once, however long it is: what is compared is how one gets around.
_COUNT = """
(() => {
  const add = () => sessionStorage.setItem("presses", 1 + Number(sessionStorage.getItem("presses") ?? 0));
  const FIELD = "input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true]";
  const EDITS = ["Backspace", "Delete"], HELD = ["Shift", "Control", "Alt", "Meta"];
  let typed = null;
  const types = (field) => { if (typed !== field) { typed = field; add(); } };
  addEventListener("pointerdown", (event) => { if (event.isTrusted) { typed = null; add(); } }, true);
  addEventListener("keydown", (event) => {
    if (!event.isTrusted || HELD.includes(event.key)) return;
    const writes = (event.key.length === 1 || EDITS.includes(event.key)) && !event.ctrlKey && !event.metaKey;
    if (writes && event.target.matches?.(FIELD)) return types(event.target);
    typed = null;
    add();
  }, true);
  addEventListener("input", (event) => { if (event.target.matches?.(FIELD)) types(event.target); }, true);
})();
"""


def count_presses(page: Page) -> None:
    """Counts from the next page on that is opened in this tab."""
    page.add_init_script(_COUNT)


def presses(page: Page) -> int:
    """How many there were."""
    return int(page.evaluate("Number(sessionStorage.getItem('presses') ?? 0)"))
