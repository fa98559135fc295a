"""A session that ended loses nothing that was typed, and shows the login nowhere but on a page of its own."""

import html
import re

import pytest
from django.test import Client
from playwright.sync_api import expect

from accounts.models import Membership, User
from tests import factories as make
from workflows.models import Workflow

OURS = {"HTTP_ORIGIN": "http://testserver"}
FORM = {
    "title": "Täglich",
    "name": "daily",
    "step": "s1",
    "s1.type": "text.clean",
    "s1.shown": "text.clean",
    "do": "save",
}
LOGIN = {"username": "ann", "password": "a long password"}


def token(text: str) -> str:
    return re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text)[1]


def hidden(text: str) -> dict[str, list[str]]:
    """What the hidden inputs of the page's own form hold."""
    fields: dict[str, list[str]] = {}
    main = text[text.index("<main") :]
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', main):
        fields.setdefault(html.unescape(name), []).append(html.unescape(value))
    return fields


@pytest.fixture
def author(ann):
    """Ann as an author, with a browser that is checked for forged forms."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    return client


def filled(client, **changes):
    """The form of a pipeline as it is sent, made before the session ended."""
    return FORM | {"csrfmiddlewaretoken": token(client.get("/workflows/new").text)} | changes


def test_a_form_that_outlived_its_session_goes_on_after_the_login(author):
    form = filled(author, description='\nIt\'s "mine"\nand <b>yours</b>')
    author.logout()
    asked = author.post("/workflows/new", form, **OURS)
    assert asked.status_code == 403
    assert "What you typed is kept" in asked.text
    carried = hidden(asked.text)
    wrong = author.post("/login", {**carried, **LOGIN, "password": "no"}, **OURS)
    assert wrong.status_code == 401
    assert hidden(wrong.text)["carried"] == carried["carried"]
    again = author.post("/login", {**carried, **LOGIN}, **OURS)
    assert 'action="/workflows/new"' in again.text
    assert not Workflow.objects.for_tenant(make.a_tenant().pk).exists()
    kept = hidden(again.text)
    assert kept["description"] == [form["description"]]
    assert author.post("/workflows/new", kept, **OURS).headers["Location"] == "/workflows/daily/pipeline"
    saved = Workflow.objects.for_tenant(make.a_tenant().pk).get()
    assert [node["id"] for node in saved.draft_definition["nodes"]] == ["clean"]


def test_who_has_logged_in_again_elsewhere_sends_it_once_more(author, ann):
    form = filled(author)
    author.logout()
    author.force_login(ann)
    again = author.post("/workflows/new", form, **OURS)
    assert again.status_code == 403
    assert "Send it again" in again.text
    # Whoever comes back after lunch is shown which form it was.
    assert "<dt>Where</dt>" in again.text
    assert author.post("/workflows/new", hidden(again.text), **OURS).status_code == 302


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"HTTP_ORIGIN": "https://evil.example"},
        {"HTTP_ORIGIN": "null"},
        OURS | {"HTTP_SEC_FETCH_SITE": "cross-site"},
    ],
)
def test_what_another_site_sends_is_refused_and_never_offered_again(author, headers):
    answer = author.post("/workflows/new", FORM | {"title": "Forged"}, **headers)
    assert answer.status_code == 403
    assert "Forged" not in answer.text
    assert author.post("/logout", **headers).status_code == 403
    assert author.get("/workflows/new").status_code == 200


def test_a_login_carries_nothing_to_another_site(author):
    author.logout()
    page = author.get("/login").text
    for carried in ('["https://evil.example/", []]', '["//evil.example", []]', "[1", '"x"', '["/", 5]'):
        form = LOGIN | {"csrfmiddlewaretoken": token(page), "carried": carried}
        assert author.post("/login", form, **OURS).headers["Location"] == "/"
        author.logout()
        page = author.get("/login").text


def test_a_second_tab_with_the_login_leads_on_and_logging_out_twice_is_no_fault(author, ann):
    author.logout()
    form = LOGIN | {"csrfmiddlewaretoken": token(author.get("/login").text), "next": "/runs/"}
    author.force_login(ann)
    answer = author.post("/login", form, **OURS)
    assert answer.headers["Location"] == "/runs/"
    stale = token(author.get("/").text)
    author.logout()
    assert author.post("/logout", {"csrfmiddlewaretoken": stale}, **OURS).headers["Location"] == "/login"
    late = author.post("/login", form, **OURS)
    assert late.status_code == 403
    assert "Enter your password again" in late.text
    assert 'value="ann"' in late.text


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{"HTTP_HX_REQUEST": "true"}, {"HTTP_SEC_FETCH_DEST": "empty"}])
def test_a_script_is_told_and_gets_no_login(client, headers):
    for answer in (client.get("/runs/", **headers), client.post("/workflows/new", **headers)):
        assert (answer.status_code, answer.text) == (401, "You were logged out.")
    assert client.get("/runs/").headers["Location"] == "/login?next=/runs/"


def log_out(user: User) -> None:
    """End all sessions, as from another browser."""
    user.set_password("another long password")
    user.save()


@pytest.mark.browser
def test_a_page_that_follows_says_that_it_was_logged_out(visitor, ann):
    run_id = make.start(make.graph([{"id": "a", "type": "job", "queue": "pricing"}], []), {})[0]
    visitor.open(f"/runs/{run_id}")
    log_out(ann)
    visitor.page.evaluate("document.body.dispatchEvent(new CustomEvent('handoff:changed'))")
    link = visitor.page.locator("#logged-out a")
    expect(link).to_have_attribute("href", f"/login?next=%2Fruns%2F{run_id}")
    expect(visitor.page.get_by_label("Password")).to_have_count(0)
    visitor.page.locator("#run-input summary").click()
    with visitor.page.expect_response("**/value?**") as answer:
        visitor.page.get_by_role("button", name="Copy JSON").first.click()
    assert answer.value.status == 401
    expect(visitor.page.get_by_text("Copied")).to_have_count(0)
    visitor.forgive("401")
    # Where the browser takes its time, the socket is shut, or still to be opened, before the page is left.
    visitor.forgive(f"/ws/runs/{run_id}")


@pytest.mark.browser
def test_back_to_a_page_of_a_session_that_ended_is_the_login(visitor, ann):
    visitor.open("/runs/")
    visitor.page.get_by_role("button", name="Log out").click()
    visitor.page.wait_for_url("**/login")
    visitor.page.go_back()
    visitor.page.wait_for_url("**/login?next=/runs/")
    visitor.forgive("401")


@pytest.mark.browser
def test_a_pipeline_is_saved_although_its_session_ended(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.open("/workflows/new")
    page = visitor.page
    page.get_by_label("Title").fill("Mine")
    page.locator("[data-add='text.summarize']").click()
    page.context.clear_cookies()
    page.get_by_role("button", name="Save draft").click()
    visitor.log_in("a long password")
    page.get_by_role("button", name="Send it again").click()
    page.wait_for_url("**/workflows/mine/pipeline")
    expect(page.get_by_label("Sentences")).to_be_visible()
