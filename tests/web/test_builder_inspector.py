"""The inspector of the builder: every field is set, taken back and saved as it was meant."""

import pytest
from playwright.sync_api import Locator, expect

from accounts.models import Membership
from tests import factories as make
from tests.families import exhaustive
from tests.inbox.asking import member
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

ORDERS = {
    "name": "ours",
    "title": "Ours",
    "metadata": {"sample_input": {"amount": 1500, "vip": True, "order": "A-17"}},
    "input_schema": {
        "type": "object",
        "required": ["amount"],
        "properties": {
            "amount": {"type": "integer", "title": "Amount", "minimum": 1},
            "vip": {"type": "boolean"},
            "order": {"type": "string"},
        },
    },
    "nodes": [
        {"id": "check", "type": "decision", "title": "Check it"},
        {
            "id": "note",
            "type": "transform",
            "title": "Note it",
            "params": {"set": {"amount": "{{ input.amount }}", "kind": "big"}},
        },
        {"id": "ask", "type": "human.approval", "title": "Ask Ann", "params": {"title": "Is it right?"}},
        {
            "id": "call",
            "type": "http.request",
            "title": "Call them",
            "params": {"method": "POST", "url": "https://shop.example/{{ steps.note.output.kind }}"},
        },
    ],
    "edges": [
        {"from": "check", "to": "note"},
        {"from": "check", "to": "ask", "default": True},
        {"from": "note", "to": "call"},
    ],
}


@pytest.fixture
def author(visitor, ann):
    """Ann as an author; somebody else may decide."""
    member("eve")
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    return visitor


@pytest.fixture
def orders(author) -> Builder:
    """The builder of a workflow with conditions, a person and a request."""
    make.a_workflow("ours", ORDERS)
    return Builder(author, "ours")


def node(builder: Builder, name: str) -> dict:
    return next(node for node in builder.saved()["nodes"] if node["id"] == name)


def edge(builder: Builder, target: str) -> dict:
    return next(edge for edge in builder.saved()["edges"] if edge["to"] == target)


def pane(builder: Builder) -> Locator:
    return builder.page.locator(".inspector")


def choose(builder: Builder, title: str) -> None:
    builder.row(title).first.click()
    expect(pane(builder).get_by_label("Title", exact=True)).to_have_value(title)


def unfold(builder: Builder, section: str) -> None:
    pane(builder).locator(".insp-section > summary", has_text=section).click()


def write(code: Locator, text: str) -> None:
    """Types a text in place of what a field for code has."""
    code.click()
    code.press("Control+a")
    code.press("Delete")
    code.press_sequentially(text)


def undo(builder: Builder) -> None:
    builder.page.get_by_role("button", name="Undo").click()


def a_text_is_set_saved_and_undone_as_one_act(orders: Builder) -> None:
    choose(orders, "Ask Ann")
    question = pane(orders).get_by_label("Question", exact=False).first
    question.press("End")
    question.press_sequentially(" Really?")
    assert node(orders, "ask")["params"]["title"] == "Is it right? Really?"
    expect(orders.page.get_by_role("button", name="Undo: Change Question of Ask Ann")).to_be_visible()
    undo(orders)
    expect(question).to_have_value("Is it right?")
    assert node(orders, "ask")["params"]["title"] == "Is it right?"


def a_time_is_a_number_with_a_unit_and_one_typed_wrong_is_kept_and_told(orders: Builder) -> None:
    choose(orders, "Ask Ann")
    field = pane(orders).locator(".insp-field", has=orders.page.get_by_label("Deadline", exact=True)).last
    field.get_by_label("Unit").select_option("days")
    amount = field.get_by_label("Deadline", exact=True)
    amount.fill("3")
    assert node(orders, "ask")["params"]["due_seconds"] == 3 * 86_400
    amount.fill("soon")
    expect(field.locator(".faults")).to_be_visible()
    expect(amount).to_have_attribute("aria-invalid", "true")
    assert node(orders, "ask")["params"]["due_seconds"] == "soon"


def a_literal_becomes_an_expression_of_the_same_type_and_comes_back(orders: Builder) -> None:
    choose(orders, "Ask Ann")
    pane(orders).get_by_label("Urgency").fill("5")
    field = pane(orders).locator(".insp-field", has_text="Urgency").last
    switch = field.get_by_role("button", name="Expression for Urgency")
    switch.click()
    expect(field.locator(".cm-content")).to_have_text("{{ 5 }}")
    assert node(orders, "ask")["params"]["priority"] == "{{ 5 }}"
    expect(field.locator(".preview")).to_contain_text("5whole number")
    switch.click()
    assert node(orders, "ask")["params"]["priority"] == 5
    undo(orders)
    assert node(orders, "ask")["params"]["priority"] == "{{ 5 }}"
    undo(orders)
    assert node(orders, "ask")["params"]["priority"] == 5


