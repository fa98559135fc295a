"""Two people on one draft: what does not touch is merged, what does is shown with both values; nothing gets lost.
They see one another, and talk about its steps.
"""

import pytest
from playwright.sync_api import expect

from accounts.models import AccountMail, User
from tests import factories as make
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder
from tests.web.conftest import log_in
from tests.web.visitor import Visitor

pytestmark = pytest.mark.browser

TWO = {
    "name": "ours",
    "title": "Ours",
    "nodes": [
        {"id": "first", "type": "text.clean", "title": "First"},
        {"id": "second", "type": "text.summarize", "title": "Second"},
    ],
    "edges": [{"from": "first", "to": "second"}],
}
# A step may be called what every object of the browser has.
FIRST, SECOND = "constructor", "toString"
NAMES = {"ana": "Ana Weber", "ben": "Ben Meier"}
NAMED = {
    **TWO,
    "nodes": [{**node, "id": name} for node, name in zip(TWO["nodes"], (FIRST, SECOND), strict=True)],
    "edges": [{"from": FIRST, "to": SECOND}],
}


@pytest.fixture
def both(another) -> tuple[Builder, Builder]:
    """Ana Weber and Ben Meier, each with a browser, on the same draft."""
    make.a_workflow("ours", NAMED)
    for username, name in NAMES.items():
        make.a_member(username, "author")
        User.objects.filter(username=username).update(name=name)
    return tuple(Builder(another(username), "ours") for username in NAMES)


def write_title(builder: Builder, step: str, text: str) -> None:
    builder.row_of(step).click()
    builder.page.locator("[data-title]").fill(text)


def titles(builder: Builder) -> list[str]:
    return [node["title"] for node in builder.saved()["nodes"]]


def test_what_two_people_do_at_once_is_merged_and_nobody_takes_back_what_the_other_did(both):
    ana, _ = both
    assert ana.cards() == ["First", "Second"]
    look_only(ana)
    write_at_once(both)
    undo_ones_own(both)
    write_what_can_not_be_read(both)
    write_what_can_not_be_stored(ana)
    see_one_another(both)
    talk(both)


def look_only(ana: Builder) -> None:
    """Who only looks says that they are here, and is told that nothing is new: the draft is not asked for."""
    asked: list[str] = []
    ana.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    for _ in range(2):
        with ana.page.expect_response("**/presence", timeout=15_000) as answer:
            pass
        assert answer.value.json()["revision"] == 1
    assert set(asked) == {"presence"}


def write_at_once(both: tuple[Builder, Builder]) -> None:
    """What they do to different steps is merged, and both see it."""
    ana, ben = both
    write_title(ana, FIRST, "Ana's")
    write_title(ben, SECOND, "Ben's")
    for one in both:
        expect(one.row("Ana's")).to_be_visible()
        expect(one.row("Ben's")).to_be_visible()
    assert titles(ana) == ["Ana's", "Ben's"]


def undo_ones_own(both: tuple[Builder, Builder]) -> None:
    """And not what the other did after it."""
    ana, _ = both
    ana.card("Ana's").click()
    ana.page.keyboard.press("Control+z")
    assert titles(ana) == ["First", "Ben's"]


def write_what_can_not_be_read(both: tuple[Builder, Builder]) -> None:
    """A text that is no JSON yet is kept, and takes back nothing of what the other does."""
    ana, ben = both
    ana.page.get_by_role("button", name="Text", exact=True).click()
    lines = ana.page.locator(".cm-content")
    expect(lines).to_contain_text("First")
    lines.click()
    ana.page.keyboard.press("Control+End")
    ana.page.keyboard.type("{")
    expect(ana.page.locator(".code-head .bad-words")).to_be_visible()
    write_title(ben, SECOND, "Ben's own")
    titles(ben)
    ana.page.get_by_role("button", name="Canvas", exact=True).click()
    expect(ana.row("Ben's own")).to_be_visible()
    ana.page.get_by_role("button", name="Text", exact=True).click()
    expect(ana.page.locator(".code-head .bad-words")).to_be_visible()
    lines.click()
    ana.page.keyboard.press("Control+End")
    ana.page.keyboard.press("Backspace")
    expect(lines).to_contain_text("Ben's own")
    assert titles(ana) == ["First", "Ben's own"]
    ana.page.get_by_role("button", name="Canvas", exact=True).click()


