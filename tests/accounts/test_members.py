"""Who belongs to a tenant is changed by its admins; nobody is deleted with what they did (R-162)."""

import pytest

from accounts import members, queries
from accounts.models import Membership, User
from accounts.principal import Forbidden
from accounts.services import check_login
from lib.refusals import Conflict, Invalid, Missing
from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return People()


@pytest.fixture
def boss(people):
    return people.principal("admin")


def field_of(refused):
    return refused.value.field


def test_a_new_member_logs_in_with_the_password_that_was_shown(boss):
    member, password = members.add_member(boss, "ann", "approver", name="Ann Lee", email="ann@firm.example")
    assert check_login(username="ann", password=password, place="x") == member.user
    (row,) = queries.member_rows(boss, [member])
    assert row["name"] == "Ann Lee"
    assert (row["role"], row["manager"], row["groups"]) == ("approver", None, [])


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"username": "a b"}, "username"),
        ({"username": ""}, "username"),
        ({"email": "nowhere"}, "email"),
        ({"role": "king"}, "role"),
        ({"manager": "nobody"}, "manager"),
        ({"manager": "zoe"}, "manager"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(boss, given, field):
    with pytest.raises(Invalid) as refused:
        members.add_member(boss, **({"username": "zoe", "role": "viewer"} | given))
    assert field_of(refused) == field
    assert not User.objects.filter(username="zoe").exists()


def test_somebody_of_another_tenant_becomes_a_member_and_stays_as_they_are(boss, people):
    theirs = people.member("viewer", "theirs")
    make.MembershipFactory(
        tenant=people.tenant("theirs"), user=User.objects.get(pk=boss.user_id), role="admin"
    )
    with pytest.raises(Invalid) as refused:
        members.add_member(boss, theirs.username, "viewer", name="Other")
    assert field_of(refused) == "name"
    member, password = members.add_member(boss, theirs.username.upper(), "operator")
    assert (member.user, password) == (theirs, None)
    with pytest.raises(Conflict, match="already a member"):
        members.add_member(boss, theirs.username, "viewer")
    with pytest.raises(Conflict, match="another tenant"):
        members.change_member(boss, theirs.username, email="mine@firm.example")
    assert members.change_member(boss, theirs.username, role="viewer").role == "viewer"
    assert Membership.objects.for_tenant(people.tenant("theirs").pk).get(user=theirs).role == "viewer"


@pytest.mark.parametrize("role", [None, "operator"])
def test_nobody_makes_a_member_of_somebody_of_a_tenant_that_they_do_not_administer(boss, people, role):
    """They would be shown with their name and e-mail, and find themselves where they never wanted to be."""
    theirs = people.member("viewer", "theirs")
    User.objects.filter(pk=theirs.pk).update(is_active=False, email="secret@theirs.example")
    if role:
        make.MembershipFactory(
            tenant=people.tenant("theirs"), user=User.objects.get(pk=boss.user_id), role=role
        )
    with pytest.raises(Invalid) as refused:
        members.add_member(boss, theirs.username.upper(), "viewer")
    assert (refused.value.code, refused.value.field) == ("username_suffix", "username")
    assert "theirs.example" not in refused.value.message
    assert not Membership.objects.for_tenant(boss.tenant_id).filter(user=theirs).exists()


def test_nobody_is_their_own_manager_at_any_distance(boss):
    for name, manager in (("top", ""), ("mid", "top"), ("low", "mid")):
        members.add_member(boss, name, "viewer", manager=manager)
    assert queries.manager_of(boss.tenant_id, "low") == "mid"
    for name, manager in (("top", "top"), ("top", "mid"), ("top", "low")):
        with pytest.raises(Invalid) as refused:
            members.change_member(boss, name, manager=manager)
        assert field_of(refused) == "manager"
    members.change_member(boss, "mid", manager=members.NOBODY)
    members.change_member(boss, "top", manager="mid")
    members.remove_member(boss, "mid")
    assert queries.manager_of(boss.tenant_id, "top") is None


def test_the_last_admin_stays(boss):
    for act in (
        lambda: members.remove_member(boss, boss.username),
        lambda: members.change_member(boss, boss.username, role="viewer"),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code == "last_admin"
    other, _ = members.add_member(boss, "second", "admin")
    User.objects.filter(pk=other.user_id).update(is_active=False)
    with pytest.raises(Conflict):
        members.remove_member(boss, boss.username)
    User.objects.filter(pk=other.user_id).update(is_active=True)
    members.remove_member(boss, boss.username)
    assert User.objects.filter(username=boss.username).exists()


def test_who_left_can_come_back_and_other_tenants_members_are_not_there(boss, people):
    members.add_member(boss, "ann", "viewer")
    members.remove_member(boss, "ann")
    assert members.add_member(boss, "ann", "author")[1] is None
    people.member("viewer", "theirs")
    for act in (members.remove_member, members.change_member):
        with pytest.raises(Missing):
            act(boss, "viewer-of-theirs")


def test_nobody_gives_more_than_they_may(people):
    client = people.client("admin", scopes=frozenset({"members:read", "members:manage"}))
    answer = client.post("/api/v1/members", {"username": "zoe", "role": "admin"})
    assert answer.status_code == 403
    with pytest.raises(Forbidden):
        members.add_member(people.principal("operator"), "zoe", "viewer")


def test_by_the_api(people):
    client = people.client("admin")
    made = client.post("/api/v1/members", {"username": "zoe", "role": "viewer", "name": "Zoe"})
    assert (made.status_code, made.headers["Location"]) == (201, "/api/v1/members/zoe")
    assert len(made.json().pop("password")) >= 16
    changed = client.patch("/api/v1/members/ZOE", {"manager": "admin-of-ours"})
    assert changed.json()["manager"] == "admin-of-ours"
    assert client.patch("/api/v1/members/zoe", {"manager": ""}).json()["manager"] is None
    found = client.get("/api/v1/members?q=ZO").json()["results"]
    assert [row["username"] for row in found] == ["zoe"]
    assert "password" not in found[0]
    assert client.delete("/api/v1/members/zoe", {"reason": "left"}).status_code == 204
    assert client.get("/api/v1/members/zoe").status_code == 404
