"""Pages say what a change of members leaves undecidable before they make it, and make it when somebody says so."""

import pytest

from accounts.models import Group, Membership, User
from tests.inbox.asking import approval, asked, member
from tests.store.watching import watching
from tests.web.test_member_page import boss

__all__ = ["boss"]
pytestmark = pytest.mark.django_db
ANN = "/settings/members/ann"
ASKS = "could then be decided by nobody"


@pytest.fixture
def legal(boss):
    """A group of Ann alone."""
    member("ann", "approver", "Legal")
    return Group.unsafe_all_tenants.get(key="legal")


def state():
    """All that the changes below change."""
    seat = Membership.unsafe_all_tenants.filter(user__username="ann").first()
    group = Group.unsafe_all_tenants.filter(key="legal").first()
    names = group and sorted(group.members.values_list("user__username", flat=True))
    return seat and seat.role, User.objects.get(username="ann").is_active, names


CHANGES = [
    ("{ann}", {"role": "viewer"}, ("viewer", True, ["ann"])),
    ("{ann}/groups", {"groups": []}, ("approver", True, [])),
    ("{ann}/active", {"why": "left"}, ("approver", False, ["ann"])),
    ("{ann}/remove", {"reason": "left"}, (None, True, [])),
    ("{legal}", {"name": "Legal", "members": []}, ("approver", True, [])),
    ("{legal}", {"name": "Law", "members": ["ann"]}, ("approver", True, None)),
    ("{legal}/delete", {"reason": "x"}, ("approver", True, None)),
]


@pytest.mark.parametrize(("path", "form", "expected"), CHANGES)
@pytest.mark.parametrize("asks_her", [True, False])
def test_each_change_is_made_after_it_was_said_what_it_leaves(client, legal, path, form, expected, asks_her):
    task = asked(approval(candidates={"groups": ["Legal" if asks_her else "Other"]}))
    address, before = path.format(ann=ANN, legal=f"/settings/groups/{legal.pk}"), state()
    answer = client.post(address, form)
    if asks_her:
        assert (ASKS in answer.text, task.title in answer.text, state()) == (True, True, before)
        for name in form:
            assert not form[name] or f'name="{name}"' in answer.text
        answer = client.post(address, {**form, "confirm": "yes"})
    assert (answer.status_code, state()) == (302, expected)


def test_a_change_without_a_reason_asks_for_that_first(client, legal):
    asked(approval(candidates={"groups": ["Legal"]}))
    for path in ("active", "remove"):
        answer = client.post(f"{ANN}/{path}")
        assert (answer.status_code, ASKS in answer.text) == (422, False)


def test_the_page_takes_as_many_statements_for_many_tasks_as_for_one(client, legal):
    def cost(count):
        for _ in range(count):
            asked(approval(candidates={"groups": ["Legal"]}))
        with watching() as seen:
            assert ASKS in client.post(f"{ANN}/active", {"why": "left"}).text
        return seen.trips

    cost(1)
    assert cost(1) == cost(4)
