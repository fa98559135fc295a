"""Members as forms offer them: bounded, however many there are."""

import pytest

from accounts import picking
from accounts.models import User
from accounts.picking import Members
from tests.inbox.asking import member
from tests.store.watching import watching

pytestmark = pytest.mark.django_db
NAMES = {"ann": "Ann Lee", "ben": "Ben Ray", "ben2": "Ben Ray", "cyd": "", "zoe": "ann"}


@pytest.fixture(params=[3, 500], ids=["more than are offered", "all are offered"])
def members(request, monkeypatch):
    monkeypatch.setattr(picking, "OFFERED_MEMBERS", request.param)
    for username, name in NAMES.items():
        who = member(username)
        User.objects.filter(username=username).update(name=name)
    gone = member("dan")
    User.objects.filter(username=gone.username).update(name="Dan Away", is_active=False)
    return Members(who.tenant_id)


def test_the_first_are_offered(members):
    texts = ["Ann Lee (ann)", "Ben Ray (ben)", "Ben Ray (ben2)", "cyd", "ann (zoe)"]
    assert members.offered() == texts[: min(picking.OFFERED_MEMBERS, 5)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ANN", ["ann"]),
        ("ann lee", ["ann"]),
        ("Ann Lee (ANN)", ["ann"]),
        ("\uff21nn Lee", ["ann"]),
        ("ben ray", ["ben", "ben2"]),
        ("Ben Ray (ben2)", ["ben2"]),
        ("Cyd", ["cyd"]),
        ("zoe", ["zoe"]),
        ("Ann Ray (ben)", []),
        ("dan", []),
        ("Dan Away", []),
        ("", []),
        ("()", []),
    ],
)
def test_a_text_means_a_username_first_then_what_is_offered_then_a_name(members, text, meant):
    assert members.meant_by(text) == meant


def test_a_member_has_a_text_and_others_are_themselves(members):
    assert [members.text_of(name) for name in ("zoe", "cyd", "dan", "")] == ["ann (zoe)", "cyd", "dan", ""]


def test_of_many_members_a_form_reads_those_that_it_offers_and_those_that_are_typed(monkeypatch):
    monkeypatch.setattr(picking, "OFFERED_MEMBERS", 2)
    monkeypatch.setattr(picking, "SIMILAR_MEMBERS", 2)
    for place in range(6):
        who = member(f"u{place}")
        User.objects.filter(username=who.username).update(name="Sam Roe")
    members = Members(who.tenant_id)
    with watching() as seen:
        assert members.meant_by("Sam Roe") == members.meant_by("sam roe") == ["u0", "u1"]
        assert members.meant_by("u5") == ["u5"]
        assert members.text_of("u5") == "Sam Roe (u5)"
        assert len(members.offered()) == 2
    assert seen.named == ["members_offered", "members_meant", "members_meant"]
