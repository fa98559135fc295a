"""The second part of README's tour: an expense approval, built in the builder and decided by three people."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect

PEOPLE = ("cleo", "dan", "eva")
AMOUNT = '{{ steps.approve.output.facts["Amount"] }}'
HELD_MS = 30_000
"""A decision counts after ten seconds, in which it can be undone."""


def add_people(tour) -> dict[str, str]:
    """Three approvers with their passwords, and the group Finance."""
    page, passwords = tour.page, {}
    tour.press("Settings")
    tour.press("Add a member")
    for name in PEOPLE:
        tour.type(name, into="Username")
        page.get_by_label("Role").select_option("approver")
        tour.clicks += 1
        tour.press("Add") if name == PEOPLE[0] else tour.repeat("Add")
        passwords[name] = page.get_by_label(f"Password of {name}").input_value()
        if name != PEOPLE[-1]:
            tour.press("Add another") if name == PEOPLE[0] else tour.repeat("Add another")
    tour.press("Done")
    tour.press("Groups")
    tour.press("Add a group")
    tour.type("Finance", into="Name")
    for name in PEOPLE:
        tour.click(page.get_by_label(name))
    tour.press("Add")
    expect(page.get_by_role("heading", level=1)).to_have_text("Groups")
    return passwords


def build(tour) -> None:
    """The workflow, by what README says."""
    page = tour.page
    tour.press("Workflows")
    tour.press("New workflow")
    tour.type("Expense", into="Title")
    tour.press("Open the builder")
    for place, (label, kind) in enumerate((("Amount", "Money"), ("What for", None), ("Receipt", "File"))):
        tour.press("Add a field") if place == 0 else tour.repeat("Add a field")
        tour.write(label)
        if kind:
            page.get_by_label("Kind", exact=True).last.select_option(label=kind)
            tour.clicks += 1
        if place == 0:
            tour.click(page.get_by_label("Required").last)
    tour.press("Add the first step")
    tour.named("Ask for an approval")
    tour.click(page.get_by_role("option", name=re.compile("^Ask for an approval")).first)
    expect(page.locator("[data-title]")).to_be_focused()
    tour.write("Approve")
    tour.enter('Pay {{ facts["Amount"] }}?', page.get_by_label("Question").first)
    add_pair(tour, "Facts", "Amount", "{{ input.amount }}")
    tour.enter("Amount", page.get_by_label("Correctable facts, 1"))
    tour.enter("Finance", page.get_by_label("Groups, 1"))
    tour.click(page.get_by_role("button", name="Expression for How many decide"))
    tour.write("{{ input.amount > 1000 ? 2 : 1 }}")
    page.keyboard.press("Escape")
    tour.click(page.locator(".react-flow__pane"), position={"x": 50, "y": 500})
    tour.named("Request")
    tour.click(page.locator("summary", has_text=re.compile("^Request$")))
    add_pair(tour, "What the requester gets", "Approved amount", AMOUNT)
    tour.enter("Money", page.get_by_label("Category"))
    tour.press("Publish")
    tour.click(page.get_by_role("dialog").get_by_role("button", name="Publish"))


def add_pair(tour, field: str, label: str, value: str) -> None:
    """One more label with an expression."""
    tour.named("Add one")
    tour.click(tour.page.locator("button", has_text=f"to {field}"))
    tour.write(label)
    tour.page.keyboard.press("Tab")
    tour.page.keyboard.press("Tab")
    tour.write(value)


def ask(page: Page, amount: str) -> str:
    """A request of this amount; gives its address."""
    page.goto("/workflows/expense/start")
    return fill(page, amount)


def fill(page: Page, amount: str) -> str:
    """Start it as the form says; gives the address of the request."""
    page.get_by_label("Amount").fill(amount)
    page.get_by_label("What for").fill(f"A chair for {amount}")
    receipt = {"name": "receipt.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 receipt"}
    page.get_by_label("Receipt").set_input_files(receipt)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Expense")
    return re.sub(r"^.*/(runs|requests)/", "/requests/", page.url)


@contextmanager
def members(browser: Browser, address: str, passwords: dict[str, str]) -> Iterator[dict[str, Page]]:
    """A page of each member, who has logged in."""
    contexts = {name: browser.new_context(base_url=address) for name in passwords}
    pages = {name: context.new_page() for name, context in contexts.items()}
    for name, page in pages.items():
        page.goto("/login")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(passwords[name])
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/")
    yield pages
    for context in contexts.values():
        context.close()


def check_outcomes(page: Page, finance: dict[str, Page], small: str) -> None:
    """Each outcome gives the requester the right result; `small`: a request of 500 EUR that is open."""
    decide(finance["cleo"], "Pay 500.00", "Approve")
    expect_result(page, small, "Done", "Approved amount", "500")
    large = ask(page, "1500")
    decide(finance["cleo"], "Pay 1,500.00", "Approve")
    counted(finance["cleo"])
    page.goto(large)
    expect(page.get_by_role("main")).not_to_contain_text("Approved amount")
    decide(finance["dan"], "Pay 1,500.00", "Approve")
    expect_result(page, large, "Done", "Approved amount", "1500")
    refused = ask(page, "700")
    decide(finance["eva"], "Pay 700.00", "Reject", "Buy a used one.")
    expect_result(page, refused, "Refused", "Buy a used one.")
    corrected = ask(page, "1501")
    return_it(finance["eva"], "Pay 1,501.00", "It costs less.")
    correct(page, "Pay 1,501.00", "900")
    decide(finance["dan"], "Pay 900.00", "Approve")
    counted(finance["dan"])
    decide(finance["cleo"], "Pay 900.00", "Approve")
    expect_result(page, corrected, "Done", "Approved amount", "900")


def open_task(page: Page, question: str) -> None:
    """The task in the inbox."""
    page.goto("/inbox/")
    # With or without a comma, as the browser's language has it.
    name = re.compile("^" + re.escape(question).replace(",", ",?"))
    page.get_by_role("link", name=name).first.click()
    expect(page.get_by_role("heading", name=name).first).to_be_visible()


def decide(page: Page, question: str, outcome: str, comment: str = "") -> None:
    """A decision of a member."""
    open_task(page, question)
    if comment:
        page.get_by_label("Comment", exact=False).first.fill(comment)
    page.get_by_role("button", name=re.compile(f"^{outcome}")).first.click()
    expect(page.locator("[data-undo]").first).to_be_visible()


def counted(page: Page) -> None:
    """Return when the last decision of a member can't be undone any more."""
    expect(page.locator("[data-undo]")).to_have_count(0, timeout=HELD_MS)


def return_it(page: Page, question: str, why: str) -> None:
    """Return a task to who asked."""
    open_task(page, question)
    page.get_by_text("Return it for changes…").click()
    page.get_by_label("What is to be changed").fill(why)
    page.get_by_role("button", name="Return it", exact=True).click()
    expect(page.get_by_text("It comes back when they send it again.").first).to_be_visible()


def correct(page: Page, question: str, amount: str) -> None:
    """Correct the amount as the requester, and send it again."""
    open_task(page, question)
    page.get_by_label("Amount").fill(amount)
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_text("was sent again").first).to_be_visible()


def expect_result(page: Page, request: str, *texts: str) -> None:
    """What the requester reads."""
    page.goto(request)
    for text in texts:
        expect(page.get_by_role("main")).to_contain_text(text, timeout=HELD_MS)
