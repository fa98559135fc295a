"""The graph of a run, its keys and the way back through its events, with a browser."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.visitor import Visitor

pytestmark = pytest.mark.browser

CHANGED = "document.body.dispatchEvent(new CustomEvent('handoff:changed', {detail: {changed: ['steps'], nodes: {}}}))"
TOLD = "nodes => document.body.dispatchEvent(new CustomEvent('handoff:told', {detail: {changed: [], nodes}}))"
WAITS = make.graph(
    [
        {"id": "check", "type": "text.clean"},
        {"id": "price", "type": "job", "queue": "pricing"},
        {"id": "end", "type": "noop"},
    ],
    ["check>price", "price>end"],
)


@pytest.fixture
def author(visitor, ann) -> Visitor:
    """Somebody who builds: they see the graph first."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    return visitor


def long_run(count: int, failing: int) -> str:
    definition = make.chain(*["noop"] * count)
    definition["nodes"][failing] |= {"type": "text.clean", "title": "Tidy it up"}
    run_id = make.start(definition, {"n": 1})[0]
    make.work()
    return run_id


def node(visitor: Visitor, name: str):
    return visitor.page.locator(f".graph-step[data-step={name}]")


def drawn(visitor: Visitor, run_id: str, query: str = "") -> None:
    visitor.open(f"/runs/{run_id}{query}")
    visitor.page.wait_for_selector("#graph[data-drawn]")


def test_the_graph_is_drawn_and_follows_and_stays_where_it_was_moved(author):
    run_id = make.start(WAITS, {"text": "A text of some words."})[0]
    make.work()
    drawn(author, run_id)
    expect(author.page.locator(".picture-line.taken")).to_have_count(1)
    expect(author.page.get_by_role("link", name="External job price Queued")).to_be_visible()
    author.page.get_by_role("button", name="Larger").click()
    place = node(author, "price").bounding_box()
    (held,) = make.claimed("pricing")
    author.page.evaluate(CHANGED)
    expect(node(author, "price").get_by_text("Running")).to_be_attached()
    assert node(author, "price").bounding_box() == place
    make.complete(held, output={"price": 5})
    author.page.evaluate(CHANGED)
    expect(author.page.locator(".picture-line.taken")).to_have_count(2)
    assert author.page.locator(".graph-step:has(a[aria-current])").count() == 0


def test_what_became_of_steps_is_shown_before_it_is_read_but_never_goes_backwards_nor_into_the_past(author):
    run_id = make.start(WAITS, {"text": "A text of some words."})[0]
    make.work()
    drawn(author, run_id, "?at=1")
    author.page.evaluate(TOLD, {"price": "RUNNING"})
    assert node(author, "price").get_attribute("data-status") == "PENDING"
    drawn(author, run_id)
    author.page.evaluate(TOLD, {"price": "RUNNING", "check": "RUNNING", "nowhere": "FAILED", "end": "ODD"})
    expect(node(author, "price")).to_have_attribute("data-status", "RUNNING")
    expect(node(author, "price").get_by_text("Running")).to_be_attached()
    statuses = [node(author, name).get_attribute("data-status") for name in ("check", "end")]
    assert statuses == ["COMPLETED", "PENDING"]
    # What is read counts: nobody has begun with it.
    author.page.evaluate(CHANGED)
    expect(node(author, "price")).to_have_attribute("data-status", "QUEUED")
    expect(node(author, "price").get_by_text("Queued")).to_be_attached()
    # A page that rests shows nothing that it is told.
    author.press(".")
    author.page.evaluate(TOLD, {"price": "RUNNING"})
    assert node(author, "price").get_attribute("data-status") == "QUEUED"


