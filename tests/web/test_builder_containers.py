"""Steps within a step, by mouse: into the frame, out of it, and what becomes of the definition."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder
from tests.web.hands import Mouse

pytestmark = pytest.mark.browser

DEFINITION = {
    "name": "orders",
    "title": "Orders",
    "nodes": [
        {"id": "load", "type": "noop", "title": "Load"},
        {
            "id": "each",
            "type": "map",
            "title": "For each order",
            "params": {"items": "{{ input }}", "body": {"steps": []}, "tolerate_failures": 1},
        },
        {"id": "tell", "type": "noop", "title": "Tell"},
    ],
    "edges": [{"from": "load", "to": "each"}, {"from": "each", "to": "tell"}],
}


@pytest.fixture
def builder(visitor, ann) -> Builder:
    """The builder of a workflow with a container that waits for its first step."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    make.a_workflow("orders", DEFINITION)
    return Builder(visitor, "orders")


def levels(builder: Builder) -> list[tuple[str | None, str | None]]:
    """The steps of the outline, and how deep they stand."""
    rows = builder.page.get_by_role("treeitem").all()
    return [(row.get_attribute("data-node"), row.get_attribute("aria-level")) for row in rows]


def body(builder: Builder) -> dict:
    """What the container does, as it is saved."""
    [each] = [node for node in builder.saved()["nodes"] if node["id"] == "each"]
    return each["params"]["body"]


def distance(builder: Builder) -> float:
    """How far the last step stands to the right of the frame, wherever the canvas is scrolled to."""
    return builder.card("Tell").bounding_box()["x"] - builder.card("For each order").bounding_box()["x"]


SHARE = {"id": "share", "type": "transform", "title": "Share", "params": {"set": {"of": "{{ 10 / item }}"}}}
TELL = {"id": "tell", "type": "noop", "title": "Tell"}


def test_steps_go_into_a_frame_and_out_of_it_it_is_collapsed_and_tested_by_mouse(builder):
    fill_the_frame(builder)
    drag_in_and_out(builder)
    collapse(builder)
    find_in_a_collapsed_frame(builder)
    try_for_each_item(builder)


def fill_the_frame(builder: Builder) -> None:
    """Its first step."""
    page = builder.page
    page.get_by_role("button", name="Add the first step").last.click()
    page.locator(".add-dialog [role=combobox]").fill("Set values")
    page.keyboard.press("Enter")
    page.keyboard.type("Share")
    Mouse(page).pairs("Values", SHARE["params"]["set"])
    page.keyboard.press("Escape")
    expect(builder.row("Share")).to_have_attribute("aria-level", "2")
    assert body(builder) == {"steps": [SHARE]}


def drag_in_and_out(builder: Builder) -> None:
    """Another step, which is back where it stood when that is undone."""
    page = builder.page
    page.keyboard.press("0")
    builder.card("Tell").hover()  # which waits until all of it is in sight
    frame, card = builder.card("For each order").bounding_box(), builder.card("Tell").bounding_box()
    builder.drag("Tell", frame["x"] + 60 - card["x"], frame["height"] * 0.7)
    expect(builder.row("Tell")).to_have_attribute("aria-level", "2")
    assert body(builder) == {"steps": [SHARE, TELL]}
    page.keyboard.press("0")
    builder.drag("Tell", 0, 260)
    expect(builder.row("Tell")).to_have_attribute("aria-level", "1")
    assert body(builder) == {"steps": [SHARE]}
    page.keyboard.press("Control+z")
    assert levels(builder) == [("load", "1"), ("each", "1"), ("share", "2"), ("tell", "2")]
    page.keyboard.press("Control+z")
    assert levels(builder) == [("load", "1"), ("each", "1"), ("share", "2"), ("tell", "1")]


def collapse(builder: Builder) -> None:
    """To a card, and open again; it stands in the layout, and each is undone."""
    page, frame = builder.page, builder.card("For each order")
    page.keyboard.press("0")
    builder.card("Tell").hover()
    before, far = builder.saved(), builder.card("Tell").bounding_box()
    high = frame.bounding_box()["height"]
    frame.get_by_role("button", name="Collapse For each order").click()
    expect(builder.card("Share")).to_have_count(0)
    expect(builder.row("Share")).to_have_count(0)
    expect(frame).to_contain_text("1 step")
    assert frame.bounding_box()["height"] < high
    assert builder.card("Tell").bounding_box()["x"] < far["x"], "what stands behind it comes nearer"
    assert faults_by_day_and_night(page) == []
    assert builder.saved() == before
    assert builder.layout()["collapsed"] == {"each": True}
    builder.row("For each order").get_by_role("button", name="Open For each order").click()
    expect(builder.card("Share")).to_be_visible()
    assert builder.saved() == before
    page.keyboard.press("Control+z")
    expect(builder.card("Share")).to_have_count(0)


def find_in_a_collapsed_frame(builder: Builder) -> None:
    """Who looks has it open for themselves, until they move what stands behind it."""
    page, frame = builder.page, builder.card("For each order")
    page.keyboard.press("Control+f")
    page.keyboard.type("Share")
    page.keyboard.press("Enter")
    expect(builder.card("Share")).to_be_visible()
    expect(builder.row("Share")).to_have_attribute("aria-selected", "true")
    assert builder.layout()["collapsed"] == {"each": True}, "who looks has it open for themselves"
    builder.card("Tell").hover()  # which waits until the canvas has brought the found step into sight
    builder.zoom_out()  # near its edge the canvas would move along with what is dragged
    behind = distance(builder)
    builder.drag("Tell", 60, 0)
    # To the grid, and not back by what the frame takes.
    assert abs(distance(builder) - behind - 60) <= 10, "what is put somewhere by mouse stays there"
    assert not builder.layout().get("collapsed")
    page.keyboard.press("Control+z")
    assert builder.layout()["collapsed"] == {"each": True}
    expect(builder.card("Share")).to_be_visible()
    frame.get_by_role("button", name="Collapse For each order").click()
    expect(builder.card("Share")).to_have_count(0)
    page.keyboard.press("Control+y")
    expect(builder.card("Share")).to_be_visible()


def try_for_each_item(builder: Builder) -> None:
    """A test run shows how the steps of items went, and P pins what one gave."""
    page = builder.page
    builder.row("Share").click()
    page.keyboard.press("t")
    page.locator(".test-asked textarea").fill("[0, 5, 2]")
    page.get_by_role("button", name="Run the draft").click()
    expect(page.locator(".test-result")).to_be_visible()
    make.work()
    expect(page.locator(".test-result header .status")).to_have_text("completed")
    expect(builder.card("Share").locator(".badge.status")).to_have_text("1 of 3 failed")
    shown = page.locator(".test-values")
    expect(shown.locator(".test-step-head")).to_contain_text("2 completed, 1 failed")
    shown.get_by_role("button", name="item 1, failed").click()
    expect(shown.locator(".bad-words")).to_be_visible()
    shown.get_by_role("button", name="item 2").click()
    expect(shown.get_by_role("region", name="Output")).to_contain_text("2")
    assert faults_by_day_and_night(page) == []
    builder.row("Share").click()
    page.keyboard.press("p")
    expect(builder.card("Share").locator("[title='Output pinned for tests']")).to_be_visible()
    assert builder.layout()["pins"] == {"share": {"of": 2}}
