"""Steps within a step, by mouse: into the frame, out of it, and what becomes of the definition."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder
from workflows.models import Workflow

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
            "params": {"items": [1], "body": {"steps": []}},
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


def test_steps_go_into_a_frame_and_out_of_it_by_mouse(builder):
    page = builder.page
    page.get_by_role("button", name="Add the first step").last.click()
    page.locator(".add-dialog [role=combobox]").fill("Do nothing")
    page.keyboard.press("Enter")
    page.keyboard.type("Price it")
    page.keyboard.press("Escape")
    expect(builder.row("Price it")).to_have_attribute("aria-level", "2")
    page.keyboard.press("0")
    frame, card = builder.card("For each order").bounding_box(), builder.card("Tell").bounding_box()
    builder.drag("Tell", frame["x"] + 60 - card["x"], frame["height"] * 0.7)
    expect(builder.row("Tell")).to_have_attribute("aria-level", "2")
    assert body(builder) == {
        "steps": [
            {"id": "price_it", "type": "noop", "title": "Price it"},
            {"id": "tell", "type": "noop", "title": "Tell"},
        ]
    }
    page.keyboard.press("0")
    builder.drag("Tell", 0, 260)
    expect(builder.row("Tell")).to_have_attribute("aria-level", "1")
    assert [step["id"] for step in body(builder)["steps"]] == ["price_it"]
    page.keyboard.press("Control+z")
    assert levels(builder) == [("load", "1"), ("each", "1"), ("price_it", "2"), ("tell", "2")]


def test_a_frame_is_collapsed_to_a_card_and_opened_again_by_mouse(builder):
    page = builder.page
    inner = [{"id": "price", "type": "noop", "title": "Price it"}]
    workflow = Workflow.objects.for_tenant(make.a_tenant().pk).get(name="orders")
    workflow.draft_definition["nodes"][1]["params"]["body"] = {"steps": inner}
    workflow.save(update_fields=["draft_definition"])
    page.reload()
    frame, far = builder.card("For each order"), builder.card("Tell").bounding_box()
    high = frame.bounding_box()["height"]
    frame.get_by_role("button", name="Collapse For each order").click()
    expect(builder.card("Price it")).to_have_count(0)
    expect(builder.row("Price it")).to_have_count(0)
    expect(frame).to_contain_text("1 step")
    assert frame.bounding_box()["height"] < high
    assert builder.card("Tell").bounding_box()["x"] < far["x"], "what stands behind it comes nearer"
    assert faults_by_day_and_night(page) == []
    before = builder.saved()
    assert builder.layout()["collapsed"] == {"each": True}
    page.reload()
    expect(builder.card("Price it")).to_have_count(0)
    builder.row("For each order").get_by_role("button", name="Open For each order").click()
    expect(builder.card("Price it")).to_be_visible()
    assert builder.saved() == before
    page.keyboard.press("Control+z")
    expect(builder.card("Price it")).to_have_count(0)
    page.keyboard.press("Control+f")
    page.keyboard.type("Price")
    page.keyboard.press("Enter")
    expect(builder.card("Price it")).to_be_visible()
    expect(builder.row("Price it")).to_have_attribute("aria-selected", "true")
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
    expect(builder.card("Price it")).to_be_visible()
    frame.get_by_role("button", name="Collapse For each order").click()
    expect(builder.card("Price it")).to_have_count(0)
    page.keyboard.press("Control+y")
    expect(builder.card("Price it")).to_be_visible()


def test_a_test_run_shows_how_steps_of_items_went_and_p_pins_what_one_gave(builder):
    page = builder.page
    share = {
        "id": "share",
        "type": "transform",
        "title": "Share",
        "params": {"set": {"of": "{{ 10 / item }}"}},
    }
    each = {"items": "{{ input }}", "body": {"steps": [share]}, "tolerate_failures": 1}
    workflow = Workflow.objects.for_tenant(make.a_tenant().pk).get(name="orders")
    workflow.draft_definition["nodes"][1]["params"] = each
    workflow.save(update_fields=["draft_definition"])
    page.reload()
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


def test_one_step_that_is_all_a_container_does_says_how_it_is_tried_again_and_where(builder):
    page = builder.page
    builder.row("For each order").first.click()
    forms = page.locator(".inspector .insp-forms")
    forms.get_by_role("button", name="One step").click()
    forms.get_by_label("Step type").select_option("noop")
    forms.locator(".insp-section > summary", has_text="More").click()
    forms.get_by_label("Retries", exact=True).select_option("none")
    forms.get_by_label("Queue", exact=True).fill("blocking")
    page.keyboard.press("Tab")
    once = {"type": "noop", "retry": "none", "queue": "blocking"}
    assert body(builder) == once
    forms.get_by_role("button", name="Several steps").click()
    [step] = body(builder)["steps"]
    assert step == {"id": "noop", **once}
