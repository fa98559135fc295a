"""Views that people keep: data under a name, shared with a group, changed by whose they are."""

from dataclasses import replace

import pytest

from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from tasks_inbox.eligibility import identity
from tasks_inbox.reading import saved
from tests import factories as make
from tests.inbox.asking import approval, asked, member
from tests.store.watching import watching


def names(who):
    return [one.name for one in saved.views_for(who)]


def test_a_view_is_ones_own_until_it_is_shared_with_a_group():
    ann, bob, cid = member("ann", "approver", "Legal"), member("bob", "approver", "Legal"), member("cid")
    view = saved.add_view(ann, name="  Large  ones ", filter="data.amount>1000", sort="-data.amount")
    assert (view.name, view.view, names(ann), names(bob)) == ("Large ones", "teams", ["Large ones"], [])
    saved.change_view(ann, view.pk, group="LEGAL")
    assert (names(bob), names(cid)) == (["Large ones"], [])
    row = saved.view_row(saved.view_of(bob, view.pk), bob, 0)
    assert (row["owner"], row["is_own"], row["group"], row["filter"]) == (
        "ann",
        False,
        "Legal",
        "data.amount>1000",
    )
    with pytest.raises(NotAllowed, match="ann's"):
        saved.change_view(bob, view.pk, name="mine")
    with pytest.raises(NotAllowed, match="ann's"):
        saved.delete_view(bob, view.pk)
    with pytest.raises(Missing):
        saved.change_view(cid, view.pk, name="mine")
    saved.change_view(ann, view.pk, group="")
    assert names(bob) == []
    saved.delete_view(ann, view.pk)
    assert names(ann) == []


def test_an_admin_may_delete_what_is_shared_with_them():
    ann, boss = member("ann", "approver", "Legal"), member("boss", "admin", "Legal")
    view = saved.add_view(ann, name="ours", group="Legal")
    saved.delete_view(boss, view.pk)
    assert names(ann) == []


def test_everybody_finds_what_they_may_see_themselves():
    ann, bob = member("ann", "approver", "Legal", "Finance"), member("bob", "approver", "Legal")
    for group in ("Legal", "Finance", "Finance"):
        asked(approval(candidates={"groups": [group]}, facts={"Amount": "{{ input.amount }}"}))
    saved.add_view(ann, name="all", group="Legal")
    saved.add_view(ann, name="none", group="Legal", filter="data.amount>1000")
    for who, count in ((ann, 3), (bob, 1)):
        asking, found = identity.who_is(who), list(saved.views_for(who))
        with watching() as seen:
            counts = saved.counts_of(asking, found)
        assert seen.trips == 1
        assert [counts[one.pk] for one in found] == [count, 0]


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": "a", "filter": "colour:red"}, "filter"),
        ({"name": "a", "filter": "x" * 201}, "filter"),
        ({"name": "a", "sort": "data."}, "sort"),
        ({"name": "a", "view": "theirs"}, "view"),
        ({"name": "a", "group": "Legal"}, "group"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(said, field):
    with pytest.raises(Invalid) as refused:
        saved.add_view(member("ann"), **said)
    assert refused.value.field == field


def test_a_name_is_given_once_by_one_person(monkeypatch):
    ann, bob = member("ann"), member("bob")
    saved.add_view(ann, name="a")
    saved.add_view(bob, name="a")
    with pytest.raises(Conflict, match="already"):
        saved.add_view(ann, name="a")
    monkeypatch.setattr(saved, "USER_VIEWS", 1)
    with pytest.raises(Conflict, match="delete one first"):
        saved.add_view(ann, name="b")


def test_no_other_tenant_sees_it():
    saved.add_view(member("ann"), name="a")
    make.a_tenant("theirs")
    (view,) = saved.views_for(member("ann"))
    with pytest.raises(Missing):
        saved.view_of(replace(member("ann"), tenant_id=make.a_tenant("theirs").pk), view.pk)