_TYPE_NUL = """field => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "nul \\u0000");
  field.dispatchEvent(new Event("input", {bubbles: true}));
}"""


def write_what_can_not_be_stored(ana: Builder) -> None:
    """It is shown, and keeps nothing else back."""
    ana.visitor.forgive("status of 400")
    ana.row_of(FIRST).click()
    ana.page.locator("[data-title]").evaluate(_TYPE_NUL)
    refused = ana.page.locator(".conflicts")
    expect(refused).to_contain_text("One change can't be saved")
    expect(refused).to_contain_text("NUL character")
    write_title(ana, SECOND, "Good")
    assert titles(ana) == ["First", "Good"]
    refused.get_by_role("button", name="Discard mine").click()
    expect(refused).to_have_count(0)


def see_one_another(both: tuple[Builder, Builder]) -> None:
    """By name, and where the other one is."""
    ana, ben = both
    ben.row_of(SECOND).click()
    expect(ana.page.locator(".here [role=status]")).to_have_text("Ben Meier is here too", timeout=15_000)
    expect(ana.row_of(SECOND).locator(".at-step .avatar")).to_have_text("BM", timeout=15_000)
    expect(ana.card("Good").locator(".at-step .avatar")).to_have_text("BM")


def talk(both: tuple[Builder, Builder]) -> None:
    """One says something that mentions the other, who resolves it."""
    ana, ben = both
    ana.row_of(FIRST).click()
    ana.page.keyboard.press("m")
    field = ana.page.get_by_role("textbox", name="Comment")
    expect(field).to_be_focused()
    ana.page.keyboard.type("Why this, @be")
    expect(ana.page.get_by_role("option", name="Ben Meier")).to_be_visible()
    ana.page.keyboard.press("Enter")
    expect(field).to_have_value("Why this, @ben ")
    ana.page.keyboard.press("Control+Enter")
    expect(ana.page.locator(".said-text")).to_have_text("Why this, @ben")
    assert faults_by_day_and_night(ana.page, ".builder") == []
    mails = AccountMail.objects.for_tenant(make.a_tenant().pk)
    assert list(mails.values_list("user__username", "kind")) == [("ben", "mentioned")]

    expect(ben.row_of(FIRST).locator(".outline-comments")).to_contain_text("1 open comment", timeout=15_000)
    # As the mail leads to it.
    ben.visitor.open(f"/workflows/ours/edit?step={FIRST}")
    expect(ben.page.get_by_role("textbox", name="Reply")).to_be_focused()
    ben.page.get_by_role("button", name="Resolve").click()
    expect(ben.page.locator(".outline-comments")).to_have_count(0)
    expect(ana.page.locator(".outline-comments")).to_have_count(0, timeout=15_000)
    ana.page.get_by_role("tab", name="Comments").click()
    ana.page.get_by_role("button", name="Resolved (1)").click()
    expect(ana.page.locator(".all-comments .thread footer")).to_contain_text("Resolved by Ben Meier")
    assert faults_by_day_and_night(ana.page, ".builder-bottom") == []

    ben.page.goto("about:blank")
    expect(ana.page.locator(".here [role=status]")).to_have_text("", timeout=15_000)


@pytest.mark.exhaustive
def test_what_is_done_without_the_net_or_a_session_is_kept_and_meets_what_others_did(both, site):
    ana, ben = both
    for one in both:
        one.visitor.forgive("ERR_INTERNET_DISCONNECTED")
    write_in_a_tunnel(both)
    set_the_same_field(both)
    delete_what_the_other_writes_in(both)
    write_without_a_session(ana, site)
    close_the_tab(ana, ben)


