"""The pages of tokens with their queues and folders: on a desk and on a phone, by day and by night."""

import os

import pytest
from playwright.sync_api import expect

from accounts.principal import JobReach
from accounts.services import create_token
from tests import factories as make
from tests.web.test_leaving_browser import is_right

pytestmark = pytest.mark.browser


@pytest.fixture
def boss(another):
    make.a_member("boss", "admin")
    return another("boss")


def look(boss, name):
    """Keep what the page looks like, where somebody asks for it."""
    if folder := os.environ.get("LOOK_AT"):
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                boss.page.emulate_media(color_scheme=scheme)
                boss.page.set_viewport_size({"width": width, "height": 900})
                boss.page.screenshot(path=f"{folder}/{name}-{scheme}-{width}.png", full_page=True)


def test_a_token_is_limited_when_it_is_made_and_later(boss):
    tenant = make.a_tenant()
    make.FolderFactory(tenant=tenant, name="Finance")
    user = make.a_user("boss")
    create_token(user=user, tenant=tenant, role="worker", name="from before")
    many = tuple(f"queue-{number}" for number in range(8))
    create_token(user=user, tenant=tenant, role="worker", name="many", jobs=JobReach(many, (0,)))
    page = boss.page
    boss.open("/settings/tokens")
    row = page.get_by_role("row").filter(has_text="from before")
    expect(row.get_by_text("all queues")).to_be_visible()
    look(boss, "list")
    assert is_right(boss)
    page.get_by_label("What it is for").fill("payments")
    page.get_by_label("Role").select_option("worker")
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_text("Enter queues, or * for all.")).to_be_visible()
    page.get_by_label("Queues").fill("card pay*")
    page.get_by_label("Finance").check()
    look(boss, "refused")
    assert is_right(boss)
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_text("This token is shown only now")).to_be_visible()
    page.get_by_role("link", name="Done").click()
    row = page.get_by_role("row").filter(has_text="payments")
    expect(row.get_by_text("card, pay*")).to_be_visible()
    page.get_by_role("link", name="Limit from before").click()
    expect(page.get_by_text("It takes the jobs of all queues")).to_be_visible()
    look(boss, "limit")
    assert is_right(boss)
    page.get_by_label("Queues").fill("mail")
    page.get_by_role("button", name="Save").click()
    row = page.get_by_role("row").filter(has_text="from before")
    expect(row).to_contain_text("mail")
    expect(row).not_to_contain_text("all queues")
