"""What each role is offered, how addresses answer that nobody should call, what the lists say; without a browser."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.http import HttpResponse

from accounts.models import Membership
from lib.api import pages
from tests import factories as make
from tests.api.authorisation_matrix import MATRIX, PUBLIC, address
from tests.web.test_run_actions import member
from tests.web.test_workflow_pages import a_workflow

pytestmark = pytest.mark.django_db

TOLD = "told on a page"
PAGES = [name for name, route in MATRIX.items() if route.page and PUBLIC not in route.methods.values()]


@pytest.mark.parametrize("role", ["viewer", "author", "operator", "approver", "admin"])
def test_nobody_is_offered_what_they_may_not_do(role):
    client = member(role)
    may_write, may_start = role in ("author", "admin"), role in ("author", "operator", "admin")
    for path in ("/", "/workflows/"):
        assert ('href="/workflows/new"' in client.get(path).text) == may_write
    a_workflow()
    for path in ("/", "/workflows/"):
        assert ('href="/workflows/new"' in client.get(path).text) == may_write
    assert ('href="/workflows/import"' in client.get("/workflows/").text) == may_write
    assert ('action="/workflows/ours/start"' in client.get("/workflows/ours/").text) == may_start
    assert ("/workflows/ours/#start" in client.get("/").text) == may_start


def test_a_method_that_a_page_does_not_take_is_told_on_a_page():
    answer = member("admin").generic("DELETE", address("workflows"))
    assert answer.status_code == 405
    assert "Error 405" in answer.text


@pytest.mark.parametrize("name", PAGES)
def test_every_page_refuses_each_method_that_it_does_not_take(monkeypatch, name):
    # What it is told on is always the same page, and takes longer than all else.
    monkeypatch.setattr(pages, "_page", lambda request, status, message: HttpResponse(TOLD, status=status))
    client = member("admin")
    taken = set(MATRIX[name].methods)
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - taken:
        answer = client.generic(method, address(name))
        assert (answer.status_code, answer.text) == (405, TOLD), method
        assert set(answer.headers["Allow"].split(", ")) == taken | ({"HEAD"} if "GET" in taken else set())
    if "GET" in taken:
        assert client.head(address(name)).status_code != 405


def test_a_chat_is_shown_the_mark_and_nothing_of_the_page_behind_the_login(client):
    a_workflow("secret-plan")
    text = client.get("/workflows/secret-plan/", follow=True).text
    card = re.search(r'property="og:image" content="http://testserver/static/([^"]+)"', text)
    assert card is not None
    assert finders.find(re.sub(r"\.[0-9a-f]{12}\.png$", ".png", card[1]))
    assert "secret-plan" not in text.replace('name="next" value="/workflows/secret-plan/"', "")


def test_logging_out_by_a_link_is_told_on_a_page(client):
    answer = client.get("/logout")
    assert (answer.status_code, "Error 405" in answer.text) == (405, True)


def test_what_is_called_exactly_so_is_found_first():
    client = member("viewer")
    a_workflow("report")
    a_workflow("reports-2")
    for number in range(9):
        a_workflow(f"copy-of-report-{number}")
    found = [row["url"] for row in client.get("/find?q=report").json()["results"]]
    assert found[:2] == ["/workflows/report/", "/workflows/reports-2/"]
    assert len(found) == 8


def test_a_character_that_no_text_has_breaks_nothing():
    client = member("viewer")
    run_id = make.start(make.chain("noop"), {})[0]
    assert client.get("/find?q=%00").json() == {"results": []}
    for asked in ("of=input&node=%00", "of=input&field=%00", "of=input&node=a&index=%00"):
        assert client.get(f"/runs/{run_id}/value?{asked}").status_code == 404
    assert client.get("/workflows/?q=%00").status_code == 200


def test_newer_leads_back_to_the_list_that_follows():
    client = member("viewer")
    make.start_version(make.a_version(make.chain("noop")), *({"n": number} for number in range(60)))
    older = client.get(client.get("/runs/?status=open").context["older"])
    back = client.get(older.context["newer"])
    assert back.status_code == 302
    assert back.url == "/runs/?status=open"


def test_filters_that_cannot_be_read_are_named_as_their_fields_are():
    text = member("viewer").get(f"/runs/?since=yesterday&q={'x' * 1001}").text
    assert re.search(r'id="since-fault"[^>]*>From: ', text)
    assert re.search(r'id="q-fault"[^>]*>Text: ', text)
    for name in ("since", "q"):
        tag = re.search(rf'<input id="{name}"[^>]*>', text)[0]
        assert f'aria-invalid="true" aria-describedby="{name}-fault"' in tag


def test_a_run_that_may_be_resumed_has_its_dialog_to_cancel():
    client = member("operator")
    run_id = make.start(make.chain("text.clean"), {"text": 42})[0]
    make.work()
    assert 'id="cancel"' in client.get(f"/runs/{run_id}").text


def test_members_of_no_tenant_see_no_page(client):
    client.force_login(make.a_user("nobody"))
    assert not Membership.unsafe_all_tenants.exists()
    assert client.get("/").status_code == 403