def an_expression_that_reads_something_comes_back_when_the_switch_is_pressed_twice(orders: Builder) -> None:
    choose(orders, "Call them")
    field = pane(orders).locator(".insp-field", has_text="Address").first
    switch = field.get_by_role("button", name="Expression for Address")
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.click()
    assert "url" not in node(orders, "call")["params"]
    switch.click()
    assert node(orders, "call")["params"]["url"] == "https://shop.example/{{ steps.note.output.kind }}"


def two_braces_go_on_in_the_editor_with_what_can_be_read_and_tab_leaves_it(orders: Builder) -> None:
    choose(orders, "Ask Ann")
    question = pane(orders).get_by_label("Question").first
    question.press("End")
    orders.page.keyboard.type(" {{ input.am", delay=40)
    field = pane(orders).locator(".insp-field", has_text="Question").first
    expect(orders.page.locator(".cm-tooltip-autocomplete li").first).to_contain_text("input.amount")
    orders.page.keyboard.press("Enter")
    expect(field.locator(".cm-content")).to_contain_text("Is it right? {{ input.amount")
    expect(field.locator(".preview")).to_contain_text("Is it right? 1500")
    expect(field.locator(".preview")).to_contain_text("sample input")
    orders.page.keyboard.press("Tab")
    expect(field.locator(".cm-content")).not_to_be_focused()
    assert "{{ input.amount" in node(orders, "ask")["params"]["title"]


def a_value_is_put_in_from_a_list_by_keyboard(orders: Builder) -> None:
    choose(orders, "Ask Ann")
    pane(orders).get_by_role("button", name="Expression for Question").click()
    pane(orders).get_by_role("button", name="Insert…").first.click()
    orders.page.keyboard.type("input.order")
    expect(orders.page.locator(".pick-dialog [role=option][aria-selected=true]")).to_contain_text(
        "input.order"
    )
    orders.page.keyboard.press("Enter")
    assert node(orders, "ask")["params"]["title"] == "Is it right?{{ input.order }}"
    expect(pane(orders).locator(".preview").first).to_contain_text("A-17")


def names_and_values_are_added_named_changed_and_removed(orders: Builder) -> None:
    choose(orders, "Note it")
    rows = pane(orders).locator(".insp-pair")
    expect(rows).to_have_count(2)
    pane(orders).get_by_role("button", name="Add another").click()
    orders.page.keyboard.type("sure")
    orders.page.keyboard.press("Enter")
    rows.last.get_by_label("sure: kind").select_option("switch")
    assert node(orders, "note")["params"]["set"]["sure"] is False
    rows.last.get_by_label("sure: kind").select_option("number")
    rows.last.get_by_label("sure", exact=True).fill("7")
    assert node(orders, "note")["params"]["set"] == {"amount": "{{ input.amount }}", "kind": "big", "sure": 7}
    rows.last.get_by_label("Values: name").fill("kind")
    expect(rows.last.locator(".faults")).to_contain_text("kind already exists.")
    rows.last.get_by_label("Values: name").fill("certain")
    orders.page.keyboard.press("Enter")
    assert node(orders, "note")["params"]["set"]["certain"] == 7
    rows.last.get_by_role("button", name="Remove certain").click()
    assert node(orders, "note")["params"]["set"] == {"amount": "{{ input.amount }}", "kind": "big"}
    undo(orders)
    assert node(orders, "note")["params"]["set"]["certain"] == 7


def json_that_is_none_yet_stays_in_its_field(orders: Builder) -> None:
    choose(orders, "Call them")
    field = pane(orders).locator(".insp-field", has_text="Content as JSON").last
    write(field.locator(".cm-content"), '{"order": ')
    expect(field.locator(".fault")).to_contain_text("not valid JSON yet")
    choose(orders, "Ask Ann")
    choose(orders, "Call them")
    expect(field.locator(".cm-content")).to_have_text('{"order": }')
    write(field.locator(".cm-content"), '{"order": 17}')
    expect(field.locator(".fault")).to_have_count(0)
    assert node(orders, "call")["params"]["json"] == {"order": 17}


