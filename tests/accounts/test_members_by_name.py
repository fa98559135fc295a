"""Wherever a member is named, the full name does as well as the username, as long as it is one member's."""

import pytest

from accounts.models import User
from accounts.picking import require_member
from lib.refusals import Invalid
from tests import factories as make
from tests.architecture.sources import ours, source

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant():
    """A tenant with members of these names."""
    people = {"ann": "Ann Berg", "bob": "Bob Lee", "rob": "Bob Lee", "eve": "ann"}
    for username, name in people.items():
        user = make.a_member(username, "approver")
        User.objects.filter(pk=user.pk).update(name=name)
    return make.a_tenant().pk


@pytest.mark.parametrize(
    ("text", "username"),
    [("ann", "ann"), (" ANN ", "ann"), ("Ann Berg", "ann"), ("ann berg", "ann"), ("Ann Berg (ann)", "ann")],
)
def test_a_member_is_meant_by_username_or_full_name(tenant, text, username):
    assert require_member(tenant, text, field="to").user.username == username


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Bob Lee", "Several members are called “Bob Lee”: enter one of bob, rob."),
        ("nobody", "“nobody” is not a member."),
        ("", "Enter the name or username of a member."),
    ],
)
def test_a_text_that_means_nobody_or_several_is_refused_at_its_field(tenant, text, fault):
    with pytest.raises(Invalid, match=fault.replace("(", r"\(")) as refused:
        require_member(tenant, text, field="to")
    assert refused.value.field == "to"


def test_who_has_left_is_meant_by_no_name(tenant):
    User.objects.filter(username="ann").update(is_active=False)
    # Another member is called "ann": that is no way to what was somebody else's.
    for text in ("ann", "Ann Berg"):
        with pytest.raises(Invalid):
            require_member(tenant, text, field="to")


def test_a_task_is_given_to_a_member_by_full_name(tenant, client):
    client.force_login(make.a_member("boss", "admin"))
    make.start(make.graph([{"id": "ask", "type": "human.approval", "params": {"title": "Ok?"}}], []), {})
    make.work()
    (task,) = client.get("/api/v1/tasks?view=open").json()["results"]
    path = f"/api/v1/tasks/{task['id']}/assign"
    answer = client.post(path, {"assignee": "Ann Berg"}, "application/json")
    assert (answer.status_code, answer.json().get("assignee")) == (200, "ann"), answer.json()


def test_a_group_takes_members_by_full_name(tenant, client):
    client.force_login(make.a_member("boss", "admin"))
    body = {"name": "payers", "members": ["Ann Berg", "ann", "bob"]}
    answer = client.post("/api/v1/groups", body, "application/json")
    assert (answer.status_code, sorted(answer.json()["members"])) == (201, ["ann", "bob"]), answer.json()


def test_no_door_has_a_sentence_of_its_own_for_a_name_that_is_no_member():
    product = [path for path in ours("accounts", "tasks_inbox", "runs", "operations") if path.endswith(".py")]
    assert product
    assert [path for path in product if "is not a member of this tenant" in source(path)] == []
