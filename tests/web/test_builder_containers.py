"""Steps within a step, by mouse: into the frame, out of it, and what becomes of the definition."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.builder import Builder

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
