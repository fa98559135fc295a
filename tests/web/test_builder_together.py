"""Two people on one draft: what does not touch is merged, what does is shown with both values; nothing gets lost."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, expect

from accounts.models import User
from tests import factories as make
from tests.web.builder import Builder
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


def log_in(context: BrowserContext, name: str, site: str) -> None:
    client = Client()
    client.force_login(User.objects.get(username=name))
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])


def logged_in(site, chromium, name: str) -> Visitor:
    make.a_member(name, "author")
    context = chromium.new_context(base_url=site, viewport={"width": 1440, "height": 900})
    log_in(context, name, site)
    return Visitor(context.new_page())


@pytest.fixture
def both(site, chromium, transactional_db) -> Iterator[tuple[Builder, Builder]]:
    """Ana and Ben, each with a browser, on the same draft."""
    make.a_workflow("ours", TWO)
    visitors = [logged_in(site, chromium, name) for name in ("ana", "ben")]
    yield tuple(Builder(visitor, "ours") for visitor in visitors)
    for visitor in visitors:
        visitor.page.context.close()
        assert visitor.complaints() == []


def write_title(builder: Builder, title: str, text: str) -> None:
    builder.row(title).click()
    builder.page.locator("[data-title]").fill(text)


def titles(builder: Builder) -> list[str]:
    return [node["title"] for node in builder.saved()["nodes"]]


def test_what_two_people_do_to_different_steps_is_merged_and_both_see_it(both):
    ana, ben = both
    write_title(ana, "First", "Ana's")
    write_title(ben, "Second", "Ben's")
    for one in both:
        expect(one.row("Ana's")).to_be_visible()
        expect(one.row("Ben's")).to_be_visible()
    assert titles(ana) == ["Ana's", "Ben's"]


def test_who_only_looks_asks_whether_there_is_anything_new_and_changes_nothing(both):
    ana, _ben = both
    asked: list[str] = []
    ana.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    for _ in range(2):
        with ana.page.expect_response("**/presence", timeout=15_000) as answer:
            pass
        assert answer.value.json()["revision"] == 1
    # It says that it is here, and is told that nothing is new: the draft is not asked for.
    assert set(asked) == {"presence"}


def test_what_was_done_offline_is_kept_and_sent_when_the_net_is_back(both):
    ana, ben = both
    ana.visitor.forgive("ERR_INTERNET_DISCONNECTED")
    ana.page.context.set_offline(True)
    write_title(ana, "First", "Written in a tunnel")
    expect(ana.page.locator("[data-state=offline]")).to_contain_text("Offline. ")
    expect(ana.page.locator("[data-state=offline]")).to_contain_text("kept in this browser")
    write_title(ben, "Second", "Ben's")
    assert titles(ben) == ["First", "Ben's"]
    ana.page.context.set_offline(False)
    assert titles(ana) == ["Written in a tunnel", "Ben's"]


def test_what_was_done_offline_outlives_the_tab(both):
    ana, ben = both
    ana.visitor.forgive("ERR_INTERNET_DISCONNECTED")
    context = ana.page.context
    context.set_offline(True)
    write_title(ana, "First", "Not yet sent")
    expect(ana.page.locator("[data-state=offline]")).to_be_visible()
    ana.page.close()
    context.set_offline(False)
    again = Visitor(context.new_page())
    again.page.clock.install()
    again.page.clock.fast_forward(20_000)
    reopened = Builder(again, "ours")
    expect(reopened.row("Not yet sent")).to_be_visible()
    expect(ben.row("Not yet sent")).to_be_visible()


def test_a_field_that_two_people_set_shows_both_values_and_either_can_be_chosen(both):
    ana, ben = both
    ben.visitor.forgive("ERR_INTERNET_DISCONNECTED")
    ben.page.context.set_offline(True)
    write_title(ben, "First", "Ben's words")
    write_title(ana, "First", "Ana's words")
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


def test_a_step_that_one_deletes_while_the_other_writes_in_it_is_not_lost(both):
    ana, ben = both
    ben.visitor.forgive("ERR_INTERNET_DISCONNECTED")
    ben.page.context.set_offline(True)
    ben.row("Second").click()
    ben.page.keyboard.press("Escape")
    ben.card("Second").click()
    ben.page.keyboard.press("Delete")
    write_title(ana, "Second", "I still need it")
    assert titles(ana) == ["First", "I still need it"]
    ben.page.context.set_offline(False)
    conflict = ben.page.locator(".conflicts")
    expect(conflict).to_contain_text("I still need it")
    conflict.get_by_role("button", name="Take theirs").first.click()
    expect(ben.row("I still need it")).to_be_visible()
    assert titles(ben) == ["First", "I still need it"]


def test_an_undo_takes_back_what_one_did_oneself_and_not_what_the_other_did(both):
    ana, ben = both
    write_title(ana, "First", "Ana's")
    titles(ana)
    write_title(ben, "Second", "Ben's")
    titles(ben)
    expect(ana.row("Ben's")).to_be_visible()
    ana.card("Ana's").click()
    ana.page.keyboard.press("Control+z")
    assert titles(ana) == ["First", "Ben's"]


_TYPE_NUL = """field => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "nul \\u0000");
  field.dispatchEvent(new Event("input", {bubbles: true}));
}"""


def test_what_was_written_after_the_session_ended_is_saved_when_its_person_logs_in_again(both, site):
    ana, _ = both
    ana.visitor.forgive("status of 40")
    context = ana.page.context
    context.clear_cookies()
    write_title(ana, "First", "Written without a session")
    expect(ana.page.locator(".save-state")).to_contain_text("You are logged out")
    log_in(context, "ben", site)
    write_title(ana, "Second", "Still nobody's")
    expect(ana.page.locator(".save-state")).to_contain_text("Someone else is logged in now")
    log_in(context, "ana", site)
    write_title(ana, "Still nobody's", "All of it")
    assert titles(ana) == ["Written without a session", "All of it"]


def test_a_text_that_can_not_be_stored_is_shown_and_keeps_nothing_else_back(both):
    ana, _ = both
    ana.visitor.forgive("status of 400")
    ana.row("First").click()
    ana.page.locator("[data-title]").evaluate(_TYPE_NUL)
    refused = ana.page.locator(".conflicts")
    expect(refused).to_contain_text("One change can't be saved")
    expect(refused).to_contain_text("NUL character")
    write_title(ana, "Second", "Good")
    assert titles(ana) == ["First", "Good"]
    refused.get_by_role("button", name="Discard mine").click()
    expect(refused).to_have_count(0)


def test_a_step_may_be_called_what_every_object_of_the_browser_has(site, chromium, transactional_db):
    ids = ["constructor", "toString"]
    nodes = [{"id": each, "type": "text.clean", "title": each} for each in ids]
    make.a_workflow("theirs", {"name": "theirs", "title": "Theirs", "nodes": nodes, "edges": []})
    visitor = logged_in(site, chromium, "ana")
    builder = Builder(visitor, "theirs")
    assert builder.cards() == ids
    visitor.page.context.close()
    assert visitor.complaints() == []


def test_a_text_that_can_not_be_read_yet_is_kept_and_takes_back_nothing_of_what_others_do(both):
    ana, ben = both
    ana.page.get_by_role("button", name="Text", exact=True).click()
    lines = ana.page.locator(".cm-content")
    expect(lines).to_contain_text("First")
    lines.click()
    ana.page.keyboard.press("Control+End")
    ana.page.keyboard.type("{")
    expect(ana.page.locator(".code-head .bad-words")).to_be_visible()
    write_title(ben, "Second", "Ben's")
    titles(ben)
    ana.page.get_by_role("button", name="Canvas", exact=True).click()
    expect(ana.row("Ben's")).to_be_visible()
    ana.page.get_by_role("button", name="Text", exact=True).click()
    expect(ana.page.locator(".code-head .bad-words")).to_be_visible()
    lines.click()
    ana.page.keyboard.press("Control+End")
    ana.page.keyboard.press("Backspace")
    expect(lines).to_contain_text("Ben's")
    assert titles(ana) == ["First", "Ben's"]
