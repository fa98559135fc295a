"""The middle of S1's order fulfilment, built from nothing by keyboard alone and started: the outline, the forms. Three
steps that need every key and every kind of field; the mouse builds more of it.
"""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from engine.catalogue import Json
from tests import factories as make
from tests.inbox.asking import member
from tests.web import test_builder_order as recipe
from tests.web.builder import Builder
from tests.web.outline import Outline

pytestmark = pytest.mark.browser

TITLES, KINDS = recipe.TITLES, recipe.KINDS
# It is tried again and undone.
RETRIED = {"reserve": {"retry": {"max_retries": 1, "base_seconds": 1}}}
ORDER: Json = recipe.ORDER | {
    "nodes": [
        node | RETRIED.get(node["id"], {})
        for node in recipe.ORDER["nodes"]
        if node["id"] in ("reserve", "approve", "stop")
    ],
    "edges": [
        {"from": "reserve", "to": "approve", "when": "has(output.status) && output.status == 'RESERVED'"},
        {"from": "reserve", "to": "stop", "default": True},
        {"from": "approve", "to": "stop", "branch": "rejected"},
    ],
}
# A step is added behind the one that leads to it first.
FIRST_WAYS = {edge["to"]: edge for edge in reversed(ORDER["edges"])}
OTHER_WAYS = [edge for edge in ORDER["edges"] if edge not in FIRST_WAYS.values()]


