"""The grid of a container's items, with a browser: one stop for Tab, arrow keys, squares for a finger."""

import pytest
from playwright.sync_api import expect

from tests import factories as make
from tests.runs.test_items import failing_at
from tests.web.conftest import log_in

pytestmark = pytest.mark.browser

CHANGED = "document.body.dispatchEvent(new CustomEvent('handoff:changed', {detail: {changed: ['steps'], nodes: {}}}))"
PLACE = "document.activeElement.textContent"
STOPS = '[...document.querySelectorAll(".item-grid a")].filter((one) => one.tabIndex === 0).length'


def test_keys_go_from_item_to_item(visitor):
    run_id = failing_at(2, 120)
    visitor.open(f"/runs/{run_id}/items/each")
    grid = visitor.page.locator(".item-grid a")
    assert grid.first.bounding_box()["width"] >= 24
    grid.first.focus()
    columns = visitor.page.evaluate(
        '[...document.querySelectorAll(".item-grid a")].findIndex((one, at, all) => one.offsetTop > all[0].offsetTop)'
    )
    seen = []
    for key in ("ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp", "End", "ArrowDown", "Home"):
        visitor.press(key)
        seen.append(int(visitor.page.evaluate(PLACE).split()[1].strip(",")))
    assert seen == [0, 1, 1 + columns, 1, 119, 119, 0]
    visitor.press("ArrowRight", "ArrowRight", "Enter")
    expect(visitor.page.locator("#item")).to_contain_text("divi")
    assert visitor.page.evaluate(STOPS) == 1
    assert visitor.page.locator('.item-grid a[tabindex="0"]').get_attribute("aria-current") == "true"


def test_the_stop_stays_where_it_was_while_the_grid_follows(visitor):
    run_id = make.start(make.mapped(max_concurrency=3), {"items": [*range(9)]})[0]
    make.work("engine")
    visitor.open(f"/runs/{run_id}/items/each")
    expect(visitor.page.locator(".item-grid a")).to_have_count(3)
    visitor.page.locator(".item-grid a").first.focus()
    visitor.press("ArrowRight")
    make.complete(*make.claimed())
    visitor.page.evaluate(CHANGED)
    expect(visitor.page.locator(".item-grid a")).to_have_count(6)
    expect(visitor.page.locator('.item-grid a[tabindex="-1"]')).to_have_count(5)
    assert visitor.page.evaluate(PLACE).startswith("Item 1,")


def test_the_item_that_is_shown_follows_in_its_place(visitor):
    run_id = make.start(make.mapped(), {"items": [7]})[0]
    make.work("engine")
    visitor.open(f"/runs/{run_id}/items/each?item=0")
    shown = visitor.page.locator("#item .step")
    for _ in range(2):
        visitor.page.evaluate(CHANGED)
        visitor.page.wait_for_timeout(600)
    expect(shown).to_have_count(1)
    make.complete(*make.claimed())
    visitor.page.evaluate(CHANGED)
    expect(visitor.page.locator("#item")).to_contain_text("Completed")
    expect(shown).to_have_count(1)
    expect(visitor.page.locator("#items")).to_contain_text("1 of 1 item ended")


@pytest.fixture
def operator(stranger, site, transactional_db):
    """An operator with a browser."""
    log_in(make.a_member("oscar", "operator"), stranger.page.context, site)
    return stranger


def test_one_failed_item_is_tried_again_from_its_page(operator):
    run_id = make.start(make.mapped({"type": "noop", "retry": "none"}), {"items": ["A", "B", "C"]})[0]
    make.work("engine")
    first, second, third = sorted(make.claimed(), key=lambda step: step.index)
    make.complete(first, third)
    make.fail(second)
    operator.open(f"/runs/{run_id}/items/each?status=FAILED")
    operator.page.locator(".item-grid a").click()
    operator.page.locator("#item").get_by_role("button", name="Try again").click()
    expect(operator.page.get_by_text("1 item is tried again.")).to_be_visible()
    make.work()
    assert make.run(run_id).output == {"results": ["A", "B", "C"]}
    assert make.history(run_id).count("STEP_COMPLETED each") == 4


def test_some_items_are_skipped_and_the_page_says_why_others_are_not(operator):
    run_id = make.start(
        make.mapped({"type": "noop", "retry": "none"}, tolerate_failures=1), {"items": ["A", "B", "C"]}
    )[0]
    make.work("engine")
    first, *others = sorted(make.claimed(), key=lambda step: step.index)
    make.complete(first)
    make.fail(others[0])
    operator.open(f"/runs/{run_id}/items/each")
    page = operator.page
    page.get_by_text("Act on several items").click()
    page.get_by_role("textbox", name="Items").fill("0-1")
    page.get_by_role("radio", name="Skip").check()
    page.get_by_label("Output, as JSON").fill('"by hand"')
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_text("1 item is skipped.")).to_be_visible()
    expect(
        page.get_by_text("Item 0: The item is COMPLETED and can't be skipped: it is done.")
    ).to_be_visible()
    make.complete(others[1])
    make.work()
    assert make.run(run_id).output["results"][1] == "by hand"
