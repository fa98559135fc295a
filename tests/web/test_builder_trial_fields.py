"""The Test panel asks for the input by fields, tells errors at them, keeps what was typed, and takes JSON as well."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from runs.models import Run
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder
from tests.web.test_trial_inputs import SCHEMA

pytestmark = pytest.mark.browser
STEPS = [
    {"id": "ask", "type": "human.approval", "title": "Ask", "params": {"title": "Pay?"}},
    {
        "id": "send",
        "type": "transform",
        "title": "Send",
        "params": {"set": {"said": "{{ prev.comment }}", "order": "{{ input.order }}"}},
    },
]
DRAFT = {
    "name": "ours",
    "nodes": STEPS,
    "edges": [{"from": "ask", "to": "send", "branch": "approved"}],
    "input_schema": SCHEMA,
}


@pytest.fixture
def author(visitor, ann):
    """Ann as an author, who likes things to stand still."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def test_a_draft_is_tested_by_the_fields_of_its_start_form(author):
    make.a_workflow("ours", DRAFT)
    _, page = Builder(author, "ours"), author.page
    fields = page.locator(".test-fields")
    page.keyboard.press("t")
    fields.get_by_label("Order number").fill("A-17")
    fields.get_by_role("textbox", name="Amount").fill("a lot")
    page.get_by_role("button", name="Run the draft").click()
    expect(page.locator(".test-fields .fault")).to_be_visible()
    expect(fields.get_by_role("textbox", name="Amount")).to_be_focused()
    expect(fields.get_by_label("Order number")).to_have_value("A-17")
    assert Run.unsafe_all_tenants.count() == 0
    assert faults_by_day_and_night(page, ".test-fields") == []
    fields.get_by_role("textbox", name="Amount").fill("12")
    fields.get_by_role("button", name="Add another").click()
    fields.get_by_label("Item").fill("pens")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("tab", name="Test").click()
    expect(fields.get_by_label("Item")).to_have_value("pens")
    page.get_by_role("button", name="Write it as JSON").click()
    expect(page.locator(".test-sample textarea")).to_have_value(re.compile('"item": "pens"'))
    page.get_by_role("button", name="Fill in the form").click()
    page.get_by_role("button", name="Run the draft").click()
    expect(page.locator(".test-result")).to_be_visible()
    assert Run.unsafe_all_tenants.get().input == {"order": "A-17", "amount": 12, "lines": [{"item": "pens"}]}


def test_a_step_is_tested_alone_with_what_was_typed_of_the_others(author):
    make.a_workflow("ours", DRAFT)
    builder, page = Builder(author, "ours"), author.page
    fields = page.locator(".test-fields")
    builder.card("Send").click()
    page.keyboard.press("t")
    expect(page.get_by_text("What Send reads")).to_be_visible()
    fields.get_by_label("Order number").fill("A-17")
    fields.get_by_label("Comment").fill("fine")
    page.get_by_role("button", name="Only Send").click()
    expect(page.locator(".test-result")).to_be_visible()
    make.work()
    run = Run.unsafe_all_tenants.get()
    assert (run.status, run.output) == ("COMPLETED", {"said": "fine", "order": "A-17"})