@pytest.fixture
def author(visitor, ann):
    """Ann as an author, who likes things to stand still."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    member("eve")
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def by_name(definition):
    """What is built, whatever came first: what is added behind a step stands behind it in the draft, too."""
    return {
        **recipe.built(definition),
        "nodes": sorted(definition["nodes"], key=lambda node: node["id"]),
        "edges": sorted(definition["edges"], key=lambda edge: (edge["from"], edge["to"])),
    }


@pytest.fixture
def empty(author) -> Builder:
    """The builder of a workflow without a step."""
    make.a_workflow("orders", {"name": "orders", "title": ORDER["title"], "nodes": [], "edges": []})
    return Builder(author, "orders")


def build(outline: Outline) -> None:
    """All steps with their forms, then the ways that were not made with them, then when each is taken."""
    for node in ORDER["nodes"]:
        if node["id"] in FIRST_WAYS:
            outline.go(TITLES[FIRST_WAYS[node["id"]]["from"]])
        outline.add(KINDS[node["type"]], node["title"])
        recipe.describe(outline.hands, node)
        outline.leave()
    for edge in OTHER_WAYS:
        outline.connect(TITLES[edge["from"]], TITLES[edge["to"]])
        expect(outline.page.get_by_role("dialog")).to_have_count(0)
    for edge in ORDER["edges"]:
        outline.edit(TITLES[edge["from"]])
        recipe.say_when(outline.hands, edge)
        outline.leave()


def publish(outline: Outline) -> None:
    """Version 1; the hands are where they were."""
    outline.keyboard.press("Shift+p")
    outline.hands.at(".ask-dialog input")
    outline.keyboard.type("From nothing, by keyboard")
    outline.keyboard.press("Enter")
    expect(outline.page.locator(".said")).to_contain_text("Published as version 1.")


@pytest.mark.exhaustive
def test_an_order_is_built_by_keyboard_alone_undone_done_again_published_and_started(author, empty):
    page, outline = author.page, Outline(empty)
    page.keyboard.press("Enter")
    outline.hands.at(".inspector input")
    recipe.settle(outline.hands)
    outline.leave()
    build(outline)
    outline.connect(TITLES["stop"], TITLES["reserve"])
    expect(page.locator(".said")).to_contain_text("That would create a cycle")
    page.keyboard.press("Escape")
    assert by_name(empty.saved()) == by_name(ORDER)
    expect(page.locator(".bottom-tabs .count")).to_have_attribute("aria-label", re.compile("^0 errors"))
    recipe.undo_and_redo(empty)
    publish(outline)
    outline.hands.press("Start version 1")
    page.wait_for_url("**/workflows/orders/#start")
    recipe.start(page, lambda: outline.hands.press("Start"))
    expect(author.step("reserve")).to_contain_text("Reserve the items")
    assert [run.input for run in recipe.runs("orders")] == [ORDER["metadata"]["sample_input"]]


def the_outline_keeps_the_focus_when_the_step_that_has_it_is_undone(empty: Builder) -> None:
    page, outline = empty.page, Outline(empty)
    outline.begin()
    for title in ("First", "Second"):
        outline.add("Do nothing", title)
        outline.leave()
    empty.saved()
    for _ in range(2):
        page.keyboard.press("Control+z")
    expect(page.get_by_role("treeitem", name="First")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Add the first step")).to_be_focused()
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_role("treeitem")).to_be_focused()
    empty.saved()


def a_step_in_the_outline_keeps_the_focus_while_its_id_follows_its_title(empty: Builder) -> None:
    page, outline = empty.page, Outline(empty)
    outline.begin()
    outline.add("Do nothing", "First")
    page.route("**/rename-step", lambda route: (outline.hands.at("[role=combobox]"), route.continue_()))
    outline.leave()
    page.keyboard.press("a")
    expect(page.locator("[role=treeitem][data-node=first]")).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.get_by_role("treeitem", name="First")).to_be_focused()
    page.unroute("**/rename-step")


def a_steps_id_follows_its_title_although_somebody_types_on_meanwhile(empty: Builder) -> None:
    page, outline = empty.page, Outline(empty)
    outline.begin()
    outline.add("Set values", "Note the payment")
    held = []
    page.route("**/rename-step", lambda route: held.append(route), times=1)
    outline.hands.pairs("Values", {"status": "paid"})
    expect(page.locator(".insp-id code")).to_have_text("set_values")
    (late,) = held
    late.continue_()
    expect(page.locator(".insp-id code")).to_have_text("note_the_payment")
    page.keyboard.type(" in full")
    (node,) = empty.saved()["nodes"]
    assert (node["id"], node["params"]) == ("note_the_payment", {"set": {"status": "paid in full"}})


# What waits for the next frame waits until it is let go.
HELD_FRAMES = """() => {
  const waiting = [], soon = window.requestAnimationFrame;
  window.requestAnimationFrame = (then) => waiting.push(then);
  window.letGo = () => {
    window.requestAnimationFrame = soon;
    waiting.forEach((then) => then(performance.now()));
  };
}"""


def nothing_that_comes_late_takes_the_focus_from_who_goes_on(empty: Builder) -> None:
    page, outline = empty.page, Outline(empty)
    outline.begin()
    page.evaluate(HELD_FRAMES)
    outline.add("Do nothing", "First")
    page.evaluate("letGo()")
    outline.hands.at("[data-title]")
    outline.leave()
    assert [node["title"] for node in empty.saved()["nodes"]] == ["First"]


BOTH = """() => {
  window.both = 0;
  const look = () => (window.both += document.querySelectorAll(".code-text:has(.cm-content) > textarea").length);
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def a_field_is_never_there_twice_while_it_becomes_the_editor(empty: Builder) -> None:
    page, hands = empty.page, Outline(empty).hands
    page.evaluate(BOTH)
    page.keyboard.press("Enter")
    hands.at(".inspector input")
    hands.unfold("Key and deadline")
    hands.text("Business key", "{{ input.order }}")
    assert empty.saved()["business_key"] == "{{ input.order }}"
    assert page.evaluate("window.both") == 0


MOMENTS = (
    # This is about what is there while no step is selected.
    a_field_is_never_there_twice_while_it_becomes_the_editor,
    the_outline_keeps_the_focus_when_the_step_that_has_it_is_undone,
    a_step_in_the_outline_keeps_the_focus_while_its_id_follows_its_title,
    a_steps_id_follows_its_title_although_somebody_types_on_meanwhile,
    nothing_that_comes_late_takes_the_focus_from_who_goes_on,
)


def test_the_hands_stay_where_they_are_whatever_comes_meanwhile(empty, subtests):
    for moment in MOMENTS:
        with subtests.test(moment.__name__):
            moment(empty)
            # The hands are on the page then.
            Outline(empty).leave()
            empty.take_all_back(lambda: empty.page.keyboard.press("Control+z"))
            assert empty.saved()["nodes"] == []
