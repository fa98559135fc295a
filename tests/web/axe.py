"""What axe finds wrong with a page for people with disabilities."""

from collections.abc import Sequence
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

Time = Literal["day", "night"]
Scheme = Literal["light", "dark"]

_SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")
_IS_DAY = "matchMedia('(prefers-color-scheme: light)').matches"

# Texts and fields in a place that are there for the first time, as far as their colours go: which element, in which
# state and of which colours each is, and all around it. They are kept as `window.fresh`, which no place stands for.
_FRESH = """([time, place]) => {
  const STATES = ["class", "type", "disabled", "open", "role", "data-state", "data-kind", "data-group"];
  const NAMES = /^aria-(current|checked|disabled|expanded|invalid|pressed|selected)$/;
  const LOOKS = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight", "textShadow"];
  const known = new Map();
  const looks = (element) => {
    if (element === null) return "";
    if (!known.has(element)) {
      const named = element.getAttributeNames().filter((name) => STATES.includes(name) || NAMES.test(name));
      const style = getComputedStyle(element);
      const own = [element.tagName, ...named.map((name) => `${name}=${element.getAttribute(name)}`)];
      known.set(element, [looks(element.parentElement), ...own, ...LOOKS.map((name) => style[name])].join("; "));
    }
    return known.get(element);
  };
  const seen = ((window.seen ??= {})[time] ??= new Set());
  const isText = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== "";
  const says = (element) => element.matches("input, select, textarea") || [...element.childNodes].some(isText);
  const all = place === null ? window.fresh : [...document.querySelectorAll(`${place} *`)].filter(says);
  window.fresh = all.filter((element) => element.checkVisibility() && !seen.has(looks(element)));
  for (const element of window.fresh) seen.add(looks(element));
  return window.fresh.length;
}"""
# To axe nothing is above all else but by `z-index`: what is shown above the page (a dialog, a menu) counts as covered
# by it, and its colours as "incomplete": nobody knows. Meanwhile it has one. What is unknown there all the same is a
# fault, and so is a single sign of which axe doubts whether it is a text. A sign that is a picture is none.
_RUN = """([place, options]) => {
  const above = [...document.querySelectorAll(":modal, :popover-open")].map((each) => [each, each.style.zIndex]);
  above.forEach(([each], number) => { each.style.zIndex = 2147480000 + number; });
  const isUnknown = ({ any, element }) =>
    any.some(({ data }) => ["bgOverlap", "shortTextContent"].includes(data?.messageKey)) &&
    above.some(([each]) => each.contains(element));
  const told = (id, nodes) => [id, nodes.map(({ html }) => html.slice(0, 160))];
  return axe.run(place === "fresh" ? { include: window.fresh } : place ?? document, options)
    .then(({ violations, incomplete }) => [
      ...violations.map(({ id, nodes }) => told(id, nodes)),
      ...incomplete.filter(({ id }) => id === "color-contrast").map(({ nodes }) => nodes.filter(isUnknown))
        .filter(({ length }) => length > 0).map((nodes) => told("color-contrast is unknown", nodes)),
    ])
    .finally(() => { for (const [each, was] of above) each.style.zIndex = was; });
}"""

_TELLING = {"resultTypes": ["violations", "incomplete"], "elementRef": True}


def faults(page: Page, place: str | None = None, **options: Any) -> list[list[Any]]:
    """Each broken rule with the elements that break it, in all of the page or in one place of it."""
    # The script is half a megabyte: a page that is looked at again and again gets it once.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[list[Any]] = page.evaluate(_RUN, [place, {**_TELLING, **options}])
    return found


def faults_at(page: Page, time: Time, place: str | None = None) -> list[list[Any]]:
    """What axe finds by day, or what it finds of the colours by night: the rest is the same."""
    page.emulate_media(color_scheme="light" if time == "day" else "dark")
    return faults(page, place) if time == "day" else faults(page, place, runOnly=["color-contrast"])


def faults_by_day_and_night(
    page: Page, place: str | None = None, widths: Sequence[int] = ()
) -> list[list[Any]]:
    """What axe finds at both times, in windows of these widths, if any. The page stays as it was seen last: to draw it
    anew takes half as long as to look at it.
    """
    here, there = _SCHEMES if page.evaluate(_IS_DAY) else reversed(_SCHEMES)
    page.emulate_media(color_scheme=here)
    found = _faults_in(page, widths, place)
    page.emulate_media(color_scheme=there)
    # The rest is the same.
    return found + _faults_in(page, widths[::-1], place, runOnly=["color-contrast"])


def _faults_in(page: Page, widths: Sequence[int], place: str | None, **options: Any) -> list[list[Any]]:
    found = [] if widths else faults(page, place, **options)
    for width in widths:
        page.set_viewport_size({"width": width, "height": 844})
        found += faults(page, place, **options)
    return found


class Looks:
    """Looks at one page again and again, by day and by night: at all of it each time, but at colours where they are for
    the first time. That is dear (what lies behind each text is found out), and the rest doesn't depend on the time.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._time: Time = "day"
        self._turn("day")

    def _turn(self, time: Time) -> None:
        self.page.emulate_media(color_scheme="light" if time == "day" else "dark")
        self._time = time

    def _colours(self, place: str | None) -> list[list[Any]] | None:
        if self.page.evaluate(_FRESH, [self._time, place]) == 0:
            return None
        return faults(self.page, "fresh", runOnly=["color-contrast"])

    def faults(self, place: str = "html") -> list[list[Any]]:
        """What axe finds in a place, and of the colours that were not there before what it finds at both times. This
        begins at the time at which the last look ended: to turn day into night is to draw all of the page anew.
        """
        found = faults(self.page, place, rules={"color-contrast": {"enabled": False}})
        now = self._colours(place)
        if now is None:
            return found
        self._turn("night" if self._time == "day" else "day")
        return found + now + (self._colours(None) or [])
