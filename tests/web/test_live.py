"""The client of the websockets in a browser: what a page hears with a socket, without one, hidden and shown again."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import WebSocketRoute, expect

from runs.reading.events import mark_of
from tests import factories as make
from tests.families import shown

pytestmark = pytest.mark.browser

WATCH = """
([path, says]) => {
    window.heard = [];
    document.body.addEventListener("handoff:changed", (event) => heard.push(event.detail));
    document.body.dataset.live = path;
    if (says) document.getElementById("main").insertAdjacentHTML("beforeend", "<p data-live-state hidden></p>");
    return import("/static/js/live.js");
}
"""
HIDE = """
(hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}
"""
CHANGED = '{"v":1,"seq":98,"topic":"t","changed":["run","runs","inbox"],"nodes":{}}'
# What says nothing new, but that all before it was heard.
NEWS = '{"v":1,"seq":99,"topic":"t","changed":[],"nodes":{"nobody":"RUNNING"}}'
TOLD = """
() => {
    window.told = [];
    document.body.addEventListener("handoff:told", (event) => told.push(event.detail));
}
"""
OFF = "Live updates off, refreshing every 5 s"


class LivePage:
    """A page that watches a run; `sockets` are those that it opened, `block` takes them away."""

    def __init__(self, visitor, run_id: str) -> None:
        self.page, self.path = visitor.page, f"/ws/runs/{run_id}"
        self.sockets: list[WebSocketRoute] = []
        self.blocked = False
        self.page.route_web_socket("**/ws/**", self._route)

    def _route(self, socket: WebSocketRoute) -> None:
        if self.blocked:
            socket.close(code=1013)
            return
        socket.connect_to_server()
        self.sockets.append(socket)

    def open(self) -> "LivePage":
        self.page.goto("/workflows/")
        self.page.evaluate(WATCH, [self.path, True])
        return self

    def block(self) -> None:
        self.blocked = True
        self.sockets[-1].close(code=1012)

    def heard(self) -> int:
        return self.page.evaluate("heard.length")

    def hears(self, what: str = "true", *, seconds: float = 5) -> None:
        """Wait until it hears something new for which `what` holds."""
        before = self.heard()
        self.page.wait_for_function(
            f"() => heard.slice({before}).some((it) => {what})", timeout=seconds * 1000
        )

    def settled(self) -> "LivePage":
        self.page.wait_for_function("() => heard.length > 0")
        return self

    @property
    def state(self):
        return self.page.locator("[data-live-state]")


@pytest.fixture
def a_live_page(visitor):
    def opened(run_id: str) -> LivePage:
        return LivePage(visitor, run_id).open()

    return opened


@pytest.fixture
def run_id(transactional_db) -> str:
    return make.start(make.chain("noop", "noop"))[0]


def test_a_page_is_told_what_changed_at_once(a_live_page, run_id):
    page = a_live_page(run_id).settled()
    make.work()
    page.page.wait_for_function("() => heard.some((it) => it.nodes.b === 'COMPLETED')", timeout=4000)
    expect(page.state).to_be_hidden()


def test_many_messages_are_two_events_a_second_until_one_is_not_allowed_any_more(a_live_page, run_id):
    page = a_live_page(run_id).settled()
    before = page.heard()
    for number in range(10):
        page.sockets[0].send(f'{{"v":1,"seq":1,"topic":"t","changed":["steps"],"nodes":{{"n{number}":"X"}}}}')
    page.page.wait_for_function("() => heard.some((it) => it.nodes.n9)")
    assert page.heard() - before <= 2
    told = page.page.evaluate("Object.assign({}, ...heard.map((it) => it.nodes))")
    assert {f"n{number}" for number in range(10)} <= set(told)
    # Who is told that they may not asks no more.
    page.sockets[-1].close(code=4403)
    expect(page.state).to_have_text("Live updates ended. Load the page again.")
    page.page.wait_for_timeout(1200)
    assert len(page.sockets) == 1


def test_a_lost_socket_is_opened_again_and_only_what_was_missed_is_read(a_live_page, run_id):
    page = a_live_page(run_id).settled()
    page.sockets[-1].close(code=1012)
    make.work()
    page.page.wait_for_function("() => heard.some((it) => it.nodes.b === 'COMPLETED')", timeout=4000)
    expect(page.state).to_be_hidden()
    assert len(page.sockets) == 2
    assert not page.page.evaluate("heard.some((it) => it.changed.includes('all') || it.reload)")


def test_what_a_page_asks_because_it_was_told_says_so(visitor, run_id):
    page = LivePage(visitor, run_id)
    # A step that is at work may have said something meanwhile: its page is told to read in any case.
    make.claimed()
    with page.page.expect_request(lambda request: request.headers.get("handoff-automatic") == "notice"):
        visitor.open(f"/runs/{run_id}")


def test_a_page_that_shows_its_run_as_it_is_reads_nothing_when_it_connects(visitor, run_id):
    with visitor.page.expect_websocket() as opened:
        visitor.open(f"/runs/{run_id}")
    mark = mark_of(make.a_tenant().pk, run_id)
    assert mark
    assert parse_qs(urlsplit(opened.value.url).query) == {"mark": [mark]}
    said = json.loads(opened.value.wait_for_event("framereceived"))
    assert said["changed"] == []
    visitor.page.evaluate("fetch('/healthz')")
    assert [urlsplit(url).path for url in visitor.asked].count(f"/runs/{run_id}") == 1


def test_what_could_not_be_read_is_read_again_and_troubles_nobody(visitor, run_id):
    visitor.forgive("503")
    visitor.page.clock.install()
    page = LivePage(visitor, run_id)
    visitor.open(f"/runs/{run_id}")
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.fulfill(status=503)

    visitor.page.route(f"**/runs/{run_id}**", refuse)
    with visitor.page.expect_response(lambda answer: answer.status == 503):
        page.sockets[-1].send(CHANGED)
    visitor.page.unroute(f"**/runs/{run_id}**")
    with visitor.page.expect_response(lambda answer: answer.ok and f"/runs/{run_id}" in answer.url):
        visitor.page.clock.fast_forward(15_000)
    assert len(refused) == 1
    expect(visitor.page.locator(".toast")).to_have_count(0)


def test_without_a_socket_a_page_polls_and_says_so_until_there_is_one_again(a_live_page, run_id):
    page = a_live_page(run_id).settled()
    page.block()
    expect(page.state).to_have_text(OFF)
    expect(page.state).to_be_visible()
    page.hears("it.changed.includes('all')", seconds=7)
    page.blocked = False
    expect(page.state).to_be_hidden(timeout=15_000)
    make.work()
    page.page.wait_for_function("() => heard.some((it) => it.nodes.b === 'COMPLETED')", timeout=4000)


def test_a_hidden_page_reads_nothing_and_once_when_it_is_shown_if_it_was_told_anything(a_live_page, run_id):
    page = a_live_page(run_id).settled()
    page.page.evaluate(HIDE, True)
    before = page.heard()
    page.page.evaluate(HIDE, False)
    page.page.evaluate(HIDE, True)
    page.page.evaluate(TOLD)
    for message in (CHANGED, CHANGED, NEWS):
        page.sockets[0].send(message)
    page.page.wait_for_function("() => told.length > 0")
    assert page.heard() == before
    page.page.evaluate(HIDE, False)
    page.page.wait_for_function(f"() => heard.length > {before}")
    assert page.page.evaluate(f"heard.slice({before}).map((it) => it.changed)") == [["all"]]
    assert len(page.sockets) == 1


@pytest.mark.parametrize(
    ("path", "part"), shown([("/runs/{}", "run"), ("/runs/", "runs"), ("/inbox/", "inbox-list")], 1)
)
def test_what_a_hidden_tab_shows_is_read_once_when_it_is_seen_again(visitor, run_id, path, part):
    page, address = LivePage(visitor, run_id), path.format(run_id)
    make.claimed()

    def reads():
        return [url for url in visitor.asked[asked:] if urlsplit(url).path == address]

    with page.page.expect_response(lambda it: it.request.headers.get("hx-target") == part):
        visitor.open(address)
    asked = len(visitor.asked)
    page.page.evaluate(HIDE, True)
    page.page.evaluate(TOLD)
    for message in (CHANGED, CHANGED, NEWS):
        page.sockets[0].send(message)
    page.page.wait_for_function("() => told.length > 0")
    page.page.evaluate("fetch('/healthz')")
    assert reads() == []
    with page.page.expect_response(lambda it: it.request.headers.get("hx-target") == part):
        page.page.evaluate(HIDE, False)
    page.page.evaluate("fetch('/healthz')")
    assert len(reads()) == 1


def test_a_page_that_is_hidden_for_long_gives_its_socket_back_and_catches_up(visitor, run_id):
    visitor.page.clock.install()
    page = LivePage(visitor, run_id).open().settled()
    page.page.evaluate(HIDE, True)
    page.page.clock.fast_forward(61_000)
    before = page.heard()
    page.page.clock.fast_forward(61_000)
    make.work()
    assert (page.heard(), len(page.sockets)) == (before, 1)
    page.page.evaluate(HIDE, False)
    page.page.wait_for_function(f"() => heard.length > {before}")
    page.page.wait_for_function(f"() => heard.slice({before}).some((it) => it.topic === 'run:{run_id}')")
    assert len(page.sockets) == 2
