"""The page of the audit log: filters, what differs, who may see it."""

import pytest
from django.test import Client

from accounts import audit
from accounts.audit import chain
from tests.people import People

pytestmark = pytest.mark.django_db

URL = "/settings/audit"


@pytest.fixture
def people():
    return People()


@pytest.fixture
def page(people):
    client = Client()
    client.force_login(people.member("admin"))
    return client


def note(people, number: int = 1) -> None:
    who = people.principal("admin")
    for place in range(number):
        before, after = {"role": "viewer"}, {"role": f"role {place}"}
        audit.change(who, "member.change", f"ann{place}", before=before, after=after, reason="asked by Eve")
    chain.link()


def test_an_empty_log_says_so(page):
    assert "Nothing was recorded yet" in page.get(URL).content.decode()


def test_records_are_shown_with_what_differs(people, page):
    note(people)
    text = page.get(URL).content.decode()
    for part in (
        "member.change",
        "ann0",
        "<del>viewer</del>",
        "<ins>role 0</ins>",
        "asked by Eve",
        "in the background",
    ):
        assert part in text


def test_filters_and_exports(people, page):
    note(people, 2)
    text = page.get(URL, {"target": "ann1", "act": "member.*", "since": "2020-01-01"}).content.decode()
    assert "<ins>role 1</ins>" in text
    assert "<ins>role 0</ins>" not in text
    assert "act=member.%2A&amp;target=ann1&amp;format=jsonl&amp;since=20" in text
    assert "No records found" in page.get(URL, {"until": "2020-01-01"}).content.decode()
    assert page.get(URL, {"since": "9999-99-99", "until": "x", "by": "\x00"}).status_code == 200


def test_hidden_characters_are_visible(people, page):
    audit.change(people.principal("admin"), "member.change", "ann\u202ejpg", reason="<b>bold</b>")
    text = page.get(URL).content.decode()
    assert "ann⟨U+202E⟩jpg" in text
    assert "\u202e" not in text
    assert "&lt;b&gt;bold" in text


def test_a_deactivated_user_is_named(people, page):
    note(people)
    user = people.member("author")
    audit.change(people.principal("author"), "workflow.create", "flow")
    user.is_active = False
    user.save()
    assert "author-of-ours" in page.get(URL).content.decode()


def test_it_takes_as_many_statements_however_many_records_there_are(
    people, page, django_assert_max_num_queries
):
    note(people)
    page.get(URL)
    with django_assert_max_num_queries(4):
        page.get(URL)
    note(people, 60)
    with django_assert_max_num_queries(4):
        text = page.get(URL).content.decode()
    assert text.count("<del>viewer</del>") == 50


@pytest.mark.parametrize("role", ["viewer", "author", "operator", "approver", "requester"])
def test_others_may_not_see_it(people, role):
    client = Client()
    client.force_login(people.member(role))
    assert client.get(URL).status_code == 403
    assert URL not in client.get("/settings/me").content.decode()


def test_the_other_tenant_sees_nothing(people):
    note(people)
    client = Client()
    client.force_login(people.member("admin", "theirs"))
    assert "ann0" not in client.get(URL).content.decode()
