"""The page of a member: what is theirs, and what an admin does with it."""

import pytest
from django.test import Client

from accounts import folders, services
from accounts.folders import Grant
from accounts.models import ApiToken, Group, GroupMember, Membership, Session, User
from accounts.services import create_token
from tests import factories as make
from tests.inbox.asking import approval, asked, member
from tests.smtp import mailbox
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db
VIC = "/settings/members/vic"


@pytest.fixture
def boss(client):
    """An admin who is logged in."""
    who = member("boss", "admin")
    client.force_login(make.a_user("boss"))
    return who


@pytest.fixture
def vic(boss):
    """A member with a password, an address and a group."""
    member("vic", "approver", "Finance")
    user = User.objects.get(username="vic")
    user.set_password("a long password")
    user.email = "vic@firm.example"
    user.save()
    return user


def logged_in(user):
    client = Client()
    client.force_login(user)
    return client


def seat(user):
    return Membership.unsafe_all_tenants.get(user=user)


def test_the_page_says_who_it_is_and_all_that_is_theirs(client, boss, vic):
    folders.create_folder(
        boss, "Ledger", [Grant(("read", "edit"), group="Finance"), Grant(("read",), role="viewer")]
    )
    task = asked(approval(candidates={"users": ["vic"]}))
    create_token(user=vic, tenant=seat(vic).tenant, name="nightly export")
    logged_in(vic).post(f"/inbox/{task.pk}/claim")
    page = client.get(VIC).text
    for said in ("vic@firm.example", "Ledger", "the group Finance", "nightly export", "Logged in 1 time,"):
        assert said in page, said
    assert "granted, but not to a role like theirs: edit" in page
    assert f'href="/inbox/{task.pk}">Refund 40 EUR?</a>' in page
    assert "/settings/tokens/" in page
    assert "Finance</label>" in page


def test_groups_are_ticked_and_unticked(client, boss, vic):
    legal = services.create_group(boss, "Legal", [])
    finance = Group.objects.for_tenant(boss.tenant_id).get(name="Finance")
    groups = GroupMember.objects.for_tenant(boss.tenant_id).filter(membership=seat(vic))
    client.post(f"{VIC}/groups", {"groups": [finance.pk, legal.pk]})
    assert sorted(groups.values_list("group__name", flat=True)) == ["Finance", "Legal"]
    client.post(f"{VIC}/groups", {"groups": [legal.pk, "x", "²"]})
    assert list(groups.values_list("group__name", flat=True)) == ["Legal"]
    theirs = make.GroupFactory(tenant=make.TenantFactory(slug="theirs"), name="Theirs", key="theirs")
    assert client.post(f"{VIC}/groups", {"groups": [theirs.pk]}).status_code == 404
    assert groups.count() == 1


def test_all_sessions_of_a_member_are_ended_and_no_others(client, boss, vic):
    first, second = logged_in(vic), logged_in(vic)
    assert "Logged in 2 times" in client.get(VIC).text
    client.post(f"{VIC}/log-out")
    assert [one.get("/inbox/").status_code for one in (first, second, client)] == [302, 302, 200]
    assert "not logged in anywhere" in client.get(VIC).text
    assert not Session.objects.filter(user=vic).exists()


def test_a_session_of_an_old_password_is_not_counted(client, boss, vic):
    logged_in(vic)
    services.set_password(vic, "another long password")
    assert "not logged in anywhere" in client.get(VIC).text


def test_who_is_deactivated_is_out_at_once_and_comes_back(client, boss, vic):
    inside, task = logged_in(vic), asked(approval(candidates={"users": ["vic", "boss"]}))
    inside.post(f"/inbox/{task.pk}/claim")
    assert client.post(f"{VIC}/active").status_code == 422
    client.post(f"{VIC}/active", {"why": "left"})
    assert inside.get("/inbox/").status_code == 302
    task.refresh_from_db()
    assert task.assignee is None
    page = client.get(VIC).text
    assert "can't log in" in page
    assert "Send a link" not in page
    assert "vic@firm.example" not in client.get("/settings/members").text
    assert "vic@firm.example" in client.get("/settings/members?who=deactivated").text
    client.post(f"{VIC}/active", {"active": "yes"})
    assert logged_in(User.objects.get(username="vic")).get("/inbox/").status_code == 200
    assert "No member is deactivated." in client.get("/settings/members?who=deactivated").text


def test_neither_oneself_nor_who_belongs_elsewhere_is_deactivated(client, boss, vic):
    refused = client.post("/settings/members/boss/active", {"why": "x"})
    assert (refused.status_code, "lock yourself out" in refused.text) == (409, True)
    make.MembershipFactory(user=vic, tenant=make.TenantFactory(slug="theirs"), role="viewer")
    for path, said in (("active", "remove them here instead"), ("log-out", "only they end")):
        refused = client.post(f"{VIC}/{path}", {"why": "x"})
        assert (refused.status_code, said in refused.text) == (409, True)
    vic.refresh_from_db()
    assert vic.is_active


def test_a_link_is_sent_where_mail_is_and_made_where_none_is(client, boss, vic, monkeypatch):
    page = client.get(VIC).text
    assert "Make a link to hand over" in page
    made = client.post(f"{VIC}/make-link")
    assert (made.status_code, made.context["link"] in made.text) == (201, True)
    assert "no-store" in made.headers["Cache-Control"]
    assert client.post(f"{VIC}/send-link").status_code == 409
    with mailbox(monkeypatch):
        assert "Send a link to set a password" in client.get(VIC).text
        assert client.post(f"{VIC}/make-link").status_code == 409
        assert client.post(f"{VIC}/send-link").status_code == 302
        assert "waits for the mail server" in client.get(VIC).text


def test_no_link_of_another_admin_is_shown(client, boss):
    member("second", "admin")
    page = client.get("/settings/members/second").text
    assert "whose password nobody else sets" in page
    assert "Make a link" not in page
    assert client.post("/settings/members/second/make-link").status_code == 403


def test_the_page_costs_the_same_for_little_and_for_much(client, boss, vic):
    few = trips_of_page(client, VIC)
    for number in range(20):
        make.GroupMemberFactory(membership=seat(vic), group__name=f"Group {number}")
        create_token(user=vic, tenant=seat(vic).tenant, name=f"token {number}")
        logged_in(vic)
        asked(approval(candidates={"users": ["vic"]}))
    assert ApiToken.objects.for_tenant(boss.tenant_id).count() == 20
    assert trips_of_page(client, VIC) == few <= 20
