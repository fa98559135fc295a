"""The canvas of the builder: it opens so that it can be read, and fits whenever somebody asks for it."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.schedules import a_schedule
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

STEPS = 200
LONG = {
    "name": "long",
    "title": "Long",
    "nodes": [{"id": f"step_{at}", "type": "noop", "title": f"Step {at}"} for at in range(STEPS)],
    "edges": [{"from": f"step_{at}", "to": f"step_{at + 1}"} for at in range(STEPS - 1)],
}
LAST = f"Step {STEPS - 1}"
VIEW = "() => document.querySelector('.react-flow__viewport').style.transform"


@pytest.fixture
def builder(visitor, ann) -> Builder:
    """The builder of a workflow that is wider than the canvas, as an author sees it."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    make.a_workflow("long", LONG)
    return Builder(visitor, "long")


def all_are_seen(builder: Builder) -> None:
    """Every step is within the canvas."""
    for title in ("Step 0", LAST):
        expect(builder.card(title)).to_be_in_viewport(ratio=0.99)
        canvas, card = builder.page.locator(".canvas").bounding_box(), builder.card(title).bounding_box()
        assert canvas["x"] <= card["x"]
        assert card["x"] + card["width"] <= canvas["x"] + canvas["width"]


def lose(builder: Builder) -> None:
    """The view goes to one step, so that others are out of sight."""
    builder.page.keyboard.press("1")
    builder.row_of("step_120").click()
    expect(builder.card("Step 120")).to_be_in_viewport()
    expect(builder.card("Step 0")).not_to_be_in_viewport()


def on_canvas(builder: Builder) -> None:
    """A press on the empty canvas: keys are for it."""
    builder.page.locator(".react-flow__pane").click(position={"x": 20, "y": 200})


def test_the_canvas_opens_readable_and_fits_after_a_selection_and_an_edit(builder):
    # All of it would be too small: the beginning is there, as large as can be read.
    expect(builder.card("Step 0")).to_be_in_viewport(ratio=0.99)
    expect(builder.card(LAST)).not_to_be_in_viewport()
    assert builder.card("Step 0").bounding_box()["height"] > 30
    lose(builder)
    builder.page.keyboard.press("0")
    # What is selected is shown, and said to be a part; all of it when asked again.
    expect(builder.page.locator(".said")).to_contain_text(f"{STEPS} steps are too many to read at once.")
    expect(builder.card("Step 120")).to_be_in_viewport(ratio=0.99)
    assert builder.card("Step 120").bounding_box()["height"] > 30
    builder.page.keyboard.press("0")
    all_are_seen(builder)
    lose(builder)
    builder.page.keyboard.press("F2")
    builder.page.keyboard.type("Renamed")
    builder.saved()
    fit = builder.page.get_by_role("button", name="Fit View")
    fit.click()
    fit.click()
    all_are_seen(builder)


def test_the_view_stays_where_it_is_when_a_step_is_added_in_sight(builder):
    on_canvas(builder)
    builder.card("Step 1").click()
    before = builder.page.evaluate(VIEW)
    place = builder.card("Step 0").bounding_box()
    builder.add("Do nothing")
    expect(builder.page.locator(".react-flow__node-step.selected")).to_be_in_viewport()
    assert builder.page.evaluate(VIEW) == before
    assert builder.card("Step 0").bounding_box() == place


def test_opening_writes_nothing_and_tidying_is_taken_back_by_one_undo(builder):
    assert builder.layout() == {}
    on_canvas(builder)
    card = builder.card("Step 0")
    card.click()
    builder.page.keyboard.press("ArrowDown")
    own = builder.layout()["nodes"]
    on_canvas(builder)
    builder.page.keyboard.press("l")
    expect(builder.page.get_by_role("button", name="Undo: Tidy the canvas")).to_be_enabled()
    assert builder.layout()["nodes"] != own
    builder.page.keyboard.press("Control+z")
    assert builder.layout()["nodes"] == own
    builder.visitor.open("/workflows/long/edit")
    expect(builder.card("Step 0")).to_be_visible()
    assert builder.layout()["nodes"] == own


def test_what_starts_it_a_deadline_and_an_undo_stand_where_they_act(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    undo = {"type": "noop", "title": "Cancel the room"}
    nodes = [
        {"id": "book", "type": "noop", "title": "Book", "compensate": undo},
        {
            "id": "wait",
            "type": "signal",
            "title": "Wait",
            "params": {"name": "go", "timeout_seconds": 3600},
            "boundary_timers": [{"after_seconds": 60, "to": "late"}],
        },
        {"id": "late", "type": "noop", "title": "Late"},
    ]
    version = make.a_version({"name": "trip", "nodes": nodes, "edges": [{"from": "book", "to": "wait"}]})
    name = version.workflow.name
    a_schedule(version, name="nightly")
    builder = Builder(visitor, name)
    start = builder.page.locator(".start-card", has_text="Schedule: nightly")
    expect(start).to_be_visible()
    expect(start.get_by_role("link")).to_have_attribute("href", re.compile("/schedules/"))
    assert start.bounding_box()["x"] < builder.card("Book").bounding_box()["x"]
    expect(builder.card("Book").locator(".attached.undo")).to_have_text("Cancel the room")
    expect(builder.card("Wait").locator(".attached.due")).to_have_text("at most 1 hour")
    expect(builder.page.locator(".flow-timer.ends")).to_be_visible()
    expect(builder.page.locator(".flow-label.timer")).to_have_text("after 1 minute")


def test_two_outcomes_that_lead_to_one_step_are_two_lines_with_whole_labels(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    ask = {
        "title": "Ok?",
        "outcomes": ["approved", "needs_more_information"],
        "candidates": {"roles": ["operator"]},
    }
    nodes = [
        {"id": "ask", "type": "human.approval", "title": "Ask", "params": ask},
        {"id": "tell", "type": "noop", "title": "Tell"},
    ]
    edges = [{"from": "ask", "to": "tell", "branch": each} for each in ask["outcomes"]]
    make.a_workflow("asked", {"name": "asked", "title": "Asked", "nodes": nodes, "edges": edges})
    builder = Builder(visitor, "asked")
    labels = builder.page.locator(".flow-words")
    expect(labels).to_have_text(["approved", "needs more information"])
    assert len({line.get_attribute("d") for line in builder.page.locator("path.flow-line").all()}) == 2
    boxes = [label.bounding_box() for label in labels.all()]
    assert abs(boxes[0]["y"] - boxes[1]["y"]) >= boxes[0]["height"]
    assert all(label.evaluate("it => it.scrollWidth <= it.clientWidth") for label in labels.all())
    expect(builder.row_of("ask")).to_contain_text("needs more information → Tell")
