"""What a change of members would leave undecidable, over REST."""

import pytest

from accounts.models import Group
from accounts.services import create_token
from tests import factories as make
from tests.inbox.asking import approval, asked, member
from tests.web.test_member_page import boss

__all__ = ["boss"]
pytestmark = pytest.mark.django_db
ANN = "/api/v1/members/ann"


@pytest.fixture
def stuck(boss):
    """A task that only a member of Legal decides, who is Ann alone."""
    member("ann", "approver", "Legal")
    return asked(approval(candidates={"groups": ["Legal"]}))


def test_each_change_says_what_nobody_could_decide_then(client, stuck):
    legal = Group.unsafe_all_tenants.get(key="legal").pk
    told = {"count": 1, "undecidable": [{"id": str(stuck.pk), "title": stuck.title}], "complete": True}
    nothing = {"count": 0, "undecidable": [], "complete": True}
    for path, expected in (
        (f"{ANN}/impact", told),
        (f"{ANN}/impact?role=viewer", told),
        (f"{ANN}/impact?role=operator", nothing),
        (f"{ANN}/impact?groups=", told),
        (f"{ANN}/impact?groups={legal}", nothing),
        (f"/api/v1/groups/{legal}/impact", told),
        (f"/api/v1/groups/{legal}/impact?members=boss", nothing),
    ):
        assert client.get(path).json() == expected, path


@pytest.mark.parametrize(
    ("query", "field"), [("role=king", "role"), ("groups=x", "groups"), ("groups=&role=viewer", "groups")]
)
def test_what_is_wrong_is_named(client, stuck, query, field):
    answer = client.get(f"{ANN}/impact?{query}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_which_tasks_these_are_is_for_who_may_read_tasks(client, stuck):
    user = make.a_user("boss")
    _, text = create_token(
        user=user, tenant=make.a_tenant(), role="admin", scopes=frozenset({"members:manage"}), name="a"
    )
    client.logout()
    row = client.get(f"{ANN}/impact", headers={"Authorization": f"Bearer {text}"}).json()
    assert (row["count"], row["undecidable"]) == (1, [])
