"""The canvas of the builder: it opens so that it can be read, and fits whenever somebody asks for it."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

LONG = {
    "name": "long",
    "title": "Long",
    "nodes": [{"id": f"step_{at}", "type": "noop", "title": f"Step {at}"} for at in range(12)],
    "edges": [{"from": f"step_{at}", "to": f"step_{at + 1}"} for at in range(11)],
}


@pytest.fixture
def builder(visitor, ann) -> Builder:
    """The builder of a workflow that is wider than the canvas, as an author sees it."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    make.a_workflow("long", LONG)
    return Builder(visitor, "long")


def all_are_seen(builder: Builder) -> None:
    """Every step is within the canvas."""
    for title in ("Step 0", "Step 11"):
        expect(builder.card(title)).to_be_in_viewport(ratio=0.99)
        canvas, card = builder.page.locator(".canvas").bounding_box(), builder.card(title).bounding_box()
        assert canvas["x"] <= card["x"]
        assert card["x"] + card["width"] <= canvas["x"] + canvas["width"]


def lose(builder: Builder) -> None:
    """The view goes to one step, so that others are out of sight."""
    builder.page.keyboard.press("1")
    builder.row("Step 6").click()
    expect(builder.card("Step 6")).to_be_in_viewport()
    expect(builder.card("Step 0")).not_to_be_in_viewport()


def test_the_canvas_opens_readable_and_fits_after_a_selection_and_an_edit(builder):
    # All of it would be too small: the beginning is there, as large as can be read.
    expect(builder.card("Step 0")).to_be_in_viewport(ratio=0.99)
    expect(builder.card("Step 11")).not_to_be_in_viewport()
    assert builder.card("Step 0").bounding_box()["height"] > 30
    lose(builder)
    builder.page.keyboard.press("0")
    all_are_seen(builder)
    lose(builder)
    builder.page.keyboard.press("F2")
    builder.page.keyboard.type("Renamed")
    builder.saved()
    builder.page.get_by_role("button", name="Fit View").click()
    all_are_seen(builder)
