"""README's tour in the browser, walked with Chromium through a Handoff that `make up` started."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.acceptance import expenses
from tests.acceptance.running import ROOT
from tests.web.conftest import chromium
from tests.web.visitor import Visitor

__all__ = ["chromium"]

pytestmark = pytest.mark.browser

README = (ROOT / "README.md").read_text()
TOUR = README.split("<!-- tests/acceptance/test_tour.py", 1)[1].split("\n### ", 1)[0]
FIRST, SECOND = TOUR.split("\n13. ", 1)
MOST_CLICKS = 40
"""Clicks within which a newcomer has added the people, built the expense approval and published it."""
ARTICLE = (ROOT / "docs" / "examples" / "cities_and_heat.txt").read_text()


FILES = """
(text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "cities_and_heat.txt", { type: "text/plain" }));
    return files;
}
"""


class Tour:
    """Somebody who presses what README names, all of it and nothing else."""

    def __init__(self, page: Page, text: str = FIRST) -> None:
        self.page, self.clicks = page, 0
        self._text = re.sub(r"\n\s+", " ", text)
        self._named = re.findall(r"\*\*(.+?)\*\*", self._text)

    def press(self, label: str, ends: bool = False) -> None:
        """Press what README names next: the button or link whose name begins, or ends, with it."""
        self.named(label)
        self.repeat(label, ends)

    def named(self, label: str) -> None:
        """README names this next."""
        assert self._named.pop(0) == label

    def repeat(self, label: str, ends: bool = False) -> None:
        """Press what README says to press several times."""
        name = re.compile(rf"\b{re.escape(label)}$" if ends else rf"^{re.escape(label)}\b")
        found = self.page.get_by_role("button", name=name).or_(self.page.get_by_role("link", name=name))
        self.click(found.first)

    def click(self, target: Locator, **how: Any) -> None:
        """One click, counted."""
        target.click(**how)
        self.clicks += 1

    def type(self, text: str, into: str) -> None:
        """Fill in a field with what README says."""
        assert f"`{text}`" in self._text
        self.page.get_by_label(into, exact=True).fill(text)

    def enter(self, text: str, target: Locator) -> None:
        """Click a field and type what README says."""
        self.click(target)
        self.write(text)

    def write(self, text: str) -> None:
        """Type what README says where the focus is."""
        assert f"`{text}`" in self._text
        # Expressions close their own brackets while somebody types.
        self.page.keyboard.insert_text(text)

    def ends(self) -> bool:
        return self._named == []


@pytest.fixture
def page(handoff, chromium) -> Iterator[Page]:
    """A browser at the address that `make up` printed; a complaint of any page fails the test."""
    address = f"http://127.0.0.1:{handoff.port}"
    assert address in handoff.said()
    context = chromium.new_context(base_url=address, viewport={"width": 1440, "height": 900})
    visitor = Visitor(context.new_page())
    visitor.open("/")
    yield visitor.page
    context.close()
    assert visitor.complaints() == []


def log_in(tour: Tour, said: str) -> None:
    user, password = re.search(r"login: (\S+) / (\S+)", said).groups()
    tour.page.get_by_label("Username").fill(user)
    tour.page.get_by_label("Password").fill(password)
    tour.press("Log in")


def build_and_publish(tour: Tour) -> None:
    tour.press("New pipeline")
    tour.type("Article desk", into="Title")
    for step in ("Clean text", "Summarize", "Extract keywords", "Tag with a category"):
        tour.press(step)
    tour.type("environment", into="Categories, row 1: Name")
    tour.press("Add a row")
    tour.type("sport", into="Categories, row 2: Name")
    tour.press("Publish")
    expect(tour.page.get_by_role("heading", level=1)).to_have_text(re.compile(r"Article desk\s+version 1"))


def give_the_article(page: Page) -> None:
    """Both ways: drag the file there, and paste."""
    # What takes a file that is dropped is a script of the page.
    page.wait_for_load_state()
    text = page.get_by_label("Text", exact=True)
    text.dispatch_event("drop", {"dataTransfer": page.evaluate_handle(FILES, ARTICLE)})
    expect(text).to_have_value(ARTICLE)
    text.fill(ARTICLE)


def start_and_watch(tour: Tour) -> str:
    give_the_article(tour.page)
    tour.press("Start")
    expect_completed(tour.page)
    for node in ("clean", "summarize", "keywords", "tag"):
        step = tour.page.locator(f"[data-node={node}]")
        expect(step.locator("header .status")).to_have_text("Completed")
        expect(step.locator("header .about")).to_have_text(re.compile(r"\d+ ms|\d s"))
        expect(step.locator("summary", has_text=re.compile("Input|Output"))).to_have_count(2)
    expect(tour.page.locator("[data-node=tag]")).to_contain_text("environment")
    return tour.page.url


def ask_and_confirm(tour: Tour) -> None:
    """Ask oneself for something, and decide it in the inbox."""
    tour.press("Requests")
    tour.press("Policy attestation")
    tour.press("Fill in the sample")
    tour.press("Start")
    expect(tour.page.get_by_role("main")).to_contain_text("Code of conduct 2027")
    tour.press("Inbox")
    tour.press("Have you read")
    tour.page.get_by_label("I have read it and keep to it").check()
    tour.press("I confirm")
    expect(tour.page.get_by_text("I confirm").first).to_be_visible()
    tour.press("Requests")
    asked = tour.page.locator("li", has_text="Code of conduct 2027")
    expect(asked.get_by_text("Done", exact=True)).to_be_visible(timeout=30_000)


def expect_completed(page: Page) -> None:
    """The page of the run gets there by itself."""
    expect(page.get_by_role("heading", level=1).locator(".status")).to_have_text("Completed", timeout=30_000)


@pytest.mark.exhaustive
def test_the_tour_in_the_browser_does_what_it_says(handoff, page):
    tour = Tour(page)
    log_in(tour, handoff.said())
    build_and_publish(tour)
    first = start_and_watch(tour)

    tour.press("Runs")
    tour.type("mattresses", into="Text")
    tour.press("Show")
    tour.press("Article desk", ends=True)
    expect(page).to_have_url(first)
    tour.press("Run again")
    expect(page).not_to_have_url(first)
    expect_completed(page)

    tour.press("Home")
    tour.press("Digest an article")
    tour.press("Start")
    expect_completed(page)
    ask_and_confirm(tour)
    tour.press("Workflows")
    tour.press("Policy attestation")
    tour.press("Edit")
    expect(page.get_by_role("tree", name="Steps in order")).to_contain_text("Everybody confirms")
    tour.press("Test")
    assert tour.ends()


@pytest.mark.exhaustive
def test_the_expense_approval_of_the_tour_is_built_and_decided(handoff, page, chromium):
    tour = Tour(page, SECOND)
    user, password = re.search(r"login: (\S+) / (\S+)", handoff.said()).groups()
    page.get_by_label("Username").fill(user)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    passwords = expenses.add_people(tour)
    expenses.build(tour)
    assert tour.clicks < MOST_CLICKS
    tour.press("Start version 1")
    small = expenses.fill(page, "500")
    tour.named("Start")
    assert tour.ends()
    with expenses.members(chromium, f"http://127.0.0.1:{handoff.port}", passwords) as finance:
        expenses.check_outcomes(page, finance, small)


def test_the_pictures_of_the_readme_are_there():
    pictures = re.findall(r"!\[.+?\]\((.+?)\)", README)
    assert len(pictures) >= 3
    assert [name for name in pictures if not 10_000 < (ROOT / name).stat().st_size < 200_000] == []


def test_every_picture_is_shown_somewhere():
    docs = "".join(path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
    assert [
        one.name for one in (ROOT / "docs/screenshots").iterdir() if f"screenshots/{one.name})" not in docs
    ] == []
