"""Settings: members and groups by form, what is wrong at its field, and what each page costs."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts import folders, services
from accounts.folders import Grant
from accounts.models import Folder, Group, Membership, User
from tasks_inbox.actions import absences
from tasks_inbox.models import AwayRule
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(client):
    """An admin who is logged in."""
    who = member("boss", "admin")
    client.force_login(make.a_user("boss"))
    return who


GRANT = Grant(("start", "read"), group="Finance")
NEW = {"username": "zoe", "name": "Zoe Q", "email": "zoe@firm.example", "role": "approver", "manager": "boss"}


def test_a_member_is_added_with_a_password_that_is_shown_once(client, boss):
    made = client.post("/settings/add-member", NEW)
    assert made.status_code == 201
    assert "no-store" in made.headers["Cache-Control"]
    assert User.objects.get(username="zoe").check_password(made.context["password"])
    assert made.context["password"] in made.text
    page = client.get("/settings/members?q=zo").text
    assert "Zoe Q" in page
    assert made.context["password"] not in page
    again = client.post("/settings/add-member", NEW)
    assert again.status_code == 409
    assert "zoe is already a member." in again.text


@pytest.mark.parametrize(
    ("given", "field"),
    [({"username": "a b"}, "username"), ({"email": "no"}, "email"), ({"manager": "eve"}, "manager")],
)
def test_what_is_wrong_is_told_at_its_field_and_what_was_typed_stays(client, boss, given, field):
    page = client.post("/settings/add-member", NEW | given)
    assert page.status_code == 422
    assert f'id="{field}-fault"' in page.text
    assert page.text.count('class="fault"') == 1
    assert 'value="Zoe Q"' in page.text


def test_a_member_is_changed_and_removed_for_a_reason(client, boss):
    client.post("/settings/add-member", NEW)
    changed = client.post("/settings/members/zoe", NEW | {"role": "viewer", "manager": ""})
    assert changed.status_code == 302
    seat = Membership.objects.for_tenant(boss.tenant_id).get(user__username="zoe")
    assert (seat.role, seat.manager) == ("viewer", None)
    assert "This is you" not in client.get("/settings/members/zoe").text
    page = client.post("/settings/members/zoe/remove")
    assert (page.status_code, "reason-fault" in page.text) == (422, True)
    assert client.post("/settings/members/zoe/remove", {"reason": "left"}).status_code == 302
    assert client.get("/settings/members/zoe").status_code == 404


def test_who_would_remove_themselves_is_warned_and_the_last_admin_stays(client, boss):
    page = client.get("/settings/members/boss").text
    assert "You are locked out at once" in page
    refused = client.post("/settings/members/boss/remove", {"reason": "enough"})
    assert (refused.status_code, "the last admin" in refused.text) == (409, True)
    refused = client.post("/settings/members/boss", {"role": "viewer"})
    assert (refused.status_code, 'id="role-fault"' in refused.text) == (409, True)


def test_deactivated_people_are_not_counted_in_groups_and_keep_their_seats(client, boss):
    member("ann", "approver")
    member("bob", "approver")
    group = services.create_group(boss, "Finance", ["ann", "bob"])
    User.objects.filter(username="ann").update(is_active=False)
    page = client.get("/settings/groups").text
    assert '1<span class="only-narrow"> member</span>' in page
    assert "ann, bob" not in page
    assert client.get(f"/api/v1/groups/{group.pk}").json()["members"] == ["bob"]
    assert (
        client.post(f"/settings/groups/{group.pk}", {"name": "Money", "members": ["bob"]}).status_code == 302
    )
    User.objects.filter(username="ann").update(is_active=True)
    assert client.get(f"/api/v1/groups/{group.pk}").json()["members"] == ["ann", "bob"]


def test_a_group_is_made_changed_and_deleted(client, boss):
    assert "There are no groups yet" in client.get("/settings/groups").text
    for name in ("ann", "bob"):
        member(name)
    assert client.post("/settings/add-group", {"name": "Finance", "members": ["ann"]}).status_code == 302
    taken = client.post("/settings/add-group", {"name": "finance", "members": ["bob"]})
    assert (taken.status_code, 'id="name-fault"' in taken.text) == (409, True)
    assert 'value="bob" checked' in taken.text
    group = Group.objects.for_tenant(boss.tenant_id).get()
    asked(approval(candidates={"groups": ["FINANCE"]}))
    page = client.get(f"/settings/groups/{group.pk}").text
    assert "1 open task asks this group" in page
    assert "goes with it" not in page
    make.FolderFactory(name="Money")
    folders.change_folder(boss, Folder.unsafe_all_tenants.get(name="Money").pk, grants=[GRANT])
    assert "Money: read, start" in client.get(f"/settings/groups/{group.pk}").text
    shown = client.get(f"/api/v1/groups/{group.pk}").json()
    assert shown["granted"] == [{"folder": "Money", "may": ["read", "start"]}]
    assert 'value="ann" checked' in page
    client.post(f"/settings/groups/{group.pk}", {"name": "Finance", "members": ["bob", "ann"]})
    assert "ann, bob" in client.get("/settings/groups").text
    assert client.post(f"/settings/groups/{group.pk}/delete", {"reason": ""}).status_code == 422
    assert client.post(f"/settings/groups/{group.pk}/delete", {"reason": "merged"}).status_code == 200
    form = {"reason": "merged", "confirm": "yes"}
    assert client.post(f"/settings/groups/{group.pk}/delete", form).status_code == 302
    assert not Group.objects.for_tenant(boss.tenant_id).exists()


def test_who_may_not_manage_sees_the_lists_only(client, boss):
    client.post("/settings/add-group", {"name": "Finance"})
    member("vic", "viewer")
    client.force_login(make.a_user("vic"))
    for name in ("settings-members", "settings-groups"):
        page = client.get(reverse(name)).text
        assert "/settings/add-" not in page
    group = Group.objects.for_tenant(boss.tenant_id).get()
    for path in ("add-member", "members/boss", "add-group", f"groups/{group.pk}"):
        assert client.get(f"/settings/{path}").status_code == 403


def test_the_pages_cost_the_same_for_few_and_for_many(client, boss):
    client.post("/settings/add-group", {"name": "Group"})
    first = Group.objects.for_tenant(boss.tenant_id).get()
    paths = ("members", "add-member", "groups", f"groups/{first.pk}", "add-group")
    few = [trips_of_page(client, f"/settings/{path}") for path in paths]
    for number in range(20):
        member(f"m{number}", "approver", f"Group {number}", "Group")
    assert [trips_of_page(client, f"/settings/{path}") for path in paths] == few
    assert max(few) <= 10


AWAY = {"substitute": "bob", "from": "2040-01-01T09:00", "until": "2040-01-14T18:00", "note": "Holiday"}


def test_who_is_away_is_said_by_form_and_ended_by_a_button(client, boss):
    member("bob")
    name = make.a_version(make.chain("noop")).workflow.name
    assert "Nobody is away" in client.get("/settings/away").text
    assert client.post("/settings/away/add", AWAY | {"workflows": [name]}).status_code == 302
    rule = AwayRule.objects.for_tenant(boss.tenant_id).get()
    assert (rule.username, rule.substitute, rule.workflows) == ("boss", "bob", [name])
    assert rule.starts_at.isoformat() == "2040-01-01T09:00:00+00:00"
    page = client.get("/settings/away").text
    assert "bob for boss" in page
    assert "upcoming" in page
    assert client.post("/settings/away/add", AWAY).status_code == 409
    client.post(f"/settings/away/{rule.pk}/end")
    assert not AwayRule.objects.for_tenant(boss.tenant_id).exists()


def test_workflows_are_searched_for_chosen_and_left_out_again(client, boss):
    member("bob")
    first, second = (make.a_version(make.chain("noop", name=name)).workflow for name in ("pay-a", "pay-b"))
    address, chosen = "/settings/away/add", 'name="workflows" value="{}">'.format
    page = client.post(address, AWAY | {"search": "pay"}).text
    assert ("Which one?" in page, 'value="2040-01-01T09:00"' in page) == (True, True)
    assert "has this name" in client.post(address, AWAY | {"search": "nothing"}).text
    page = client.post(address, AWAY | {"search": "PAY-A"}).text
    assert (chosen(first.name) in page, chosen(second.name) in page) == (True, False)
    both = AWAY | {"workflows": [first.name, second.name]}
    page = client.post(address, both | {"drop": first.name}).text
    assert (chosen(first.name) in page, chosen(second.name) in page) == (False, True)
    assert not AwayRule.objects.for_tenant(boss.tenant_id).exists()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"from": "soon"}, "from"),
        ({"until": ""}, "until"),
        ({"until": "2039-01-01T00:00"}, "until"),
        ({"substitute": "boss"}, "substitute"),
        ({"username": "eve"}, "username"),
    ],
)
def test_what_is_wrong_with_a_rule_is_told_at_its_field(client, boss, given, field):
    member("bob")
    page = client.post("/settings/away/add", AWAY | given)
    assert (page.status_code, f'id="{field}-fault"' in page.text) == (422, True)
    assert 'value="Holiday"' in page.text


def test_the_page_of_rules_costs_the_same_for_one_as_for_many(client, boss):
    member("bob")
    few = trips_of_page(client, "/settings/away")
    for year in range(2040, 2060):
        dates = {"from": f"{year}-01-01T09:00", "until": f"{year}-02-01T09:00"}
        client.post("/settings/away/add", AWAY | dates)
    assert client.get("/settings/away").text.count("bob for boss</strong>") == 20
    assert trips_of_page(client, "/settings/away") == few <= 8


def test_a_substitute_is_told_on_the_page_for_whom_they_decide(client):
    member("ann")
    bob, task = member("bob"), asked(approval(candidates={"users": ["ann"]}))
    now = datetime.now(UTC)
    absences.add_rule(member("ann"), "bob", starts_at=now - timedelta(1), ends_at=now + timedelta(1))
    client.force_login(make.a_user("bob"))
    assert task.title in client.get("/inbox/").text
    assert "You stand in for ann, who is away" in client.get(f"/inbox/{task.pk}").text
    decide(bob, task)
    assert "bob decided this for ann" in client.get(f"/inbox/{task.pk}").text


def test_people_change_their_password_and_stay_logged_in_here_alone(client, boss):
    user = make.a_user("boss")
    user.set_password("an old password")
    user.save()
    client.force_login(user)
    other = Client()
    other.force_login(user)
    new = {"old": "an old password", "new": "a quite new one", "again": "a quite new one"}
    for wrong, said in (
        ({"old": "another one"}, "This is not your password."),
        ({"new": "short", "again": "short"}, "too short"),
        ({"again": "a quite other one"}, "The two passwords differ"),
        ({"new": "an old password", "again": "an old password"}, "This is your current password."),
        ({"new": "x" * 1_001, "again": "x" * 1_001}, "at most 1,000 characters"),
    ):
        page = client.post("/settings/password", new | wrong)
        assert (page.status_code, said in page.text, "quite" in page.text) == (422, True, False)
    sent = client.post("/settings/password", new, follow=True)
    assert "Your password is changed." in sent.text
    assert User.objects.get(username="boss").check_password("a quite new one")
    assert (client.get("/settings/password").status_code, other.get("/settings/password").status_code) == (
        200,
        302,
    )


def test_who_guesses_at_the_old_password_is_told_at_its_field_when_to_go_on(client, boss):
    guess = {"old": "a guess", "new": "a quite new one", "again": "a quite new one"}
    for _ in range(5):
        client.post("/settings/password", guess)
    page = client.post("/settings/password", guess)
    assert (page.status_code, int(page.headers["Retry-After"]) >= 1) == (429, True)
    assert 'id="old-fault"' in page.text
    assert "Too many wrong passwords. Try again in" in page.text
    # That helps who logs in, and nobody who is logged in.
    assert "browser" not in page.text.split('id="old-fault"')[1].split("</p>")[0]
