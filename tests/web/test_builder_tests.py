"""Tests and versions in the builder: what only a browser shows of them."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Membership
from lib.masking import MASK
from runs.models import Run
from tests import factories as make
from tests.definitions import chain
from tests.web.builder import Builder
from tests.web.test_workflow_pages import a_workflow
from workflows.models import Workflow

pytestmark = pytest.mark.browser
TEXTS = {
    "name": "ours",
    "nodes": [{"id": "a", "type": "text.clean", "title": "First"}, {"id": "b", "type": "noop"}],
    "edges": [{"from": "a", "to": "b"}],
}


@pytest.fixture
def author(visitor, ann):
    """Ann as an author, who likes things to stand still."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def ours() -> Workflow:
    return Workflow.objects.for_tenant(make.a_tenant().pk).get(name="ours")


FULL = "void (Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') })"


def test_an_output_too_large_for_the_run_is_pinned_whole_though_the_browser_can_keep_nothing(author):
    make.a_workflow("ours", TEXTS)
    builder, page = Builder(author, "ours"), author.page
    page.evaluate(FULL)
    page.keyboard.press("t")
    text = "word. " * 60_000
    field = page.locator(".test-asked textarea")
    field.fill(json.dumps({"text": text}))
    expect(field).to_have_value(json.dumps({"text": text}))
    page.get_by_role("button", name="Run the draft").click()
    expect(page.locator(".test-result")).to_be_visible()
    make.work()
    run = Run.unsafe_all_tenants.get()
    assert run.status == "COMPLETED", run.error
    expect(page.locator(".test-result header .status")).to_have_text("completed")
    page.locator(".test-step", has_text="First").click()
    expect(page.locator(".data-value").last).to_contain_text("word. word.")
    page.get_by_role("button", name="Pin this output").click()
    expect(page.get_by_role("button", name="Unpin the output")).to_be_visible()
    assert builder.layout()["pins"]["a"]["text"] == text.strip()


def test_a_draft_that_can_not_be_drawn_is_shown_as_text_and_a_version_restored_over_it(author):
    a_workflow(definition=chain("ours", length=2))
    twice = [{"id": "a", "type": "noop"}, {"id": "a", "type": "noop"}]
    Workflow.objects.for_tenant(make.a_tenant().pk).update(
        draft_definition={"name": "ours", "nodes": twice, "edges": []}
    )
    builder, page = Builder(author, "ours"), author.page
    expect(page.locator(".code-head [role=status]")).to_contain_text("Two steps have the id a.")
    expect(page.get_by_role("link", name="Fix it")).to_be_visible()
    expect(page.get_by_role("tab", name="Problems")).to_contain_text("2")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".react-flow__node-step")).to_have_count(2)
    assert len(builder.saved()["nodes"]) == 2


def test_on_a_phone_a_test_case_is_edited_without_its_secrets_and_publishing_leads_to_it_as_it_fails(author):
    make.a_workflow("ours", TEXTS)
    Workflow.objects.for_tenant(make.a_tenant().pk).update(draft_definition={**TEXTS, "title": "New"})
    given = {"text": "Words.", "login": {"api_key": "sesame-sesame"}}
    case = make.CaseFactory(workflow=ours(), input=given, expect={"status": "FAILED", "path": None})
    author.forgive("422")
    author.page.set_viewport_size({"width": 390, "height": 844})
    _, page = Builder(author, "ours"), author.page
    edit_a_case(page)
    case.refresh_from_db()
    assert case.input == given | {"text": "Other words."}
    publish_what_fails(page)


def edit_a_case(page: Page) -> None:
    """Its secrets are not seen, and kept."""
    page.keyboard.press("t")
    page.get_by_role("button", name="Test cases").click()
    page.locator(".cases").get_by_role("button", name="Edit", exact=True).click()
    box = page.get_by_role("dialog").locator("textarea")
    text = box.input_value()
    assert json.loads(text)["input"]["login"] == {"api_key": MASK}
    box.fill(text.replace("Words.", "Other words."))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    # What publishing leads to is somewhere else then.
    page.get_by_role("button", name="Test run", exact=True).click()
    page.get_by_role("tab", name="History").click()


def publish_what_fails(page: Page) -> None:
    """The case says what it got; deleted, it can be had back."""
    page.locator(".builder-head").get_by_role("button", name="Publish").click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Show test cases").click()
    expect(page.locator(".case-name")).to_contain_text('status: expected "FAILED", got "COMPLETED"')
    expect(page.get_by_role("button", name="Test cases")).to_be_visible()
    page.get_by_role("button", name="Delete A paid order").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".case-name")).to_contain_text("A paid order")


