"""The middle of S1's order fulfilment, built from nothing by mouse and started: palette, canvas, a field of each kind.
Another part is built by keyboard in `test_builder_keys.py`, and all of it by the same forms, undone and done again
in `frontend/test/order.test.mjs`.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from accounts.models import Membership
from engine.catalogue import Json
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import member
from tests.web.builder import Builder
from tests.web.hands import Hands, Mouse

pytestmark = pytest.mark.browser

EXAMPLE = (
    Path(settings.BASE_DIR) / "workflows" / "versions" / "example_definitions" / "8-order-fulfillment.json"
)
WHOLE: Json = json.loads(EXAMPLE.read_text())
REASON = (
    "{{ has(steps.approve) ? 'Compliance said no: ' + steps.approve.output.comment : 'It was not paid.' }}"
)
# What reads a step that is left out is left out, too.
CHANGED: Json = {
    "approve": {"facts": {"Customer": "{{ input.customer }}", "City": "{{ input.city }}"}},
    "stop": {"reason": REASON},
    "done": {"set": {"order": "{{ input.order_id }}", "approved_by": "{{ steps.approve.output.by }}"}},
}
PART = ("reserve", "payment", "west", "approve", "done", "stop")
ORDER: Json = WHOLE | {
    "nodes": [
        node | {"params": node["params"] | CHANGED.get(node["id"], {})}
        for node in WHOLE["nodes"]
        if node["id"] in PART
    ],
    "edges": [
        {"from": "reserve", "to": "payment"},
        {"from": "payment", "to": "west", "when": "has(output.status) && output.status == 'SUCCESS'"},
        {"from": "payment", "to": "stop", "default": True},
        {"from": "west", "to": "approve"},
        {"from": "west", "to": "done"},
        {"from": "approve", "to": "done", "branch": "approved"},
        {"from": "approve", "to": "stop", "default": True},
    ],
}
TITLES = {node["id"]: node["title"] for node in ORDER["nodes"]}
KINDS = {
    "job": "External job",
    "signal": "Wait for a signal",
    "transform": "Set values",
    "human.approval": "Ask for an approval",
}
UNITS = (("days", 86_400), ("seconds", 1))
NOT_BUILT = ("name", "title", "metadata")


@pytest.fixture
def author(visitor, ann):
    """Ann as an author, who likes things to stand still; somebody else may decide."""
    member("eve")
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def built(definition: Json) -> Json:
    """What is to be built of a definition."""
    return {name: part for name, part in definition.items() if name not in NOT_BUILT}


def in_units(seconds: int) -> tuple[str, str]:
    """A time as somebody says it."""
    return next((str(seconds // size), unit) for unit, size in UNITS if seconds % size == 0)


def settle(hands: Hands) -> None:
    """What is true of the whole workflow, into the form that is there while nothing is selected."""
    hands.text("Description", ORDER["description"])
    hands.press("JSON Schema")
    hands.text("Input", json.dumps(ORDER["input_schema"], separators=(",", ":")))
    hands.text("Sample input", json.dumps(ORDER["metadata"]["sample_input"], separators=(",", ":")))
    hands.unfold("Key and deadline")
    hands.text("Business key", ORDER["business_key"])


def name_step(hands: Hands, node: Json) -> None:
    """Its id, at once after its title, which is where the hands are."""
    hands.press("Change…")
    expect(hands.page.get_by_label("Id", exact=True)).to_be_focused()
    hands.page.keyboard.type(node["id"])
    hands.page.keyboard.press("Enter")
    expect(hands.page.locator(".insp-id code")).to_have_text(node["id"])


def set_params(hands: Hands, kind: str, params: Json) -> None:
    """What a step of its kind needs."""
    match kind:
        case "job":
            hands.pairs("Settings", params)
        case "transform":
            hands.pairs("Values", params["set"])
        case "signal":
            hands.text("Signal", params["name"])
            hands.amount("Wait at most", *in_units(params["timeout_seconds"]))
        case _:
            hands.text("Question", params["title"])
            hands.text("Instructions", params["instructions"])
            hands.pairs("Facts", params["facts"])
            for role in params["candidates"]["roles"]:
                hands.tick(role.capitalize())
            hands.amount("Deadline", *in_units(params["due_seconds"]))


RETRY = {
    "max_retries": "How often",
    "base_seconds": "First pause",
    "factor": "Growth",
    "max_seconds": "Longest pause",
    "jitter": "Spread",
}


def set_retry(hands: Hands, retry: Json) -> None:
    """How often it is tried again."""
    if retry == "none":
        hands.pick("Retries", "Never")
        return
    hands.pick("Retries", "Custom…")
    for name, label in RETRY.items():
        if name in retry:
            (hands.amount if name.endswith("seconds") else hands.text)(label, *_typed(name, retry[name]))


def _typed(name: str, value: float) -> tuple[str, ...]:
    return (str(value), "seconds") if name.endswith("seconds") else (str(value),)


def set_failure(hands: Hands, node: Json) -> None:
    """What follows when it fails, and what undoes it."""
    if not node.keys() & {"on_error", "retry", "compensate"}:
        return
    hands.unfold("When it fails")
    if "on_error" in node:
        hands.pick("If it fails for good", "Continue anyway")
    if "retry" in node:
        set_retry(hands, node["retry"])
    if "compensate" in node:
        undo = node["compensate"]
        hands.press("Add an undo step")
        hands.first("Type", KINDS[undo["type"]])
        hands.text("Title", undo["title"])
        set_params(hands, undo["type"], undo["params"])
        hands.unfold("More")
        hands.amount("Silence allowed", *in_units(undo["lease_seconds"]))
        hands.text("Queue", undo["queue"])


def describe(hands: Hands, node: Json) -> None:
    """Everything of one step that is no edge, from the top of its form to the bottom."""
    name_step(hands, node)
    set_params(hands, node["type"], node["params"])
    set_failure(hands, node)
    if "queue" in node:
        hands.unfold("Where it runs")
        hands.text("Queue", node["queue"])
        hands.amount("Silence allowed", *in_units(node["lease_seconds"]))


def say_when(hands: Hands, edge: Json) -> None:
    """When an edge is taken, from the form of the step that it leaves."""
    hands.press(f"Edit the connection to {TITLES[edge['to']]}")
    if "when" in edge:
        hands.choose("If…")
        hands.press("Expression")
        hands.text("Condition", edge["when"])
    elif "branch" in edge:
        hands.choose("On an outcome")
        hands.pick("Outcome", edge["branch"])
    else:
        hands.choose("Otherwise")


def joins(hands: Hands) -> None:
    """The one step that waits for all paths."""
    hands.unfold("When it starts")
    hands.pick("Starts when", "All paths were taken")


def start(page: Page, press: Callable[[], None]) -> None:
    """Starts it, and waits for the page of its run and what that listens to."""
    with page.expect_websocket(lambda socket: "/ws/runs/" in socket.url) as opened:
        press()
        page.wait_for_url("**/runs/*")
    # Left before it is there, a socket complains.
    opened.value.wait_for_event("framereceived")


def runs(name: str) -> list[Run]:
    """The runs of a workflow."""
    return list(Run.unsafe_all_tenants.filter(version__workflow__name=name))


def undo_and_redo(builder: Builder) -> None:
    """Back to nothing and forth to the same, by keys."""
    whole = builder.saved()
    for keys, name in (("Control+z", "Undo"), ("Control+Shift+z", "Redo")):
        button = builder.page.get_by_role("button", name=re.compile(f"^{name}"))
        while button.is_enabled():
            for _ in range(10):
                builder.page.keyboard.press(keys)
        if name == "Undo":
            assert builder.cards() == []
            assert builder.saved() == {
                "name": builder.name,
                "title": ORDER["title"],
                "nodes": [],
                "edges": [],
            }
    assert builder.saved() == whole


# Of what the keyboard builds, too, only what a mouse does otherwise.
SHORT: Json = {"west": {"params": {"order": "{{ input.order_id }}", "warehouse": "west"}}}
BY_MOUSE: Json = ORDER | {
    "nodes": [
        node | SHORT.get(node["id"], {})
        for node in ORDER["nodes"]
        if node["id"] in ("payment", "west", "approve", "done")
    ],
    "edges": [
        {"from": "payment", "to": "west", "when": "has(output.status) && output.status == 'SUCCESS'"},
        {"from": "west", "to": "approve"},
        {"from": "west", "to": "done"},
        {"from": "approve", "to": "done", "branch": "approved"},
    ],
}
CONDITIONS = [edge for edge in BY_MOUSE["edges"] if edge.keys() - {"from", "to"}]
PLACES = [(130 + 180 * (at % 4), 120 + 130 * (at // 4)) for at in range(len(BY_MOUSE["nodes"]))]


@pytest.mark.exhaustive
def test_an_order_is_built_by_mouse_published_and_started(author):
    author.open("/workflows/")
    page = author.page
    page.get_by_role("button", name="New workflow").first.click()
    page.get_by_role("dialog").get_by_label("Title").fill(ORDER["title"])
    page.get_by_role("button", name="Open the builder").click()
    page.wait_for_url("**/workflows/order-fulfilment/edit")
    builder, hands = Builder(author, "order-fulfilment", is_open=True), Mouse(page)
    settle(hands)
    errors = page.locator(".bottom-tabs .count")
    for node, place in zip(BY_MOUSE["nodes"], PLACES, strict=True):
        builder.drag_step(KINDS[node["type"]], *place)
        if node is BY_MOUSE["nodes"][0]:
            builder.zoom_out()
            builder.drag(KINDS[node["type"]], -250, -260)
        hands.text("Title", node["title"])
        describe(hands, node)
    page.get_by_role("button", name="Fit View").click()
    for edge in BY_MOUSE["edges"]:
        builder.connect(TITLES[edge["from"]], TITLES[edge["to"]])
    for edge in CONDITIONS:
        builder.card(TITLES[edge["from"]]).click()
        say_when(hands, edge)
    builder.card(TITLES["done"]).click()
    joins(hands)
    assert built(builder.saved()) == built(BY_MOUSE)
    expect(errors).to_have_attribute("aria-label", re.compile("^0 errors"))
    page.get_by_role("button", name="Publish").click()
    page.get_by_label("What’s new?").fill("From nothing, by mouse")
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.locator(".said")).to_contain_text("Published as version 1.")
    page.get_by_role("link", name="Back to the workflow").click()
    start(page, lambda: page.get_by_role("button", name="Start").click())
    expect(author.step("payment")).to_contain_text("Payment by the customer")
    assert [run.input for run in runs("order-fulfilment")] == [ORDER["metadata"]["sample_input"]]
