"""The page of a run as it follows the run, and its keys, with a browser."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make

pytestmark = pytest.mark.browser

WAITS = make.graph(
    [{"id": "check", "type": "text.clean"}, {"id": "price", "type": "job", "queue": "pricing"}],
    ["check>price"],
)
CHANGED = "document.body.dispatchEvent(new CustomEvent('handoff:changed', {detail: {changed: ['steps'], nodes: {}}}))"
TOLD = """
status => document.body.dispatchEvent(new CustomEvent('handoff:told', {detail: {changed: [], nodes: {}, status}}))
"""
FAILS = {
    "name": "fails",
    "nodes": [{"id": f"s{n}", "type": "noop"} for n in range(5)] + [{"id": "last", "type": "text.clean"}],
    "edges": [{"from": f"s{n}", "to": f"s{n + 1}"} for n in range(4)] + [{"from": "s4", "to": "last"}],
}


def a_run(definition, given) -> str:
    run_id = make.start(definition, given)[0]
    make.work()
    return run_id


def test_the_page_follows_and_what_was_unfolded_stays_so(visitor):
    run_id = make.start(WAITS, {"text": "A text of some words."})[0]
    visitor.open(f"/runs/{run_id}")
    expect(visitor.page.get_by_text("waits to be picked up")).to_be_visible()
    visitor.page.locator("#run-input > summary").click()
    make.work()
    visitor.page.evaluate(CHANGED)
    expect(visitor.step("check").get_by_text("Completed", exact=True)).to_be_visible()
    # By key: a mouse may go down on what a notice just then puts in its place.
    visitor.step("check").locator("summary", has_text="Output").press("Enter")
    expect(visitor.step("check").locator("details", has_text="Output")).not_to_have_attribute("open", "")
    (held,) = make.claimed("pricing")
    visitor.page.evaluate(CHANGED)
    expect(visitor.step("price").get_by_text("Running", exact=True)).to_be_visible()
    make.complete(held, output={"price": 5})
    visitor.page.evaluate(CHANGED)
    expect(visitor.page.get_by_role("heading", level=1)).to_contain_text("Completed")
    assert visitor.page.locator("#run-input").evaluate("one => one.open")
    assert not visitor.step("check").locator("details", has_text="Output").evaluate("one => one.open")
    # What one notice asked for while the last answer was on its way may still be asked; a second one asks for nothing.
    assert [] in [asked_for_a_notice(visitor, run_id) for _ in range(2)]


def test_the_end_of_a_run_is_shown_when_it_is_told_and_all_of_it_when_it_is_read(visitor):
    run_id = a_run(WAITS, {"text": "Words."})
    visitor.open(f"/runs/{run_id}")
    title = visitor.page.get_by_role("heading", level=1)
    expect(title).not_to_contain_text("Completed")
    visitor.page.evaluate(TOLD, "PENDING")
    expect(title).not_to_contain_text("Pending")
    visitor.page.evaluate(TOLD, "COMPLETED")
    expect(title.locator(".status")).to_have_text("Completed")
    visitor.page.evaluate(CHANGED)
    expect(title).not_to_contain_text("Completed")


def asked_for_a_notice(visitor, run_id) -> list[str]:
    """What the page asks of the run when it is told of a change."""
    expect(visitor.page.locator("#run.htmx-request")).to_have_count(0)
    asked = len(visitor.asked)
    visitor.page.evaluate(CHANGED)
    visitor.page.evaluate("fetch('/healthz')")
    expect(visitor.page.get_by_role("heading", level=1)).to_contain_text("Completed")
    return [url for url in visitor.asked[asked:] if f"/runs/{run_id}" in url]


def test_keys_go_from_step_to_step_to_the_failure_and_hide_the_rest(visitor):
    visitor.open(f"/runs/{a_run(FAILS, {'n': 1})}")
    press = visitor.press
    selected = visitor.page.locator("#look")
    press("j", "j")
    expect(selected).to_have_attribute("data-selected", "s1")
    press("k")
    expect(selected).to_have_attribute("data-selected", "s0")
    press("n")
    expect(selected).to_have_attribute("data-selected", "last")
    press("Escape", "e")
    expect(visitor.page.locator(".step:visible")).to_have_count(1)
    visitor.page.evaluate(CHANGED)
    expect(visitor.page.get_by_role("button", name="Errors only")).to_have_attribute("aria-pressed", "true")
    press("e")
    expect(visitor.page.locator(".step:visible")).to_have_count(6)
    press("?")
    expect(visitor.page.get_by_text("Next failure")).to_be_visible()


def test_cancelling_says_what_it_means_and_takes_a_reason(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    run_id = a_run(WAITS, {"text": "Words."})
    visitor.open(f"/runs/{run_id}")
    visitor.page.get_by_role("button", name="Cancel…").click()
    dialog = visitor.page.get_by_role("dialog", name="Cancel this run?")
    expect(dialog).to_contain_text("A cancelled run can't be resumed")
    dialog.get_by_label("Reason").fill("j k n e")
    dialog.get_by_role("button", name="Cancel the run").click()
    expect(visitor.page.get_by_role("heading", level=1)).to_contain_text("Cancelled")
    assert make.events(run_id, "RUN_CANCELLING")[0].payload["reason"] == "j k n e"


def test_filters_leave_a_short_address(visitor):
    visitor.open("/runs/")
    visitor.page.get_by_role("combobox", name="Status").select_option("Failed")
    visitor.page.get_by_role("button", name="Show").click()
    visitor.page.wait_for_url("**/runs/?status=failed")
    visitor.page.get_by_role("link", name="Clear", exact=True).click()
    visitor.page.wait_for_url("**/runs/")
