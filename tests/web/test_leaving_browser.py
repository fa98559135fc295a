"""The pages about somebody who leaves, by mouse: on a desk and on a phone, by day and by night."""

import pytest
from playwright.sync_api import expect

from accounts import members
from accounts.services import create_token
from tests import factories as make
from tests.inbox.asking import again, approval, asked, member
from tests.inbox.test_handover import ANN, LEGAL, scheduled
from tests.web.axe import faults_by_day_and_night
from triggers.schedules.models import Schedule

pytestmark = pytest.mark.browser


@pytest.fixture
def boss(another):
    make.a_member("boss", "admin")
    return another("boss")


def is_right(boss):
    """Whether a page fits a desk and a phone, and axe finds nothing."""
    for width in (1280, 390):
        boss.page.set_viewport_size({"width": width, "height": 900})
        assert not boss.scrolls_sideways(), width
        assert faults_by_day_and_night(boss.page) == [], width
    return True


def test_what_somebody_leaves_is_seen_beforehand_and_handed_over(boss):
    member("ann", "operator", "Legal")
    member("cyd", "operator")
    scheduled()
    task, _ = asked(approval(**ANN)), asked(approval(**LEGAL))
    create_token(user=make.a_user("ann"), tenant=make.a_tenant(), name="export")
    page = boss.page
    boss.open("/settings/members/ann")
    page.get_by_label("Why", exact=True).first.fill("left")
    page.get_by_role("button", name="Deactivate ann").click()
    expect(page.get_by_role("heading", name="2 open tasks could then be decided by nobody")).to_be_visible()
    assert is_right(boss)
    page.get_by_role("link", name="Hand over first").click()
    expect(page.get_by_role("heading", name="Hand over", level=1)).to_be_visible()
    assert is_right(boss)
    page.get_by_label("Who gets what is handed over").fill("cyd")
    page.get_by_label("Also").select_option("deactivate")
    page.get_by_label("Why").fill("left")
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_role("heading", name="What became of it")).to_be_visible()
    assert is_right(boss)
    assert again(task).assignee == "cyd"
    assert Schedule.unsafe_all_tenants.get().acts_for == "cyd"


def test_what_was_left_behind_is_found_and_the_schedule_says_why_it_stopped(boss):
    make.a_member("ann", "operator")
    schedule, _ = scheduled()
    members.remove_member(member("boss", "admin"), "ann")
    page = boss.page
    boss.open(f"/schedules/{schedule.pk}")
    expect(page.get_by_text("It was stopped")).to_be_visible()
    assert is_right(boss)
    boss.open("/schedules/")
    expect(page.get_by_text("stopped", exact=True)).to_be_visible()
    assert is_right(boss)
    boss.open("/settings/members")
    assert is_right(boss)
    page.get_by_role("link", name="ann: 2 to hand over").click()
    expect(page.get_by_text("No longer a member")).to_be_visible()
    boss.open("/settings/members/boss/hand-over")
    expect(page.get_by_text("Nothing is left to hand over")).to_be_visible()
    assert is_right(boss)
