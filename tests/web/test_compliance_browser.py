"""An order that compliance must approve, from its start over REST to evidence that checks itself: in the browsers of
those who are asked, on a phone, and by keyboard alone.
"""

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from accounts.models import User
from tests import factories as make
from tests.inbox.asking import ORDER, again, member, task_of
from tests.people import People
from tests.web.visitor import Visitor

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
QUESTION = "Ship order A-17?"


@pytest.fixture
def on_a_phone(site: str, chromium: Browser, transactional_db: None) -> Iterator[Callable[[str], Visitor]]:
    """Opens the browser of a phone for a member who is logged in."""
    visitors: list[Visitor] = []

    def opened(name: str) -> Visitor:
        client = Client()
        client.force_login(User.objects.get(username=name))
        context = chromium.new_context(base_url=site, **PHONE)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])
        visitors.append(Visitor(context.new_page()))
        return visitors[-1]

    yield opened
    for visitor in visitors:
        visitor.page.context.close()
        assert visitor.complaints() == []


@pytest.fixture
def start(transactional_db: None) -> object:
    """Starts an order over REST; gives its run, which then waits for compliance."""
    member("ann", "approver", "Compliance")
    people = People()
    make.MembershipFactory(user=people.member("admin"), role="admin")
    api = people.client("admin", tenant="default")
    said = api.post("/api/v1/workflows", {"name": "order", "definition": ORDER}, format="json")
    assert said.status_code == 201, said.content
    assert api.post("/api/v1/workflows/order/publish", {}, format="json").status_code == 201

    def started() -> str:
        given = {"workflow": "order", "input": {"order": "A-17", "city": "Berlin"}}
        run = api.post("/api/v1/runs", given, format="json").json()["id"]
        make.work()
        return run

    return started


def row(page: Page) -> object:
    return page.locator("#inbox-list [data-task]").filter(has_text=QUESTION)


def test_compliance_approves_an_order_on_a_phone_and_the_evidence_of_it_checks_itself(
    on_a_phone, another, start, tmp_path
):
    member("cat", "approver", "Compliance")
    member("bob")
    ann, cat, bob = on_a_phone("ann"), another("cat"), another("bob")
    for visitor in (ann, cat, bob):
        visitor.open("/inbox/?view=teams")
        visitor.page.evaluate("window.loaded = true")
    # Until the sockets of all three are open.
    ann.page.wait_for_timeout(1000)
    run = start()
    for visitor in (ann, cat):
        # Told by the socket: pages that have none look every five seconds.
        expect(row(visitor.page)).to_be_visible(timeout=3000)
    task = task_of(run)
    assert task.status == "OPEN"

    row(ann.page).tap()
    expect(ann.page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    ann.page.get_by_role("button", name="Claim it").tap()
    expect(ann.page.get_by_text("You have claimed this")).to_be_visible()
    # What somebody has is nobody else's to decide.
    expect(row(cat.page)).to_be_hidden(timeout=3000)
    assert not ann.scrolls_sideways()
    approve = ann.page.get_by_role("button", name="Approve")
    expect(approve).to_be_in_viewport(ratio=1)
    approve.tap()
    expect(ann.page.get_by_text(f"“{QUESTION}”: Approve.")).to_be_visible()
    make.work()
    assert make.run(run).status == "COMPLETED"
    assert make.run(run).output == {"by": "ann"}

    # Whom nobody asked saw nothing of it all the while, on a page that was never loaded again.
    assert row(bob.page).count() == 0
    assert bob.page.locator("nav.views .count").count() == 0
    assert [visitor.page.evaluate("window.loaded") for visitor in (cat, bob)] == [True, True]

    cat.open(f"/inbox/{task.pk}")
    with cat.page.expect_download() as download:
        cat.page.get_by_role("link", name="Export evidence").click()
    with zipfile.ZipFile(download.value.path()) as file:
        file.extractall(tmp_path)
    told = [sys.executable, "-I", "verify.py", "evidence.json"]
    done = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout.startswith("Right. Decisions: 1, ")) == (0, True), done.stdout
    assert "ann" in (tmp_path / "evidence.html").read_text()


@pytest.mark.exhaustive
def test_from_the_login_to_the_decision_without_a_mouse(stranger, start):
    ann = User.objects.get(username="ann")
    ann.set_password("a long password")
    ann.save()
    run = start()
    page = stranger.page
    stranger.open("/login")
    # A page that has loaded gives the focus a frame later.
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type("ann")
    page.keyboard.press("Tab")
    page.keyboard.type("a long password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    stranger.press("g", "i")
    expect(page.get_by_role("heading", name="Inbox", level=1)).to_be_visible()
    press_tab_to(page, page.get_by_role("link", name="My teams"))
    page.keyboard.press("Enter")
    expect(row(page)).to_be_visible()
    stranger.press("j", "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    stranger.press("c")
    expect(page.get_by_text("You have claimed this")).to_be_visible()
    press_tab_to(page, page.locator("#comment"))
    page.keyboard.type("The address is on no list.")
    press_tab_to(page, page.get_by_role("button", name="Approve"))
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"“{QUESTION}”: Approve.")).to_be_visible()
    make.work()
    assert make.run(run).status == "COMPLETED"
    assert (again(task_of(run)).decided_by, again(task_of(run)).comment) == (
        "ann",
        "The address is on no list.",
    )


def press_tab_to(page: Page, wanted: object) -> None:
    """Tab until what is wanted has the focus, as somebody without a mouse does."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("no number of tabs leads there")
