"""An approver with a browser: from the run to the question, the decision, and the run that goes on."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member
from tests.web.axe import faults
from tests.web.test_task_forms import BOTH, CONTRACT

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
    assert faults(page) == []


def test_an_approver_decides_and_the_run_goes_on(approver):
    page, task = approver.page, asked(approval(form=FORM, facts={"Order": "A-17"}))
    approver.open(f"/runs/{task.run_id}")
    page.get_by_role("link", name="Go to the task").click()
    expect(page.get_by_role("heading", name="Refund 40 EUR?")).to_be_visible()
    accessible(page)
    # Enter in a field decides nothing.
    page.get_by_label("Account").fill("DE12")
    page.get_by_label("Account").press("Enter")
    assert again(task).status == "OPEN"
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Add a comment")).to_be_visible()
    accessible(page)
    assert page.get_by_label("Account").input_value() == "DE12"
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("ann decided this")).to_be_visible()
    accessible(page)
    make.work()
    page.get_by_role("complementary").get_by_role("link", name="The run").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Completed")
    assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}


def test_the_pages_fit_a_small_screen(approver):
    approver.page.set_viewport_size({"width": 320, "height": 700})
    task = asked(approval(title="Donaudampfschifffahrtsgesellschaftskapitänsmützenverordnung?", form=FORM))
    for path in ("/inbox/", f"/inbox/{task.pk}"):
        approver.open(path)
        assert not approver.scrolls_sideways()


@pytest.fixture
def other(another, transactional_db):
    """Bob, another approver, with a browser of his own."""
    member("bob")
    visitor = another("bob")
    visitor.page.emulate_media(color_scheme="dark")
    return visitor


def row(page, title):
    return page.locator("#inbox-list [data-task]").filter(has_text=title)


def test_on_a_phone_one_decides_and_the_next_task_opens(approver):
    page = approver.page
    page.set_viewport_size({"width": 320, "height": 640})
    facts = {f"Fact {n}": "x" * 40 for n in range(12)}
    one, two = (asked(approval(title=f"Number {n}?", facts=facts)) for n in (1, 2))
    approver.open("/inbox/")
    row(page, "Number 1?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Number 1?")
    expect(row(page, "Number 2?")).to_be_hidden()
    button = page.get_by_role("button", name="Approve")
    expect(button).to_be_in_viewport(ratio=1)
    assert button.bounding_box()["height"] >= 44
    assert not approver.scrolls_sideways()
    accessible(page)
    button.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Number 2?")
    expect(page.get_by_text("“Number 1?”: Approve.")).to_be_visible()
    expect(button).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    assert [again(task).status for task in (one, two)] == ["COMPLETED"] * 2


def test_by_keyboard_alone_tasks_are_chosen_claimed_snoozed_and_decided(approver):
    page = approver.page
    one, two, three = (asked(approval(title=f"Number {n}?")) for n in (1, 2, 3))
    approver.open("/inbox/?view=teams")
    approver.press("j", "j", "k", "Enter")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Number 1?")
    expect(heading).to_be_focused()
    assert str(one.pk) in page.url
    approver.press("]")
    expect(heading).to_have_text("Number 2?")
    expect(heading).to_be_focused()
    approver.press("c")
    expect(page.get_by_text("You have claimed this")).to_be_visible()
    approver.press("m")
    expect(page.locator("#comments textarea")).to_be_focused()
    page.keyboard.type("Is this right?")
    approver.press("Control+Enter")
    expect(page.locator(".comments .said")).to_have_text("Is this right?")
    approver.press("a")
    expect(page.locator("#consequence")).to_contain_text("Approve: Next: “Do nothing (yes)”.")
    approver.press("Escape")
    expect(page.locator("#consequence")).to_be_hidden()
    approver.press("a", "Control+Enter")
    expect(page.get_by_text("“Number 2?”: Approve.")).to_be_visible()
    assert again(two).outcome == "approved"
    expect(heading).to_have_text("Number 3?")
    approver.press("s", "Enter")
    expect(page.get_by_text("“Number 3?” is snoozed until")).to_be_visible()
    expect(heading).to_have_text("Number 1?")
    approver.press("w")
    expect(page.get_by_role("button", name="Unwatch")).to_be_visible()
    page.locator("#views-more > summary").click()
    expect(page.get_by_role("link", name="Watching 1")).to_be_visible()
    page.locator("#views-more > summary").click()
    approver.press("?")
    expect(page.get_by_text("Choose the first, the second outcome")).to_be_visible()
    assert again(three).status == "OPEN"


def test_what_others_do_is_seen_within_a_second_and_what_was_typed_stays(approver, other):
    page, theirs = approver.page, other.page
    task = asked(approval(title="First?"))
    for one in (approver, other):
        one.open(f"/inbox/{task.pk}?view=teams")
        one.page.evaluate("window.loaded = true")
        expect(row(one.page, "First?")).to_be_visible()
        one.page.wait_for_timeout(1000)
    page.get_by_label("Comment", exact=False).first.fill("I was about to say no.")
    asked(approval(title="Second?"))
    for one in (page, theirs):
        expect(row(one, "Second?")).to_be_visible(timeout=3000)
        expect(one.get_by_role("link", name="My teams 2")).to_be_visible()
    accessible(theirs)
    theirs.get_by_role("button", name="Approve").click()
    expect(theirs.get_by_role("heading", level=1)).to_have_text("Second?")
    # The draft that is being kept may say so, too.
    expect(page.locator("#task-state").get_by_text("bob decided this")).to_be_visible(timeout=3000)
    expect(row(page, "First?")).to_be_hidden()
    expect(page.get_by_role("button", name="Approve")).to_be_hidden()
    assert page.locator("#comment").input_value() == "I was about to say no."
    assert page.evaluate("window.loaded")
    accessible(page)


def test_who_has_decided_is_followed_by_who_must(approver, other):
    member("cid")
    task = asked(approval(title="Both?", quorum={"need": 2}))
    approver.open(f"/inbox/{task.pk}?view=teams")
    page = approver.page
    expect(page.get_by_text("0 of 2 agree")).to_be_visible()
    assert page.get_by_role("button", name="Claim it").count() == 0
    page.wait_for_timeout(1000)
    decide(member("bob"), task)
    expect(page.get_by_text("1 of 2 agree")).to_be_visible()
    expect(page.get_by_text("bob: Approve")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("“Both?”: Approve.")).to_be_visible()
    assert again(task).status == "COMPLETED"


def test_back_leads_to_the_task_before(approver):
    one, _ = (asked(approval(title=f"Number {n}?")) for n in (1, 2))
    page = approver.page
    approver.open(f"/inbox/{one.pk}?view=teams")
    row(page, "Number 2?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Number 2?")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Number 1?")
    expect(page.locator("nav.views")).to_be_visible()


def test_a_form_follows_what_is_filled_in_and_keeps_what_was_typed(approver):
    page, task = approver.page, asked(approval(form=BOTH))
    # A newer form takes the place of the one that is being fetched.
    approver.forgive("htmx:")
    approver.open(f"/inbox/{task.pk}")
    page.get_by_label("Way").select_option("bank")
    page.get_by_label("Iban").fill("DE12")
    page.get_by_role("button", name="Add another to Lines").press("Enter")
    expect(page.get_by_role("group", name="Lines 2").get_by_label("Item")).to_be_focused()
    page.keyboard.type("ink")
    page.get_by_role("group", name="Lines 2").get_by_label("Gift").check()
    page.get_by_role("group", name="Lines 2").get_by_label("Card").fill("Hello")
    page.get_by_role("button", name="Remove Lines 1").press("Enter")
    expect(page.get_by_role("button", name="Remove Lines 2")).to_have_count(0)
    expect(page.get_by_role("button", name="Remove Lines 1")).to_be_focused()
    expect(page.get_by_role("group", name="Lines 1").get_by_label("Item")).to_have_value("ink")
    page.get_by_label("Way").select_option("card")
    expect(page.get_by_label("Iban")).to_have_count(0)
    page.get_by_label("Way").select_option("bank")
    expect(page.get_by_label("Iban")).to_have_value("DE12")
    page.locator("#comment").fill("Hm.")
    expect(page.get_by_text("Draft saved")).to_be_visible()
    page.locator("#comment").fill("Hm, hm.")
    approver.open("/inbox/")
    page.set_viewport_size({"width": 390, "height": 844})
    approver.open(f"/inbox/{task.pk}")
    expect(page.get_by_text("This is what you typed before")).to_be_visible()
    expect(page.get_by_label("Iban")).to_have_value("DE12")
    expect(page.get_by_role("group", name="Lines 1").get_by_label("Card")).to_have_value("Hello")
    expect(page.locator("#comment")).to_have_value("Hm, hm.")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    accessible(page)
    assert approver.complaints() == []


def test_a_file_is_chosen_shown_and_decided_with(approver):
    page, task = approver.page, asked(approval(form=CONTRACT))
    approver.forgive("htmx:")
    approver.open(f"/inbox/{task.pk}")
    wrong = {"name": "a.txt", "mimeType": "application/pdf", "buffer": b"text"}
    page.get_by_label("Contract").set_input_files(wrong)
    expect(page.get_by_text("Only application/pdf files are accepted.")).to_be_visible()
    page.get_by_role("button", name="Remove a.txt").click()
    right = {"name": "b.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 x"}
    page.get_by_label("Contract").set_input_files(right)
    expect(page.get_by_role("link", name="b.pdf").first).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Decided: Approve").or_(page.get_by_text("Your decision")).first).to_be_visible()
    assert approver.complaints() == []


def test_tasks_are_selected_and_decided_together_by_keys_alone(approver):
    page = approver.page
    make.start(approval(facts={"Amount": "{{ input.amount }}"}), *({"amount": n} for n in range(1, 6)))
    make.work()
    approver.open("/inbox/?view=teams")
    for key in ("j", "x", "j", "j", "Shift+X"):
        page.keyboard.press(key)
    expect(page.locator("#bulk-count")).to_have_text("3 selected")
    accessible(page)
    # What is selected outlives a list that comes anew.
    assert approver.ticked_when_swapped("inbox-list") == 3
    asked(approval(title="One more?"))
    expect(page.get_by_role("link", name="One more?")).to_be_visible()
    expect(page.locator("#bulk-count")).to_have_text("3 selected")
    page.get_by_role("button", name="Decide…").press("Enter")
    dialog = page.locator("#bulk-dialog")
    expect(dialog.get_by_text("Amount: 6")).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Approve: 3").press("Enter")
    expect(page.get_by_text("3 of 3 decided.")).to_be_visible()
    expect(page.locator("#inbox-list [data-task]")).to_have_count(3)


def test_what_is_there_when_a_page_comes_is_told_in_live_regions_later(approver):
    page, said, toasts = (
        approver.page,
        approver.page.locator("#inbox-said"),
        approver.page.locator("#toasts"),
    )
    one, two = (asked(approval(title=f"Number {n}?", undo_seconds=60)) for n in (1, 2))
    approver.open(f"/inbox/{one.pk}?view=teams")
    page.get_by_role("button", name="Approve").click()
    expect(said).to_have_text("Approve, “Number 1?”: press z to undo it.")
    page.keyboard.press("w")
    expect(toasts).to_have_text("You watch this task.")
    # The undo bar is still there, and was told of on the page before.
    expect(page.locator(".undo")).to_have_count(1)
    expect(said).to_have_text("")
    page.keyboard.press("z")
    expect(toasts).to_have_text("Taken back: nothing was decided.")
    # A region that came filled would not be told.
    came = page.request.get("/inbox/").text()
    for region in (
        'id="inbox-said" role="status"></p>',
        'id="toasts" class="toasts" role="status" aria-live="polite"></div>',
    ):
        assert region in came
    expect(page.get_by_role("heading", level=1)).to_have_text("Number 1?")
    assert [again(task).status for task in (one, two)] == ["OPEN"] * 2


@pytest.mark.exhaustive
def test_by_keys_alone_what_was_decided_together_is_undone_and_a_third_outcome_is_taken_up(approver):
    page = approver.page
    outcomes = [{"name": name.lower(), "label": name} for name in ("Pay", "Refuse", "Wait")]
    ask = {
        "id": "ask",
        "type": "human.approval",
        "params": {"title": "Invoice {{ input.n }}?", "outcomes": outcomes, "undo_seconds": 60},
    }
    make.start(make.graph([ask, "go"], ["ask>go"]), *({"n": n} for n in range(3)))
    make.work()
    approver.open("/inbox/?view=teams")
    for key in ("j", "x", "j", "j", "Shift+X"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Decide…").press("Enter")
    page.locator("#bulk-dialog").get_by_role("button", name="Pay: 3").press("Enter")
    expect(page.locator("#inbox-said")).to_have_text("Pay, 3 decisions: press z to undo them.")
    expect(page.locator(".undo")).to_contain_text("Pay: 3 decisions count in")
    accessible(page)
    page.keyboard.press("z")
    expect(page.get_by_text("3 of 3 taken back: nothing was decided.")).to_be_visible()
    expect(page.locator(".undo")).to_have_count(0)
    for key in ("j", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text("Invoice 0?")
    page.keyboard.press("3")
    expect(page.locator("#consequence")).to_contain_text("Wait: ")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".undo")).to_contain_text("Wait: Invoice 0?")
