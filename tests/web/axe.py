"""What axe finds wrong with a page for people with disabilities."""

from collections.abc import Sequence
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

Time = Literal["day", "night"]
Scheme = Literal["light", "dark"]

_SCHEMES: tuple[Scheme, Scheme] = ("light", "dark")
_IS_DAY = "matchMedia('(prefers-color-scheme: light)').matches"

_RUN = """([place, options]) => axe.run(place ?? document, options).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]))"""


def faults(page: Page, place: str | None = None, **options: Any) -> list[list[Any]]:
    """Each broken rule with the elements that break it, in all of the page or in one place of it."""
    # The script is half a megabyte: a page that is looked at again and again gets it once.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[list[Any]] = page.evaluate(_RUN, [place, {"resultTypes": ["violations"], **options}])
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
