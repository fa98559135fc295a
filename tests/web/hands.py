"""Two pairs of hands for the builder: one has a mouse, the other only keys. Both fill in forms from top to bottom."""

import re
from typing import Protocol

from playwright.sync_api import Locator, Page, expect

_NAME = """(field) => {
  const named = (field.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id));
  const label = named.filter(Boolean).concat([...(field.labels ?? [])])[0];
  const own = field.tagName === "SUMMARY" ? field.querySelector("h3, span") ?? field : label ?? field;
  const said = (field.getAttribute("aria-label") ?? own.textContent).replace(/\\s+/g, " ");
  return said.replace(/[*]? ?[(]required[)]$/, "").replace(/[*]$/, "").trim();
}"""
_ACTIVE = f"() => ({_NAME})(document.activeElement)"
# The keys that lead to what is called so in the form that has the focus, the fewest there are: F6 to a part of it, then
# Tab, and Enter where that leads on. Elsewhere by Tab in the dialog or on the page, whose link past the menu saves most
# of it. Null where it is not there. The nearest one below is meant; once it was found it stays meant, however the form
# changes on the way.
_WAY = """([label, isNew]) => {
  const now = document.activeElement, inspector = now.closest(".inspector"), name = NAME;
  const form = inspector ?? document.querySelector("dialog[open]") ?? document.body;
  const takes = (field) => field.isContentEditable || (field.tabIndex >= 0 && !field.disabled);
  const STOPS = "button, input, select, textarea, summary, [contenteditable=true]";
  const stops = [...form.querySelectorAll(inspector ? STOPS : STOPS + ", a[href], iframe, [tabindex]")]
    .filter((field) => field.checkVisibility() && takes(field) && (field.type !== "radio" || field.checked));
  const isBelow = (field, other) => (other.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const called = stops.filter((field) => name(field) === label || name(field).endsWith(": " + label));
  if (isNew || !stops.includes(form.wanted)) form.wanted = called.find((field) => isBelow(field, now)) ?? called[0];
  const wanted = form.wanted;
  if (!wanted || wanted === now) return wanted ? [] : null;
  const several = (key, count) => Array(Math.abs(count)).fill(count > 0 ? key : "Shift+" + key);
  const tabs = (from) => {
    const [first, last, sign] = isBelow(wanted, from) ? [from, wanted, 1] : [wanted, from, -1];
    return several("Tab", sign * (1 + stops.filter((field) => isBelow(field, first) && isBelow(last, field)).length));
  };
  if (!inspector) {
    const skip = stops.find((stop) => stop.matches(".skip")), main = document.querySelector("main");
    const isBefore = skip && main.contains(wanted) && stops.filter((stop) => isBelow(main, stop)).length > 2;
    if (isBefore && now === skip) return ["Enter"];
    // Where a page that has just come begins for the keys is only seen by the first of them.
    return isBefore && now === document.body ? ["Tab"] : tabs(now);
  }
  const PARTS = ".insp-head, .insp-part, .insp-section";
  const parts = [...form.querySelectorAll(PARTS)].filter((part) => !part.parentElement.closest(PARTS));
  const begins = parts.map((part) => stops.find((stop) => part.contains(stop))).filter(Boolean);
  const here = begins.findLastIndex((start) => start === now || isBelow(now, start));
  const ways = begins.map((start, at) => [...several("F6", at - here), ...(start === wanted ? [] : tabs(start))]);
  const empty = [...form.querySelectorAll("[data-empty]")].filter((field) => !field.contains(now));
  const next = empty.find((field) => isBelow(field, now)) ?? empty[0];
  if (next?.contains(wanted) && now.matches("input, select") && !wanted.matches("button")) ways.push(["Enter"]);
  return [tabs(now), ...ways].reduce((best, way) => (way.length < best.length ? way : best));
}""".replace("NAME", _NAME)
_MOST_TABS = 200
_MOST_LOOKS = 5
_LONG = 24


class Hands(Protocol):
    """What is done to the form in the inspector; each goes on below what was done before."""

    page: Page

    def text(self, label: str, value: str) -> None:
        """A text in a field in place of what it has."""

    def pick(self, label: str, option: str) -> None:
        """One of the options of a select."""

    def tick(self, label: str) -> None:
        """A box, or one of several choices."""

    def choose(self, option: str) -> None:
        """One of the conditions of a way."""

    def first(self, label: str, option: str) -> None:
        """An option of the select where a new part of the form begins."""

    def press(self, button: str) -> None:
        """A button."""

    def unfold(self, section: str) -> None:
        """A section, if it is closed."""

    def amount(self, label: str, count: str, unit: str) -> None:
        """A time with its unit."""

    def pairs(self, title: str, values: dict[str, object]) -> None:
        """Names with their values, where there are none yet."""


