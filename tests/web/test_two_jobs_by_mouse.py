"""Two jobs that a new user builds and tests by mouse alone, in fewer than 60 presses each."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Membership
from tests import factories as make
from tests.answering import Server, answering, http
from tests.inbox.asking import member
from tests.smtp import mailbox
from tests.web.hands import Mouse
from tests.web.presses import count_presses, presses
from workflows.models import WorkflowVersion

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

MOST_PRESSES = 60
ORDERS = [{"id": "A-1", "total": 12}, {"id": "A-2", "total": 7.5}]


class Author:
    """A person with a mouse who builds a workflow from the list of workflows on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.hands = Mouse(page)
        self.pane = page.locator(".inspector")

    def begin(self, title: str) -> None:
        """A new workflow, and its builder."""
        self.page.get_by_role("button", name="New workflow").first.click()
        self.page.get_by_role("dialog").get_by_label("Title").fill(title)
        self.page.get_by_role("button", name="Open the builder").click()
        expect(self.page.get_by_role("button", name="Add the first step")).to_be_visible()

    def add(self, search: str, title: str, after: str = "Add after") -> None:
        """A step that is found by a word, and its title."""
        self.page.get_by_role("button", name=after, exact=True).first.click()
        self.page.locator(".add-dialog [role=combobox]").fill(search)
        self.page.locator(".add-dialog [role=option]").first.click()
        expect(self.page.locator("[data-title]")).to_be_focused()
        self.page.keyboard.type(title)

    def add_field(self, label: str, kind: str) -> None:
        """A field of the form that is shown."""
        self.pane.get_by_role("button", name="Add a field", exact=True).click()
        self.page.keyboard.type(label)
        choice = self.pane.get_by_label("Kind", exact=True).locator("visible=true").last
        choice.click()
        choice.select_option(label=kind)

    def mail(self, subject: str, text: str) -> None:
        """What a mail needs."""
        self.page.get_by_role("textbox", name="To, 1").click()
        self.page.keyboard.type("ann@example.org")
        self.hands.text("Subject", subject)
        self.hands.text("Text", text)

    def select(self, title: str) -> None:
        """A step, in the outline."""
        self.page.get_by_role("treeitem").filter(has_text=title).first.click()

    def test(self) -> None:
        """A test of the whole draft, which completes."""
        self.page.get_by_role("button", name="Test", exact=True).first.click()
        self.page.get_by_role("button", name="Run the draft").click()
        expect(self.page.locator(".test-result")).to_be_visible()
        make.work("default", "engine", "blocking")
        expect(self.page.locator(".test-result header .status")).to_have_text("completed")

    def publish(self) -> None:
        """Version 1."""
        self.page.get_by_role("button", name="Publish").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Publish").click()
        expect(self.page.locator(".said")).to_contain_text("Published as version 1.")


def version(name: str) -> WorkflowVersion:
    """The published version of a workflow."""
    return WorkflowVersion.unsafe_all_tenants.get(workflow__name=name, number=1)


@pytest.fixture
def author(visitor, ann) -> Author:
    """Ann, whose presses are counted from the list of workflows on."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    member("eve")
    visitor.page.emulate_media(reduced_motion="reduce")
    count_presses(visitor.page)
    visitor.open("/workflows/")
    return Author(visitor.page)


@pytest.fixture
def shop(monkeypatch) -> Iterator[Server]:
    """A shop whose API has two open orders."""
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")
    with answering(http(json.dumps({"orders": ORDERS}).encode(), content_type="application/json")) as server:
        yield server


def test_a_nightly_report_with_a_digest_of_what_an_api_answers(author, shop, monkeypatch):
    author.begin("Nightly report")
    author.add("call an api", "Open orders", after="Add the first step")
    author.hands.text("Address", shop.url("/orders?status=open"))
    author.add("for each", "Each order")
    author.hands.text("Items", "{{ prev.body.orders }}")
    author.add("set", "Line", after="Add the first step")
    author.hands.pairs("Values", {"text": "{{ item.id }}: {{ item.total }} EUR"})
    author.select("Each order")
    author.add("mail", "Digest")
    author.mail("{{ size(prev.results) }} orders", '{{ prev.results.map(one, one.text).join("; ") }}')
    author.test()
    author.publish()
    assert presses(author.page) < MOST_PRESSES
    with mailbox(monkeypatch) as mails:
        [run_id] = make.start_version(version("nightly-report"), {})
        make.work("default", "engine", "blocking")
    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["each_order"].output == {
        "results": [{"text": "A-1: 12 EUR"}, {"text": "A-2: 7.5 EUR"}]
    }
    [message] = mails.messages()
    assert (message["Subject"], message.get_content().strip()) == ("2 orders", "A-1: 12 EUR; A-2: 7.5 EUR")


def test_an_onboarding_that_asks_until_the_documents_are_complete(author):
    author.begin("Onboarding")
    author.add_field("New colleague", "Text")
    author.add_field("Starts on", "Date")
    author.add("repeat", "Documents", after="Add the first step")
    author.add("form", "Ask for documents", after="Add the first step")
    author.hands.text("Question", "Documents of {{ input.new_colleague }}")
    author.hands.tick("Approver")
    author.add_field("All documents are here", "Yes or no")
    author.select("Documents")
    author.pane.get_by_role("button", name="Choose a value").last.click()
    author.page.get_by_role("option", name="All documents are here").click()
    author.add("mail", "Welcome")
    author.mail("Welcome, {{ input.new_colleague }}", "See you on {{ input.starts_on }}.")
    author.test()
    author.publish()
    assert presses(author.page) < MOST_PRESSES
