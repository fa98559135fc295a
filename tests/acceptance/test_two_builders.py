"""Two people write in one draft while the server is killed between a request and its answer: both texts exist."""

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.running import Handoff
from tests.web.conftest import chromium

__all__ = ["chromium"]

pytestmark = pytest.mark.browser

DRAFT = {
    "name": "notes",
    "title": "Notes",
    "nodes": [
        {"id": "ana", "type": "text.clean", "title": "Ana's step"},
        {"id": "ben", "type": "text.clean", "title": "Ben's step"},
    ],
    "edges": [{"from": "ana", "to": "ben"}],
}


@pytest.fixture
def client(handoff) -> Iterator[Client]:
    with Client(handoff) as client:
        yield client


@pytest.fixture
def pages(handoff, client, chromium) -> Iterator[tuple[Page, Page]]:
    """Two browsers, each with the builder of the same draft."""
    client.post("/workflows", {"name": "notes", "definition": DRAFT})
    contexts = [
        chromium.new_context(
            base_url=f"http://127.0.0.1:{handoff.port}", viewport={"width": 1440, "height": 900}
        )
        for _ in range(2)
    ]
    yield tuple(opened(context.new_page(), handoff) for context in contexts)
    for context in contexts:
        context.close()


def opened(page: Page, handoff: Handoff) -> Page:
    page.goto("/login")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill((handoff.home / "admin-password").read_text().strip())
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector(".side")
    page.goto("/workflows/notes/edit")
    expect(page.locator("[data-state=saved]")).to_be_visible()
    return page


def write(page: Page, step: str, text: str) -> None:
    page.locator(f".outline-row[data-node={step}]").click()
    page.locator("[data-title]").press("End")
    page.locator("[data-title]").press_sequentially(text)


def kill_web(handoff: Handoff) -> int:
    web = handoff.pids()["web"]
    os.kill(web, signal.SIGKILL)
    return web


@pytest.mark.exhaustive
def test_no_text_is_lost_whenever_the_server_is_killed(handoff, client, pages):
    ana, ben = pages
    killed: list[int] = []

    def after_the_commit(route: Route) -> None:
        """What Ana sent is written; the answer never comes."""
        if killed or "Ana" not in (route.request.post_data or ""):
            route.continue_()
            return
        route.fetch()
        killed.append(kill_web(handoff))
        route.abort()

    def before_it_is_read(route: Route) -> None:
        """What Ben sent comes to a server that is there no more."""
        if len(killed) == 1:
            wait_until(lambda: handoff.pids().get("web") not in (None, killed[0]), 60, "another web process")
            killed.append(kill_web(handoff))
        route.continue_()

    ana.route("**/draft", after_the_commit)
    write(ana, "ana", " is Ana's text")
    expect(ana.locator("[data-state=offline]")).to_be_visible()
    ben.route("**/draft", before_it_is_read)
    write(ben, "ben", " is Ben's text")
    for page in pages:
        expect(page.locator("[data-state=saved][data-waiting='0']")).to_be_visible(timeout=60_000)
        for text in ("Ana's step is Ana's text", "Ben's step is Ben's text"):
            # The other's comes once a second web process is there.
            expect(page.locator(".outline")).to_contain_text(text, timeout=60_000)
        assert page.locator(".conflicts").count() == 0
    assert len(killed) == 2
    saved = client.get("/workflows/notes/draft")["definition"]
    assert [node["title"] for node in saved["nodes"]] == [
        "Ana's step is Ana's text",
        "Ben's step is Ben's text",
    ]
    log = [
        change
        for entry in client.get("/workflows/notes/draft/changes?limit=200")["results"]
        for change in entry["changes"]
    ]
    written = [change["to"] for change in log if change["path"][-1] == "title"]
    assert len(written) == len(set(written)), "nothing was written twice"
