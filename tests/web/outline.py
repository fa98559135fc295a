"""The outline of the builder for somebody without a mouse: what is done to a step there, by keys."""

import re

from playwright.sync_api import Locator, expect

from tests.web.builder import Builder
from tests.web.hands import Keys

_ROWS = """() => [...document.querySelectorAll("[role=treeitem]")].map((row) => ({
  title: row.querySelector(".outline-words > span:not(.sr-only)").textContent,
  isHere: row === document.activeElement,
}))"""


class Outline:
    """Goes through the tree by arrows; what is done to a step is done by the keys that the builder's table names."""

    def __init__(self, builder: Builder) -> None:
        self.builder, self.page, self.keyboard = builder, builder.page, builder.page.keyboard
        self.hands = Keys(builder.page)

    def _here(self, title: str) -> Locator:
        return self.page.locator(
            ".outline [role=treeitem]:focus", has=self.page.get_by_text(title, exact=True)
        )

    def _new(self, kind: str) -> Locator:
        titled = self.page.get_by_text(re.compile(rf"^{re.escape(kind)} \(\w+\)$"))
        return self.page.locator(".outline [role=treeitem][aria-selected=true]", has=titled)

    def begin(self) -> None:
        """To the outline; whoever presses a key before the page listens to it presses it again."""
        here = self.page.locator(".builder-left :focus")
        for _ in range(10):
            self.keyboard.press("o")
            if here.count():
                break
            self.page.wait_for_timeout(100)
        expect(here).to_be_visible()

    def leave(self) -> None:
        """Out of a form, back to where the outline was."""
        self.keyboard.press("Escape")
        if self.page.locator(".cm-content:focus").count():
            # The first one was for what the editor had to offer.
            self.keyboard.press("Escape")
        expect(self.page.locator(".builder-left :focus")).to_be_visible()

    def go(self, title: str) -> None:
        """To the step that is called so; the hands are in the outline."""
        # A step whose id follows its title just now is drawn again, and has the focus back a moment later.
        expect(self.page.locator(".outline [role=treeitem]:focus")).to_be_visible()
        rows = self.page.evaluate(_ROWS)
        now = next(at for at, row in enumerate(rows) if row["isHere"])
        to = next(at for at, row in enumerate(rows) if row["title"] == title)
        for _ in range(abs(to - now)):
            self.keyboard.press("ArrowDown" if to > now else "ArrowUp")
        expect(self._here(title)).to_have_attribute("aria-selected", "true")

    def add(self, kind: str, title: str) -> None:
        """A step behind the one that has the focus, or the first; then the hands are in its title."""
        is_first = self.hands.here() == "Add the first step"
        self.keyboard.press("Enter" if is_first else "a")
        self.hands.at(".add-dialog [role=combobox]")
        self.keyboard.insert_text(kind)
        self.keyboard.press("Enter")
        # Its id is that of its type until it follows its title.
        expect(self._new(kind)).to_be_visible()
        self.hands.at("[data-title]")
        # What the type is called is selected: typing takes its place.
        self.hands.enter(title)

    def connect(self, source: str, target: str) -> None:
        """Asks that one leads to the other; the dialog closes if that can be."""
        self.go(source)
        self.keyboard.press("c")
        self.hands.at(".add-dialog [role=combobox]")
        self.keyboard.insert_text(target)
        self.keyboard.press("Enter")

    def edit(self, title: str) -> None:
        """The form of a step; the hands are in its first field."""
        self.go(title)
        self.keyboard.press("Enter")
        self.hands.at("[data-title]")
