"""What is the same on every page: navigation, palette, keys, theme, home; nothing that a screen reader trips over."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from operations.alerts.evaluating import make_rules
from operations.alerts.models import AlertRule
from tests import factories as make
from tests.families import shown
from tests.operations.alerts.factories import AlertFactory
from tests.web.axe import faults_by_day_and_night

pytestmark = pytest.mark.browser

PAGES = ["/", "/runs/", "/workflows/", "/styleguide/"]


@pytest.fixture
def admin(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    return visitor


@pytest.mark.parametrize("path", shown(PAGES, 2))
def test_no_page_scrolls_sideways_or_breaks_a_rule_of_accessibility(admin, path):
    make.start(make.chain("noop", "text.clean"), {"text": 5})
    make.work()
    make.start(make.chain("noop"), {"n": 1})
    admin.page.set_viewport_size({"width": 390, "height": 800})
    admin.open(path)
    for width in (390, 768, 1920):
        admin.page.set_viewport_size({"width": width, "height": 800})
        assert not admin.scrolls_sideways(), width
    assert faults_by_day_and_night(admin.page, widths=[1440]) == []


def test_an_open_alert_makes_no_page_wider_than_a_phone(admin):
    make_rules(make.a_tenant().pk)
    AlertFactory(rule=AlertRule.objects.for_tenant(make.a_tenant().pk).filter(built_in=True)[0])
    admin.page.set_viewport_size({"width": 390, "height": 800})
    admin.open("/")
    expect(admin.page.get_by_role("link", name="Operations 1 open alert")).to_be_attached()
    assert not admin.scrolls_sideways()


def test_home_shows_the_last_runs_what_failed_and_what_can_be_started(visitor):
    failed = make.start(make.chain("text.clean"), {"text": 5})[0]
    make.work()
    done = make.start(make.chain("noop"), {"n": 1})[0]
    make.work()
    Membership.objects.for_tenant(make.a_tenant().pk).update(role="operator")
    visitor.open("/")
    glance = visitor.page.locator("#glance")
    expect(glance.get_by_role("heading", name="Failed")).to_be_visible()
    expect(glance.locator(f"a[href='/runs/{failed}']").first).to_be_visible()
    expect(glance.locator(f"a[href='/runs/{done}']")).to_be_visible()
    expect(visitor.page.get_by_role("link", name="Start", exact=True)).to_have_count(2)


def test_an_empty_home_says_what_to_do(visitor):
    visitor.open("/")
    expect(visitor.page.get_by_role("heading", name="Nothing has run yet")).to_be_visible()
    expect(visitor.page.get_by_role("heading", name="No workflow is published yet")).to_be_visible()


def test_the_palette_goes_to_pages_workflows_and_runs(visitor):
    version = make.a_version({**make.chain("noop"), "name": "invoices"})
    run_id = make.start_version(version, {"n": 1})[0]
    visitor.open("/")
    page = visitor.page
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option", name="Runs")).to_be_visible()
    page.keyboard.type("invoic")
    expect(page.get_by_role("option", name="Workflow")).to_be_visible()
    page.get_by_role("combobox").fill(run_id)
    expect(page.get_by_role("option", name=f"Run · {run_id}, pending")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{run_id}")


def test_keys_lead_everywhere_and_are_explained(visitor):
    visitor.open("/")
    page = visitor.page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/runs/")


def test_the_theme_is_kept(visitor):
    visitor.open("/")
    page = visitor.page
    for _ in range(2):
        page.get_by_role("button", name="Change the theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    visitor.open("/runs/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_components_are_for_admins(client, ann):
    client.force_login(ann)
    assert client.get("/styleguide/").status_code == 403