class Mouse:
    """Clicks, and types into what was clicked."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pane = page.locator(".inspector")

    def _field(self, role: str, label: str) -> Locator:
        name = re.compile(rf"^{re.escape(label)}( \(required\))?$")
        return self.pane.get_by_role(role, name=name).last  # type: ignore[arg-type]

    def text(self, label: str, value: str) -> None:
        self._field("textbox", label).click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(value)

    def pick(self, label: str, option: str) -> None:
        self._field("combobox", label).select_option(label=option)

    def tick(self, label: str) -> None:
        self.pane.locator("label.check", has_text=label).first.click()

    def choose(self, option: str) -> None:
        self.pane.locator(".taken label", has_text=option).click()

    def first(self, label: str, option: str) -> None:
        self.pick(label, option)

    def press(self, button: str) -> None:
        self.pane.get_by_role("button", name=button).last.click()

    def unfold(self, section: str) -> None:
        summary = self.pane.locator(".insp-section > summary", has_text=section).last
        section_of = summary.locator("xpath=..")
        if section_of.get_attribute("open") is None:
            summary.click()
        # What is in it comes after it has opened; until then another field of the same name would be the last.
        expect(section_of.locator("> .insp-body")).to_be_visible()

    def amount(self, label: str, count: str, unit: str) -> None:
        self.text(label, count)
        self._field("textbox", label).locator("xpath=..").get_by_label("Unit").select_option(label=unit)

    def pairs(self, title: str, values: dict[str, object]) -> None:
        for at, (name, value) in enumerate(values.items()):
            self.press(f"Add {'another' if at else 'one'} to {title}")
            self.page.keyboard.insert_text(name)
            self.page.keyboard.press("Enter")
            self.text(name, str(value))


class Keys:
    """Has no mouse: Tab leads to everything, and what a field or a button is called tells that it is there."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def here(self) -> str:
        """What has the focus."""
        return self.page.evaluate(_ACTIVE)

    def _is(self, label: str) -> bool:
        # What a way is called ends with what the button does.
        said = self.here()
        return said == label or said.endswith(f": {label}")

    def to(self, label: str) -> None:
        """Goes to what is called so by the fewest keys; where these lead elsewhere, by Tab until it is there: not all
        that takes the focus can be foreseen.
        """
        way = self.page.evaluate(_WAY, [label, True])
        for _ in range(_MOST_LOOKS):
            if not way:
                break
            for key in way:
                self.page.keyboard.press(key)
            way = self.page.evaluate(_WAY, [label, False])
        if way is None or not self._is(label):
            self._search(label)
        assert self._is(label), f"{self.here()} instead of {label}"

    def _search(self, label: str) -> None:
        seen: list[str] = []
        for _ in range(_MOST_TABS):
            self.page.keyboard.press("Tab")
            if self._is(label):
                return
            seen.append(self.here())
        raise AssertionError(f"{label} can't be reached by Tab: {seen}")

    def at(self, place: str) -> None:
        """Waits until the focus is there."""
        expect(self.page.locator(f"{place}:focus")).to_be_visible()

    def write(self, value: str) -> None:
        """Types in place of what is there."""
        self.page.keyboard.press("Control+a")
        self.enter(value)

    def enter(self, value: str) -> None:
        """Types; what is long comes in one go, as out of the clipboard."""
        write = self.page.keyboard.type if len(value) < _LONG else self.page.keyboard.insert_text
        write(value)
        if "{{" in value:
            # A field turns into the editor while one types: Tab leads on from there.
            self.at(".cm-content")

    def text(self, label: str, value: str) -> None:
        self.to(label)
        is_empty = self.page.evaluate(
            "() => !(document.activeElement.value ?? document.activeElement.innerText).trim()"
        )
        (self.enter if is_empty else self.write)(value)

    def pick(self, label: str, option: str) -> None:
        self.to(label)
        self._choose(option)

    def _choose(self, option: str) -> None:
        # As much of its name as tells it from others, without a space: that would open the list.
        self.page.keyboard.type(re.split(r"\W", option)[0])
        chosen = self.page.evaluate("() => document.activeElement.selectedOptions[0].text")
        assert chosen == option, f"{chosen} instead of {option}"

    def tick(self, label: str) -> None:
        self.to(label)
        self.page.keyboard.press("Space")

    def choose(self, option: str) -> None:
        self.at("[type=radio]")
        for _ in range(5):
            if self.here().startswith(option):
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"no {option}")

    def first(self, label: str, option: str) -> None:
        assert self.here() == label
        self._choose(option)

    def press(self, button: str) -> None:
        if not self._is(button):
            self.to(button)
        self.page.keyboard.press("Enter")

    def unfold(self, section: str) -> None:
        self.to(section)
        while not self.page.evaluate("() => document.activeElement.parentElement.open"):
            self.page.keyboard.press("Enter")
        expect(self.page.locator("details:has(> summary:focus) > .insp-body")).to_be_visible()

    def amount(self, label: str, count: str, unit: str) -> None:
        self.text(label, count)
        self.pick("Unit", unit)

    def pairs(self, title: str, values: dict[str, object]) -> None:
        for at, (name, value) in enumerate(values.items()):
            self.press(f"Add {'another' if at else 'one'} to {title}")
            self.page.keyboard.type(name)
            self.page.keyboard.press("Enter")
            self.enter(str(value))
