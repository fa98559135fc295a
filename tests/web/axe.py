"""What axe finds wrong with a page for people with disabilities."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

Time = Literal["day", "night"]

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


def faults_by_day_and_night(page: Page, place: str | None = None) -> list[list[Any]]:
    """What axe finds at both times; it is day again then."""
    found = faults_at(page, "day", place) + faults_at(page, "night", place)
    page.emulate_media(color_scheme="light")
    return found