def an_edge_gets_its_condition_from_parts_and_in_words(orders: Builder) -> None:
    choose(orders, "Check it")
    pane(orders).get_by_role("button", name="Edit the connection to Note it").click()
    pane(orders).get_by_label("If…").check()
    pane(orders).get_by_role("button", name="Choose a value").click()
    orders.page.keyboard.type("input.amount")
    expect(orders.page.locator("dialog[open] [role=option]").first).to_be_visible()
    orders.page.keyboard.press("Enter")
    pane(orders).get_by_label("Operator").select_option(">=")
    pane(orders).get_by_label("Value to compare with").fill("1000")
    assert edge(orders, "note")["when"] == "input.amount >= 1000"
    expect(pane(orders).locator(".in-words")).to_contain_text("amount ≥ 1000")
    expect(pane(orders).locator(".preview")).to_contain_text("true")
    pane(orders).get_by_role("button", name="Expression", exact=True).click()
    expect(pane(orders).locator(".cm-content")).to_have_text("input.amount >= 1000")
    pane(orders).get_by_label("Otherwise").check()
    assert edge(orders, "note") == {"from": "check", "to": "note", "default": True}
    undo(orders)
    assert edge(orders, "note")["when"] == "input.amount >= 1000"


def an_edge_takes_an_outcome_and_another_place_in_the_order(orders: Builder) -> None:
    choose(orders, "Check it")
    pane(orders).get_by_role("button", name="Check the connection to Ask Ann earlier").click()
    assert [edge["to"] for edge in orders.saved()["edges"]] == ["ask", "note", "call"]
    undo(orders)
    assert [edge["to"] for edge in orders.saved()["edges"]] == ["note", "ask", "call"]
    pane(orders).get_by_role("button", name="Edit the connection to Note it").click()
    pane(orders).get_by_label("On an outcome").check()
    pane(orders).get_by_label("Outcome name").fill("big")
    assert edge(orders, "note")["branch"] == "big"
    pane(orders).get_by_label("To", exact=True).select_option("call")
    assert edge(orders, "call")["branch"] == "big"
    undo(orders)
    assert orders.edges() == ["check>note", "check>ask", "note>call"]


def a_deadline_leads_elsewhere_and_becomes_a_reminder(orders: Builder) -> None:
    choose(orders, "Ask Ann")
    unfold(orders, "Deadlines and reminders")
    pane(orders).get_by_role("button", name="Add a deadline").click()
    pane(orders).get_by_label("Goes to").select_option("call")
    pane(orders).get_by_label("After", exact=True).fill("2")
    assert node(orders, "ask")["boundary_timers"] == [{"after_seconds": 2 * 86_400, "to": "call"}]
    pane(orders).get_by_label("When it is reached").select_option("no")
    assert node(orders, "ask")["boundary_timers"][0]["interrupting"] is False
    undo(orders)
    assert "interrupting" not in node(orders, "ask")["boundary_timers"][0]
    pane(orders).get_by_role("button", name="Remove the timer, after 2 days").click()
    assert "boundary_timers" not in node(orders, "ask")


def a_step_is_renamed_with_what_reads_it_and_all_of_it_is_undone_at_once(orders: Builder) -> None:
    orders.visitor.forgive("400 (Bad Request)")
    choose(orders, "Note it")
    pane(orders).get_by_role("button", name="Change…").click()
    pane(orders).get_by_label("Id", exact=True).fill("ask")
    orders.page.keyboard.press("Enter")
    expect(pane(orders).locator(".insp-rename .faults")).to_contain_text("already")
    pane(orders).get_by_label("Id", exact=True).fill("written")
    orders.page.keyboard.press("Enter")
    expect(pane(orders).locator(".insp-id code")).to_have_text("written")
    assert node(orders, "call")["params"]["url"] == "https://shop.example/{{ steps.written.output.kind }}"
    assert orders.edges() == ["check>written", "check>ask", "written>call"]
    undo(orders)
    assert node(orders, "call")["params"]["url"] == "https://shop.example/{{ steps.note.output.kind }}"
    assert [node["id"] for node in orders.saved()["nodes"]] == ["check", "note", "ask", "call"]


def the_id_of_a_new_step_follows_its_title_and_the_focus_stays(orders: Builder) -> None:
    choose(orders, "Call them")
    orders.add("Do nothing")
    title = pane(orders).get_by_label("Title", exact=True)
    title.fill("Pack the box")
    orders.page.keyboard.press("Tab")
    expect(pane(orders).locator(".insp-id code")).to_have_text("pack_the_box")
    expect(pane(orders).get_by_role("button", name="Change…")).to_be_focused()
    assert "call>pack_the_box" in orders.edges()