def write_in_a_tunnel(both: tuple[Builder, Builder]) -> None:
    """It is sent when the net is back, beside what the other did."""
    ana, ben = both
    ana.page.context.set_offline(True)
    write_title(ana, FIRST, "Written in a tunnel")
    expect(ana.page.locator("[data-state=offline]")).to_contain_text("Offline. ")
    expect(ana.page.locator("[data-state=offline]")).to_contain_text("kept in this browser")
    write_title(ben, SECOND, "Ben's")
    assert titles(ben) == ["First", "Ben's"]
    ana.page.context.set_offline(False)
    assert titles(ana) == ["Written in a tunnel", "Ben's"]


def set_the_same_field(both: tuple[Builder, Builder]) -> None:
    """Both values are shown, and either can be chosen."""
    ana, ben = both
    ben.page.context.set_offline(True)
    write_title(ben, FIRST, "Ben's words")
    write_title(ana, FIRST, "Ana's words")
    assert titles(ana)[0] == "Ana's words"
    # A field that is left shows what others set it to.
    ana.page.keyboard.press("Escape")
    ben.page.context.set_offline(False)
    conflict = ben.page.locator(".conflicts")
    expect(conflict).to_contain_text("Theirs (ana)")
    expect(conflict).to_contain_text("Ana's words")
    expect(conflict).to_contain_text("Ben's words")
    expect(ben.page.locator(".save-state")).to_contain_text("Conflict in 1 field")
    assert titles(ana)[0] == "Ana's words"
    conflict.get_by_role("button", name="Keep mine").click()
    expect(conflict).to_have_count(0)
    assert titles(ben)[0] == "Ben's words"
    expect(ana.row("Ben's words")).to_be_visible()


def delete_what_the_other_writes_in(both: tuple[Builder, Builder]) -> None:
    """The step is not lost."""
    ana, ben = both
    ben.page.context.set_offline(True)
    ben.row_of(SECOND).click()
    ben.page.keyboard.press("Escape")
    ben.card("Ben's").click()
    ben.page.keyboard.press("Delete")
    write_title(ana, SECOND, "I still need it")
    assert titles(ana) == ["Ben's words", "I still need it"]
    ben.page.context.set_offline(False)
    conflict = ben.page.locator(".conflicts")
    expect(conflict).to_contain_text("I still need it")
    conflict.get_by_role("button", name="Take theirs").first.click()
    expect(ben.row("I still need it")).to_be_visible()
    assert titles(ben) == ["Ben's words", "I still need it"]


def write_without_a_session(ana: Builder, site: str) -> None:
    """It is saved when its person logs in again, and not for somebody else."""
    ana.visitor.forgive("status of 40")
    context = ana.page.context
    context.clear_cookies()
    write_title(ana, FIRST, "Written without a session")
    expect(ana.page.locator(".save-state")).to_contain_text("You are logged out")
    log_in(User.objects.get(username="ben"), context, site)
    write_title(ana, SECOND, "Still nobody's")
    expect(ana.page.locator(".save-state")).to_contain_text("Someone else is logged in now")
    log_in(User.objects.get(username="ana"), context, site)
    write_title(ana, SECOND, "All of it")
    assert titles(ana) == ["Written without a session", "All of it"]


def close_the_tab(ana: Builder, ben: Builder) -> None:
    """What was done offline outlives it."""
    context = ana.page.context
    context.set_offline(True)
    write_title(ana, SECOND, "Not yet sent")
    expect(ana.page.locator("[data-state=offline]")).to_be_visible()
    ana.page.close()
    context.set_offline(False)
    again = Visitor(context.new_page())
    again.page.clock.install()
    again.page.clock.fast_forward(20_000)
    reopened = Builder(again, "ours")
    expect(reopened.row("Not yet sent")).to_be_visible()
    expect(ben.row("Not yet sent")).to_be_visible()