SHAPED = {"who": "{{ input.customer }}", "total": "{{ input.amount }}", "lines": "{{ input.lines }}"}
LETTER = {
    "name": "ours",
    "nodes": [
        {"id": "shape", "type": "transform", "title": "Shape", "params": {"set": SHAPED}},
        {"id": "note", "type": "transform", "title": "Letter", "params": {"set": {"text": "Dear "}}},
    ],
    "edges": [{"from": "shape", "to": "note"}],
    "metadata": {"sample_input": {"customer": "Ada", "amount": 12, "lines": [{"sku": "A"}, {"sku": "B"}]}},
}


def letter(builder: Builder) -> str:
    """What the letter says in the saved draft."""
    return builder.saved()["nodes"][1]["params"]["set"]["text"]


def test_values_of_a_test_run_are_put_into_a_field_by_keys_by_mouse_and_by_a_slash(author):
    """From a test run to the field of a later step, and back to a run from that step on."""
    make.a_workflow("ours", LETTER)
    builder, page = Builder(author, "ours"), author.page
    page.keyboard.press("t")
    page.get_by_role("button", name="Run the draft").click()
    expect(page.locator(".test-result")).to_be_visible()
    make.work()
    expect(page.locator(".test-result header .status")).to_have_text("completed")
    steps = page.get_by_role("listbox", name="Steps of the test run")
    builder.row("Letter").click()
    page.locator(".any-value textarea").click()
    page.keyboard.press("End")
    # Another step is looked at while the form of this one stays open.
    steps.get_by_role("option", name="Letter").press("ArrowUp")
    expect(page.locator("[data-title]")).to_have_value("Letter")
    put_by_keys(page)
    assert letter(builder) == "Dear {{ steps.shape.output.who }}"
    put_by_mouse(page)
    assert letter(builder) == "{{ steps.shape.output.total }}"
    put_by_slash(page)
    assert letter(builder).endswith("of {{ size(prev.lines) }}")
    steps.get_by_role("option", name="Letter").click()
    page.get_by_role("button", name="Run from here").click()
    expect(steps.get_by_role("option", name="Shape")).to_contain_text("as in the last test run")
    make.work()
    expect(page.get_by_role("tree", name="Output", exact=True)).to_contain_text("For Ada of 2")
    assert Run.unsafe_all_tenants.count() == 2


def put_by_keys(page: Page) -> None:
    """One value of the output, found by arrows, at the end of what the field has."""
    output = page.get_by_role("tree", name="Output", exact=True)
    output.get_by_role("treeitem").first.click()
    page.keyboard.press("End")
    who = output.get_by_role("treeitem", name="who")
    for _ in range(6):
        if who.evaluate("(row) => row === document.activeElement"):
            break
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text("Inserted steps.shape.output.who into text.")
    expect(page.locator(".any-value .cm-content")).to_have_text("Dear {{ steps.shape.output.who }}")


def put_by_mouse(page: Page) -> None:
    """One value instead of what the field has, and one that can't be read there."""
    field = page.locator(".any-value .cm-content")
    field.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    output = page.get_by_role("tree", name="Output", exact=True)
    output.get_by_role("treeitem", name="total").drag_to(field)
    expect(field).to_have_text("{{ steps.shape.output.total }}")
    given = page.get_by_role("tree", name="Input", exact=True)
    given.get_by_role("treeitem", name="customer").drag_to(field)
    expect(page.locator(".said")).to_contain_text("Only Shape itself can read its own input.")


def put_by_slash(page: Page) -> None:
    """A value and a function out of the list, by Enter and by Tab."""
    field = page.locator(".any-value .cm-content")
    field.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.type("For /who")
    options = page.get_by_role("listbox", name="Completions")
    expect(options.get_by_role("option").first).to_contain_text("who")
    expect(field).to_have_attribute("aria-activedescendant", re.compile("-0$"))
    page.keyboard.press("Enter")
    expect(field).to_have_text(re.compile(r"^For \{\{ (prev|steps\.shape\.output)\.who \}\}$"))
    page.keyboard.press("End")
    page.keyboard.type(" of /siz")
    expect(options.get_by_role("option", name="size")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.type("prev.lines")
    page.keyboard.press("Escape")
    expect(field).to_contain_text("of {{ size(prev.lines) }}")
