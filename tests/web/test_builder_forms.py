"""The form editor of the builder: each kind of field is made by keyboard and filled in at a start."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from accounts.models import Membership
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import member
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

KINDS = json.loads((Path(__file__).parent.parent / "workflows/field_kinds.json").read_text())
DRAFT = {
    "name": "ours",
    "title": "Ours",
    "nodes": [
        {"id": "ask", "type": "human.approval", "title": "Ask Ann", "params": {"title": "Is it right?"}}
    ],
    "edges": [],
}
SIMPLE = (
    "boolean",
    "text",
    "long",
    "email",
    "uri",
    "integer",
    "number",
    "date",
    "moment",
    "time",
    "person",
    "list",
)


@pytest.fixture
def builder(visitor, ann) -> Builder:
    """The builder of a workflow that asks for nothing yet; Ann may change and start it."""
    member("eve")
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    make.a_workflow("ours", DRAFT)
    return Builder(visitor, "ours")


def pane(builder: Builder) -> Locator:
    return builder.page.locator(".inspector")


def focused(builder: Builder, label: str) -> None:
    expect(builder.page.locator(":focus")).to_have_attribute("id", pane_id(builder, label))


def pane_id(builder: Builder, label: str) -> str:
    """The id of the last field with this label that is in sight."""
    return (
        pane(builder).get_by_label(label, exact=True).locator("visible=true").last.get_attribute("id") or ""
    )


def add(builder: Builder, title: str, kind: str) -> None:
    """The title and the kind of the field that was just begun; the hands are in its label before."""
    focused(builder, "Label")
    builder.page.keyboard.type(title)
    builder.page.keyboard.press("Tab")
    focused(builder, "Kind")
    builder.page.locator(":focus").select_option(kind)


def begin(builder: Builder) -> None:
    pane(builder).get_by_role("button", name="Add a field", exact=True).click()


def properties(builder: Builder) -> dict:
    return builder.saved()["input_schema"]["properties"]


def last(builder: Builder, label: str) -> Locator:
    return pane(builder).get_by_label(label, exact=True).locator("visible=true").last


def build_each_kind(builder: Builder) -> None:
    keyboard = builder.page.keyboard
    begin(builder)
    for kind in SIMPLE:
        add(builder, f"A {kind}", kind)
        keyboard.press("Enter")
    add(builder, "Price", "money")
    last(builder, "Currency").select_option("CHF")
    begin(builder)
    add(builder, "Fee", "money")
    last(builder, "Currency").select_option("other")
    last(builder, "Currency code").fill("sek")
    begin(builder)
    add(builder, "Receipt", "file")
    last(builder, "Accepted files").fill(".pdf, image/*")
    last(builder, "Largest file (MiB)").fill("0.5")
    begin(builder)
    add(builder, "Sort", "choice")
    for label, text in (("Option, 1", "travel"), ("Title of option 1", "A journey"), ("Option, 2", "meal")):
        last(builder, label).fill(text)
        keyboard.press("Enter")
    last(builder, "Remove option 3").click()
    begin(builder)
    add(builder, "Tags", "checks")
    last(builder, "Option, 1").fill("urgent")
    begin(builder)
    add(builder, "Lines", "rows")
    pane(builder).get_by_role("button", name="Add a column to Lines").click()
    add(builder, "Item", "text")
    keyboard.press("Enter")
    add(builder, "Cost", "money")
    begin(builder)
    add(builder, "Customer", "group")
    pane(builder).get_by_role("button", name="Add a field to Customer").click()
    add(builder, "Phone", "text")
    begin(builder)
    add(builder, "Destination", "text")
    last(builder, "Shown").select_option("sort")
    last(builder, "Required").check()


def test_a_form_of_each_kind_is_built_by_keyboard_and_starts_a_run(builder):
    build_each_kind(builder)
    schema = builder.saved()["input_schema"]
    made = schema["properties"]
    described = {one["kind"]: one["schema"] for one in KINDS}
    for kind in SIMPLE:
        assert made[f"a_{kind}"] == {**described[kind], "title": f"A {kind}"}
    euro = {"type": "number", "x-currency": "EUR", "title": "Cost"}
    assert {
        name: made[name] for name in ("price", "fee", "receipt", "sort", "tags", "lines", "customer")
    } == {
        "price": {**euro, "x-currency": "CHF", "title": "Price"},
        "fee": {**euro, "x-currency": "SEK", "title": "Fee"},
        "receipt": {
            "type": "string",
            "format": "file",
            "title": "Receipt",
            "x-accept": [".pdf", "image/*"],
            "x-max-bytes": 524288,
        },
        "sort": {
            "type": "string",
            "title": "Sort",
            "oneOf": [{"const": "travel", "title": "A journey"}, {"const": "meal"}],
        },
        "tags": {"type": "array", "title": "Tags", "items": {"type": "string", "enum": ["urgent"]}},
        "lines": {
            "type": "array",
            "title": "Lines",
            "items": {
                "type": "object",
                "properties": {"item": {"type": "string", "title": "Item"}, "cost": euro},
                "x-order": ["item", "cost"],
            },
        },
        "customer": {
            "type": "object",
            "title": "Customer",
            "properties": {"phone": {"type": "string", "title": "Phone"}},
        },
    }
    assert schema["allOf"] == [
        {
            "if": {"properties": {"sort": {"const": "travel"}}, "required": ["sort"]},
            "then": {
                "properties": {"destination": {"type": "string", "title": "Destination"}},
                "required": ["destination"],
            },
        }
    ]
    assert [*schema["x-order"][:2], schema["x-order"][-1]] == ["a_boolean", "a_text", "destination"]
    kinds = {one["kind"] for one in KINDS} - {"other", "money", "file", "choice", "checks", "rows", "group"}
    assert set(SIMPLE) == kinds
    start(builder)


def start(builder: Builder) -> None:
    """Whoever fills in the form gets a field for each kind, and the conditional one as soon as it applies."""
    page, definition = builder.page, builder.saved()
    make.next_version(builder._row(), definition)
    builder.visitor.open("/workflows/ours/start")
    form = page.locator("#form-fields")
    expect(form.get_by_label("A text")).to_be_visible()
    expect(form.get_by_label("Destination")).to_have_count(0)
    form.get_by_label("Sort").select_option(label="A journey")
    form.get_by_label("Destination").fill("Rome")
    form.get_by_label("A email").fill("ann@example.com")
    form.get_by_label("A integer").fill("3")
    form.get_by_label("Price").fill("12.50")
    form.get_by_label("urgent").check()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/runs/*")
    (run,) = Run.unsafe_all_tenants.all()
    given = {
        name: run.input[name] for name in ("sort", "destination", "a_email", "a_integer", "price", "tags")
    }
    assert given == {
        "sort": "travel",
        "destination": "Rome",
        "a_email": "ann@example.com",
        "a_integer": 3,
        "price": 12.5,
        "tags": ["urgent"],
    }


def test_a_kind_is_changed_without_a_loss_and_conditions_go_with_their_field(builder):
    keyboard = builder.page.keyboard
    begin(builder)
    add(builder, "Is it paid", "boolean")
    keyboard.press("Enter")
    add(builder, "Reason", "long")
    last(builder, "Help").fill("In a few words.")
    last(builder, "Required").check()
    last(builder, "Shown").select_option("is_it_paid")
    last(builder, "Is it paid is").select_option("false")
    last(builder, "Kind").select_option("email")
    schema = builder.saved()["input_schema"]
    assert schema["allOf"] == [
        {
            "if": {"properties": {"is_it_paid": {"const": False}}, "required": ["is_it_paid"]},
            "then": {
                "properties": {
                    "reason": {
                        "type": "string",
                        "format": "email",
                        "title": "Reason",
                        "description": "In a few words.",
                    }
                },
                "required": ["reason"],
            },
        }
    ]
    assert faults_by_day_and_night(builder.page, ".inspector") == []
    builder.page.set_viewport_size({"width": 390, "height": 800})
    assert not builder.visitor.scrolls_sideways()
    builder.page.set_viewport_size({"width": 1440, "height": 900})
    pane(builder).get_by_role("button", name="Remove Is it paid").click()
    schema = builder.saved()["input_schema"]
    assert "allOf" not in schema
    assert (list(schema["properties"]), schema["required"]) == (["reason"], ["reason"])


def test_the_form_of_a_human_step_is_edited_in_the_same_way(builder):
    builder.row("Ask Ann").first.click()
    section = pane(builder).locator(".insp-schema")
    if not section.is_visible():
        pane(builder).locator("summary", has_text="Form").first.click()
    begin(builder)
    add(builder, "Paid", "money")
    form = builder.saved()["nodes"][0]["params"]["form"]
    assert form == {
        "type": "object",
        "properties": {"paid": {"type": "number", "x-currency": "EUR", "title": "Paid"}},
    }
