"""Two people with a browser each watch one run: both see what happens, and neither loads the page again."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from lib.rest_times import bucket_of, coarse_of
from runs.commands import jobs
from runs.maintenance import forecasts
from tests import factories as make
from tests.web.visitor import Visitor

pytestmark = pytest.mark.browser

CALLS_A_PROGRAM = make.graph(
    [{"id": "check", "type": "text.clean"}, {"id": "price", "type": "job", "queue": "pricing"}],
    ["check>price"],
)


@pytest.fixture
def bob(another, transactional_db) -> Visitor:
    """An operator with a browser of their own."""
    make.a_member("bob", "operator")
    visitor = another("bob")
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    return visitor


def watch(visitor: Visitor, run_id: str) -> None:
    visitor.open(f"/runs/{run_id}")
    visitor.page.evaluate("window.loaded = true")


def test_both_see_each_step_begin_and_end_and_the_run_complete(visitor, bob):
    run_id = make.start(CALLS_A_PROGRAM, {"text": "A text of some words."})[0]
    both = (visitor, bob)
    for one in both:
        watch(one, run_id)
        expect(one.step("check").get_by_text("Queued", exact=True)).to_be_visible()
    make.work()
    for one in both:
        expect(one.step("check").get_by_text("Completed", exact=True)).to_be_visible()
        expect(one.step("price").get_by_text("Queued", exact=True)).to_be_visible()
    (job,) = jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["pricing"], max_jobs=1)
    for one in both:
        expect(one.step("price").get_by_text("Running", exact=True)).to_be_visible()
    make.complete(job.step, output={"price": 5})
    for one in both:
        expect(one.page.get_by_role("heading", level=1)).to_contain_text("Completed")
        assert one.page.evaluate("window.loaded")


def test_a_forecast_shows_in_page_and_list_without_being_loaded_again(visitor, bob):
    version = make.a_version(CALLS_A_PROGRAM)
    run_id = make.start_version(version, {"text": "Words."})[0]
    watch(visitor, run_id)
    bob.open("/runs/?order=likely")
    bob.page.evaluate("window.loaded = true")
    row = bob.page.locator(f"tr[data-run='{run_id}'] .of-likely")
    expect(row).to_have_text("–")
    today = datetime.now(UTC).date()
    monday = today - timedelta(days=today.weekday())
    make.RestTimeFactory(
        tenant_id=version.tenant_id,
        workflow_id=version.workflow_id,
        version_id=version.pk,
        node="check",
        lasted=coarse_of(7_200),
        bucket=bucket_of(7_200),
        week=monday,
        times=30,
    )
    forecasts.make()
    expect(visitor.page.get_by_text("Probably done by")).to_be_visible()
    expect(row.get_by_role("time")).to_be_visible()
    for one in (visitor, bob):
        assert one.page.evaluate("window.loaded")


def test_what_one_cancels_the_other_sees_cancelled(visitor, bob):
    run_id = make.start(CALLS_A_PROGRAM, {"text": "Words."})[0]
    make.work()
    for one in (visitor, bob):
        watch(one, run_id)
    bob.page.get_by_role("button", name="Cancel…").click()
    bob.page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    expect(visitor.page.get_by_role("heading", level=1)).to_contain_text("Cancelled")
    assert visitor.page.evaluate("window.loaded")


@pytest.mark.exhaustive
def test_whose_sockets_are_blocked_follows_by_polling_and_is_told_so(visitor, bob):
    visitor.page.route_web_socket("**/ws/**", lambda socket: socket.close(code=1013))
    run_id = make.start(CALLS_A_PROGRAM, {"text": "Words."})[0]
    for one in (visitor, bob):
        watch(one, run_id)
    expect(visitor.page.locator("[data-live-state]")).to_have_text("Live updates off, refreshing every 5 s")
    make.work()
    expect(bob.step("check").get_by_text("Completed", exact=True)).to_be_visible()
    expect(visitor.step("check").get_by_text("Completed", exact=True)).to_be_visible(timeout=8000)
    (held,) = make.claimed("pricing")
    make.complete(held, output={"price": 5})
    expect(visitor.page.get_by_role("heading", level=1)).to_contain_text("Completed", timeout=8000)
    assert visitor.page.evaluate("window.loaded")
