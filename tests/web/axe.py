"""What axe finds wrong with a page for people with disabilities."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

_RUN = """([place, options]) => axe.run(place ?? document, options).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))]))"""


def faults(page: Page, place: str | None = None, **options: Any) -> list[list[Any]]:
    """Each broken rule with the elements that break it, in all of the page or in one place of it."""
    # The script is half a megabyte: a page that is looked at again and again gets it once.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[list[Any]] = page.evaluate(_RUN, [place, {"resultTypes": ["violations"], **options}])
    return found