def test_keys_select_steps_which_the_views_share_and_go_back_through_the_events(author):
    run_id = make.start(WAITS, {"text": "A text of some words."})[0]
    make.work()
    drawn(author, run_id)
    author.press("j", "j")
    inspector = author.page.get_by_role("complementary", name="The selected step")
    expect(inspector).to_contain_text("price")
    expect(author.page).to_have_url(f"{author.page.url.partition('?')[0]}?view=graph&step=price")
    author.press("2")
    author.page.wait_for_url("**view=timeline&step=price")
    expect(author.page.locator("#timeline a[aria-current]")).to_have_text("External job (price)")
    author.press("3")
    author.page.wait_for_url("**view=story&step=price")
    author.press("1")
    author.page.wait_for_url("**view=graph&step=price")
    author.page.wait_for_selector("#graph[data-drawn]")
    node(author, "check").locator("a").first.click()
    expect(inspector).to_contain_text("check")
    author.press("Escape")
    expect(inspector).to_have_count(0)
    expect(author.step("check")).to_be_visible()
    goes_back_through_the_events_and_to_now(author)


def goes_back_through_the_events_and_to_now(author):
    author.press("[")
    notice = author.page.get_by_text("You see the run as it was")
    expect(notice).to_be_visible()
    author.page.get_by_label("Number of events so far").press("Home")
    author.page.wait_for_url("**at=1*")
    expect(author.page.locator(".picture-line.taken")).to_have_count(0)
    # What happens meanwhile does not bring now back.
    author.page.evaluate(CHANGED)
    author.page.get_by_role("link", name="Back to now").click()
    expect(notice).to_have_count(0)
    expect(author.page.locator(".picture-line.taken")).to_have_count(1)


def test_the_cause_of_a_failure_among_two_hundred_steps_is_three_presses_from_home(author):
    long_run(200, failing=150)
    author.open("/")
    author.page.get_by_role("link", name="Workflows").first.wait_for()
    author.page.locator("tr[data-run] a").first.click()
    author.page.wait_for_selector("#graph[data-drawn]")
    inspector = author.page.get_by_role("complementary", name="The selected step")
    expect(inspector).to_contain_text("Tidy it up")
    expect(inspector.locator(".why")).to_contain_text("text")
    expect(
        node(author, "c150").or_(author.page.locator(".graph-step[data-status=FAILED]"))
    ).to_be_in_viewport()


@pytest.mark.exhaustive
def test_a_large_graph_is_moved_and_selected_in_without_stalling_on_a_slow_computer(author):
    run_id = long_run(300, failing=299)
    author.page.set_default_timeout(60_000)
    drawn(author, run_id)
    processor = author.page.context.new_cdp_session(author.page)
    processor.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    frames = author.page.evaluate(
        """async () => {
            const view = document.getElementById("graph-view"), took = [];
            let last = performance.now();
            for (let n = 0; n < 60; n += 1) {
                view.scrollBy(-30, 0);
                await new Promise((next) => requestAnimationFrame(next));
                took.push(performance.now() - last);
                last = performance.now();
            }
            return took.sort((a, b) => a - b);
        }"""
    )
    # To be slow it wastes its time.
    processor.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    # Half of them: what else the machine does is not the page's fault.
    assert frames[30] < 50
    author.press("k")
    expect(author.page.get_by_role("complementary", name="The selected step")).not_to_contain_text(
        "Tidy it up"
    )


def test_following_is_stopped_and_taken_up_again(author):
    run_id = make.start(WAITS, {"text": "A text of some words."})[0]
    drawn(author, run_id)
    author.press(".")
    expect(author.page.get_by_text("follows no more")).to_be_visible()
    make.work()
    author.page.evaluate(CHANGED)
    author.page.evaluate("fetch('/healthz')")
    expect(node(author, "check").get_by_text("Queued")).to_be_attached()
    author.press(".")
    expect(node(author, "check").get_by_text("Completed")).to_be_attached()


@pytest.mark.exhaustive
@pytest.mark.parametrize("view", ["graph", "timeline", "story"])
def test_axe_finds_nothing_wrong_with_a_view_by_day_and_night(author, view):
    run_id = make.start(WAITS, {"text": "A text of some words."})[0]
    make.work()
    author.open(f"/runs/{run_id}?view={view}&step=check&at=2")
    if view == "graph":
        author.page.wait_for_selector("#graph[data-drawn]")
    assert faults_by_day_and_night(author.page, widths=(1440, 390)) == []
    author.page.set_viewport_size({"width": 390, "height": 844})
    assert not author.scrolls_sideways()
