"""Somebody with a browser starts a workflow by filling in its form."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from runs.models import Run, StartDraft
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.test_start_forms import ORDER, start_of

pytestmark = pytest.mark.browser


def test_a_workflow_is_started_with_amounts_and_moments_as_one_writes_them(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    page, path = visitor.page, start_of(ORDER)
    # What one types while the form is on its way replaces what was asked before; htmx speaks of that as an error.
    visitor.forgive("htmx:sendAbort")
    visitor.forgive("htmx:afterRequest")
    visitor.open(path)
    assert faults_by_day_and_night(page) == []
    for label, text in (("Order number", "17"), ("Amount", "12,50")):
        page.get_by_label(label).fill(text)
        page.get_by_label(label).press("Tab")
    # Each field is saved as it is left: wait for the save that has the last one.
    with page.expect_response(lambda answer: "2027-07-31" in (answer.request.post_data or "")):
        page.get_by_label("When").fill("2027-07-31T09:00")
    expect(page.get_by_text("Draft saved")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Your entries from")).to_be_visible()
    expect(page.get_by_label("Amount")).to_have_value("12,50")
    expect(page.get_by_label("When")).to_have_value("2027-07-31T09:00")
    # Enter in a field starts nothing.
    page.get_by_label("Amount").press("Enter")
    page.get_by_role("button", name="Start", exact=True).click()
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    assert faults_by_day_and_night(page) == []
    summary.get_by_role("link", name="Order number").click()
    expect(page.get_by_label("Order number")).to_be_focused()
    page.get_by_label("Order number").fill("A-17")
    assert not Run.unsafe_all_tenants.exists()
    page.get_by_role("button", name="Write it as JSON").click()
    expect(page.get_by_label("Input as JSON")).to_have_value(re.compile('"amount": 12.5'))
    assert faults_by_day_and_night(page) == []
    page.get_by_role("button", name="Fill in the form").click()
    expect(page.get_by_label("Amount")).to_have_value("12.50")
    page.set_viewport_size({"width": 320, "height": 700})
    assert not visitor.scrolls_sideways()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/runs/*")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    (run,) = Run.unsafe_all_tenants.all()
    here = page.evaluate("new Date('2027-07-31T09:00').toISOString().replace('.000', '')")
    assert (run.input["amount"], run.input["when"]) == (12.5, here)
    assert not StartDraft.unsafe_all_tenants.exists()


def test_what_is_typed_while_the_fields_are_on_their_way_stays(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    page, path = visitor.page, start_of(ORDER)
    visitor.open(path)
    held = []
    page.route("**/start/form*", lambda route: held.append(route), times=1)
    page.get_by_label("Order number").fill("A-17")
    page.get_by_label("Order number").press("Tab")
    # The browser asks; before the answer is there, somebody has typed on, chosen, and left nothing since.
    asking = page.locator("#form-fields.htmx-request")
    expect(asking).to_have_count(1)
    page.evaluate(
        """() => {
            for (const [name, value] of [["input.amount", "12,50"], ["input.customer.name", "Ana"]])
                document.getElementsByName(name)[0].value = value;
            document.querySelector("select").selectedIndex = 2;
            document.querySelector("input[type=checkbox]").checked = true;
        }"""
    )
    # The mark of a request is there before the request is.
    while not held:
        page.wait_for_timeout(20)
    with page.expect_response("**/start/form*"):
        held[0].continue_()
    expect(asking).to_have_count(0)
    expect(page.get_by_label("Order number")).to_have_value("A-17")
    expect(page.get_by_label("Amount")).to_have_value("12,50")
    expect(page.get_by_label("Name")).to_have_value("Ana")
    expect(page.get_by_role("combobox")).to_have_value('"bank"')
    expect(page.get_by_role("checkbox")).to_be_checked()
