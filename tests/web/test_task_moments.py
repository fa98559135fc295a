"""Dates, times and amounts of a task's form, typed by keyboard by somebody with another clock than the browser's."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership, User
from tests import factories as make
from tests.inbox.asking import again, approval, asked

pytestmark = pytest.mark.browser

FORM = {
    "type": "object",
    "required": ["day", "at", "opens", "paid"],
    "properties": {
        "day": {"type": "string", "format": "date", "title": "Day"},
        "at": {"type": "string", "format": "date-time", "title": "Pick-up"},
        "opens": {"type": "string", "format": "time", "title": "Opens"},
        "paid": {"type": "number", "x-currency": "EUR", "title": "Paid"},
        "code": {
            "type": "string",
            "title": "Code",
            "pattern": "^[A-Z]{3}$",
            "x-message": "Three capital letters.",
        },
    },
}


@pytest.mark.exhaustive
def test_moments_and_amounts_are_typed_as_their_reader_writes_them(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="approver")
    # No zone of a browser of tests: what counts is the reader's own.
    User.objects.filter(pk=ann.pk).update(time_zone="Asia/Kolkata", locale="de")
    page, task = visitor.page, asked(approval(form=FORM))
    visitor.open(f"/inbox/{task.pk}")
    expect(page.get_by_text("Asia/Kolkata").first).to_be_visible()
    page.get_by_label("Day").focus()
    page.keyboard.type("07312027")
    page.get_by_label("Pick-up").focus()
    page.keyboard.type("07312027")
    page.keyboard.press("Tab")
    page.keyboard.type("0900AM")
    page.get_by_label("Opens").focus()
    page.keyboard.type("0830AM")
    page.get_by_label("Paid").focus()
    page.keyboard.type("12,50")
    page.keyboard.press("Tab")
    page.keyboard.type("abc")
    expect(page.get_by_text("Draft saved")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Day")).to_have_value("2027-07-31")
    expect(page.get_by_label("Pick-up")).to_have_value("2027-07-31T09:00")
    expect(page.get_by_label("Opens")).to_have_value("08:30")
    expect(page.get_by_label("Paid")).to_have_value("12,50")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Three capital letters.").first).to_be_visible()
    expect(page.get_by_label("Pick-up")).to_have_value("2027-07-31T09:00")
    expect(page.get_by_label("Paid")).to_have_value("12,50")
    page.get_by_label("Code").fill("ABC")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("ann decided this")).to_be_visible()
    assert again(task).data == {
        "day": "2027-07-31",
        "at": "2027-07-31T03:30:00Z",
        "opens": "08:30:00[Asia/Kolkata]",
        "paid": 12.5,
        "code": "ABC",
    }
