"""An approver with a browser: from the run to the question, the decision, and the run that goes on."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.inbox.asking import again, approval, asked

pytestmark = pytest.mark.browser

FORM = {
    "type": "object",
    "required": ["account"],
    "properties": {"account": {"type": "string", "title": "Account"}, "express": {"type": "boolean"}},
}


@pytest.fixture
def approver(visitor, ann):
    """Ann, who may decide."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="approver")
    return visitor


def accessible(page):
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_an_approver_decides_and_the_run_goes_on(approver):
    page, task = approver.page, asked(approval(form=FORM, facts={"Order": "A-17"}))
    approver.open(f"/runs/{task.run_id}")
    page.get_by_role("link", name="Go to the task").click()
    accessible(page)
    page.get_by_role("link", name="Refund 40 EUR?").click()
    accessible(page)
    # Enter in a field decides nothing.
    page.get_by_label("Account").fill("DE12")
    page.get_by_label("Account").press("Enter")
    assert again(task).status == "OPEN"
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("needs a comment")).to_be_visible()
    accessible(page)
    assert page.get_by_label("Account").input_value() == "DE12"
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("ann decided this")).to_be_visible()
    accessible(page)
    make.work()
    page.get_by_role("link", name="The run").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Completed")
    assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}


def test_the_pages_fit_a_small_screen(approver):
    approver.page.set_viewport_size({"width": 320, "height": 700})
    task = asked(approval(title="Donaudampfschifffahrtsgesellschaftskapitänsmützenverordnung?", form=FORM))
    for path in ("/inbox/", f"/inbox/{task.pk}"):
        approver.open(path)
        assert not approver.scrolls_sideways()