def what_a_run_is_given_is_built_field_by_field_and_nothing_else_is_lost(orders: Builder) -> None:
    fields = pane(orders).locator(".insp-schema .insp-rows > li")
    expect(fields).to_have_count(3)
    pane(orders).get_by_role("button", name="Add a field").click()
    fields.last.get_by_label("Label").fill("Sort of order")
    orders.page.keyboard.press("Tab")
    expect(fields.last.get_by_label("Name", exact=True)).to_have_value("sort_of_order")
    fields.last.get_by_label("Kind").select_option("choice")
    fields.last.get_by_label("Option, 1").fill("new")
    orders.page.keyboard.press("Enter")
    orders.page.keyboard.type("again")
    fields.last.get_by_role("checkbox", name="Required").check()
    schema = orders.saved()["input_schema"]
    assert schema["properties"]["sort_of_order"] == {
        "type": "string",
        "enum": ["new", "again"],
        "title": "Sort of order",
    }
    assert schema["required"] == ["amount", "sort_of_order"]
    assert schema["properties"]["amount"] == {"type": "integer", "title": "Amount", "minimum": 1}
    undo(orders)
    assert orders.saved()["input_schema"]["required"] == ["amount"]


def the_settings_say_what_a_run_is_called_and_gives(orders: Builder) -> None:
    unfold(orders, "Key and deadline")
    unfold(orders, "Run output")
    key = pane(orders).locator(".insp-field", has_text="Business key").last
    write(key.locator(".cm-content"), "{{ input.order }}")
    expect(key.locator(".preview")).to_contain_text("A-17")
    pane(orders).get_by_label("Result").first.select_option("map")
    pane(orders).get_by_role("button", name="Add one").click()
    orders.page.keyboard.type("total")
    orders.page.keyboard.press("Enter")
    saved = orders.saved()
    assert saved["business_key"] == "{{ input.order }}"
    assert saved["output"] == {"total": ""}


def several_ways_and_a_condition_that_was_just_chosen_have_no_fault_that_axe_finds(orders: Builder) -> None:
    choose(orders, "Check it")
    assert faults_by_day_and_night(orders.page, ".inspector") == []
    pane(orders).get_by_role("button", name="Edit the connection to Note it").click()
    pane(orders).get_by_label("If…").check()
    assert faults_by_day_and_night(orders.page, ".inspector") == []


ACTS = (
    # These two are about what is there while no step is selected.
    what_a_run_is_given_is_built_field_by_field_and_nothing_else_is_lost,
    the_settings_say_what_a_run_is_called_and_gives,
    # Each of these begins at another step than the one before: its form is as new.
    a_text_is_set_saved_and_undone_as_one_act,
    an_expression_that_reads_something_comes_back_when_the_switch_is_pressed_twice,
    names_and_values_are_added_named_changed_and_removed,
    a_time_is_a_number_with_a_unit_and_one_typed_wrong_is_kept_and_told,
    json_that_is_none_yet_stays_in_its_field,
    two_braces_go_on_in_the_editor_with_what_can_be_read_and_tab_leaves_it,
    an_edge_gets_its_condition_from_parts_and_in_words,
    a_step_is_renamed_with_what_reads_it_and_all_of_it_is_undone_at_once,
    the_id_of_a_new_step_follows_its_title_and_the_focus_stays,
    several_ways_and_a_condition_that_was_just_chosen_have_no_fault_that_axe_finds,
)
FURTHER_ACTS = (
    a_literal_becomes_an_expression_of_the_same_type_and_comes_back,
    an_edge_takes_an_outcome_and_another_place_in_the_order,
    a_value_is_put_in_from_a_list_by_keyboard,
    a_deadline_leads_elsewhere_and_becomes_a_reminder,
)


@pytest.mark.parametrize("acts", [ACTS, exhaustive((FURTHER_ACTS,))], ids=["", "further"])
def test_each_field_is_set_taken_back_and_saved_as_it_was_meant(orders, subtests, acts):
    for act in acts:
        with subtests.test(act.__name__):
            act(orders)
            # Then the draft is what it was, whatever was done to it.
            orders.take_all_back(lambda: undo(orders))
            assert orders.saved() == ORDERS


def test_who_may_only_look_sees_everything_and_changes_nothing(visitor):
    make.a_workflow("ours", ORDERS)
    builder = Builder(visitor, "ours")
    choose(builder, "Ask Ann")
    expect(pane(builder).get_by_label("Question").first).to_be_disabled()
