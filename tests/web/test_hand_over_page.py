"""The page on which what is with somebody who leaves is handed over, and the ways to it."""

import pytest

from accounts import members
from tests.inbox.asking import again, approval, asked, member
from tests.inbox.test_handover import ANN, scheduled
from tests.store.watching import trips_of_page
from tests.web.test_member_page import boss
from triggers.schedules.models import Schedule

__all__ = ["boss"]
pytestmark = pytest.mark.django_db
PAGE = "/settings/members/ann/hand-over"


@pytest.fixture
def ann(boss):
    member("cyd", "operator")
    return member("ann", "operator")


def test_what_is_with_them_is_handed_over_as_they_are_deactivated(client, boss, ann):
    scheduled()
    task = asked(approval(**ANN))
    page = client.get(PAGE).text
    for said in ("nightly", "orders", task.title, "nobody else can decide it", 'value="hand" selected'):
        assert said in page, said
    assert PAGE in client.get("/settings/members/ann").text
    form = {"to": "cyd", "end": "deactivate", "action:schedule:nightly": "hand"}
    form |= {f"action:task:{task.pk}": "hand"}
    refused = client.post(PAGE, form)
    assert (refused.status_code, "Give a reason" in refused.text) == (422, True)
    page = client.post(PAGE, form | {"why": "left"}).text
    assert page.count("<td>done</td>") == 2
    assert "No longer a member" not in page
    assert "orders" in page
    assert (Schedule.unsafe_all_tenants.get().acts_for, again(task).assignee) == ("cyd", "cyd")


def test_what_was_left_behind_is_on_the_page_of_members_until_it_is_handed_over(client, boss, ann):
    scheduled()
    members.remove_member(boss, "ann")
    assert f'href="{PAGE}">' in client.get("/settings/members").text
    page = client.get(PAGE).text
    assert "No longer a member" in page
    assert 'name="end"' not in page
    key = next(part.split('"')[0] for part in page.split('name="action:webhook:')[1:])
    page = client.post(
        PAGE, {"action:schedule:nightly": "stop", f"action:webhook:{key}": "hand", f"to:webhook:{key}": "cyd"}
    )
    # A schedule that is off because somebody wants it so is nobody's concern.
    assert PAGE not in client.get("/settings/members").text


def test_what_cannot_be_done_is_said_at_it(client, boss, ann):
    scheduled()
    page = client.post(PAGE, {"action:schedule:nightly": "hand", "to:schedule:nightly": "nobody"})
    assert (page.status_code, "“nobody” is not a member." in page.text) == (422, True)
    member("vic", "viewer")
    page = client.post(PAGE, {"action:schedule:nightly": "hand", "to": "vic"}).text
    assert "It can&#x27;t act for vic, whose role (viewer) may not start runs." in page


def test_who_has_nothing_is_told_so_and_who_never_was_here_is_not_found(client, boss, ann):
    assert "Nothing is left to hand over" in client.get(PAGE).text
    assert client.get("/settings/members/nobody/hand-over").status_code == 404


def test_the_pages_take_as_many_statements_for_much_as_for_little(client, boss, ann):
    scheduled()

    def cost(count):
        for _ in range(count):
            asked(approval(**ANN))
        return trips_of_page(client, PAGE), trips_of_page(client, "/settings/members")

    cost(1)
    assert cost(1) == cost(4)
