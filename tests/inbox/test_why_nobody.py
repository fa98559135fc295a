"""Why nobody can decide a task, and what helps: told to operators, in lists, on the page and over REST."""

import pytest

from accounts.models import Membership, User
from tasks_inbox.duties import undecidable
from tasks_inbox.eligibility.identity import who_is
from tasks_inbox.models import ManualTask
from tasks_inbox.reading.why_nobody import why_nobody
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member
from tests.inbox.persons import Person
from tests.store.watching import trips_of_page, watching


@pytest.fixture
def olga():
    """An operator."""
    return member("olga", "operator")


def told(who, *tasks):
    """Why nobody can decide each of these tasks, and what helps."""
    undecidable.tick()
    found = why_nobody(who_is(who), [again(task) for task in tasks])
    return [(found[task.pk]["why"], found[task.pk]["do"]) for task in tasks]


def barred(task, **why):
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(exclude=[*why], why_excluded=why)
    return task


@pytest.mark.parametrize(
    ("candidates", "said"),
    [
        ({"users": ["ghost"]}, "It asks ghost, who is not a member."),
        ({"users": ["vic"]}, "It asks vic, whose role viewer may not decide tasks."),
        ({"users": ["gone"]}, "It asks gone, whose account is deactivated."),
        ({"groups": ["Nowhere"]}, "There is no group Nowhere."),
        ({"groups": ["Empty"]}, "Nobody is in the group Empty."),
        ({"groups": ["Left"]}, "No active member is in the group Left."),
        ({"groups": ["Readers"]}, "Nobody in the group Readers has a role that decides tasks."),
        ({"roles": ["approver"]}, "No active member has the role approver."),
        ({"manager_of": "vic"}, "It asks the manager of vic, who has none."),
    ],
)
def test_it_is_said_of_whom_it_asks_why_they_can_not(olga, candidates, said):
    member("vic", "viewer", "Readers"), member("gone", "approver", "Left")
    User.objects.filter(username="gone").update(is_active=False)
    make.GroupFactory(tenant_id=olga.tenant_id, name="Empty")
    ((why, help),) = told(olga, asked(approval(candidates=candidates)))
    assert why == [said]
    assert help.startswith("Assign it to a member whose role decides tasks")


def test_who_is_barred_is_named_with_the_reason(olga):
    member("ann", "approver", "Legal"), member("bob", "approver", "Legal")
    named = barred(asked(approval(candidates={"users": ["ann"]})), ann="requester")
    group = barred(asked(approval(candidates={"groups": ["Legal"]})), ann="requester", bob="decider")
    every = barred(asked(approval()), ann="", bob="", olga="")
    (one, _), (two, help), (three, _) = told(olga, named, group, every)
    assert one == ["It asks ann, who is barred (started the run)."]
    assert two == [
        "Everybody in the group Legal who decides tasks is barred: ann (started the run) and "
        "bob (has decided another step of the run)."
    ]
    assert "Or add somebody who may decide to the group Legal." in help
    assert three[0].startswith("Everybody who decides tasks there is barred: ")


def test_of_a_quorum_it_is_said_who_is_left(olga):
    ann = member("ann")
    member("bob"), member("cat")
    task = asked(approval(candidates={"users": ["ann", "bob", "cat"]}, quorum=3))
    decide(ann, task)
    Membership.unsafe_all_tenants.filter(user__username="bob").delete()
    ((why, _),) = told(olga, task)
    assert why == [
        "It needs 3 of them, and only cat can still decide it.",
        "It asks bob, who is not a member.",
    ]


def test_who_may_not_assign_is_told_nothing_and_nothing_is_asked(olga):
    ann = member("ann")
    task = asked(approval(candidates={"users": ["ghost"]}))
    undecidable.tick()
    who, other = who_is(ann), asked(approval())
    stuck, operator = again(task), who_is(olga)
    with watching() as wire:
        assert why_nobody(who, [stuck]) == why_nobody(operator, [other]) == {}
    assert wire.trips == 0


def test_the_list_and_rest_tell_it_for_as_many_tasks_in_as_many_statements(client):
    olga = Person("olga", "operator")
    client.force_login(make.a_user("olga"))
    asked(approval(candidates={"users": ["ghost"], "groups": ["Nowhere"]}))
    undecidable.tick()
    few = trips_of_page(client, "/inbox/?view=undecidable")
    for number in range(6):
        asked(approval(candidates={"users": [f"ghost{number}"], "groups": [f"Group {number}"]}))
    undecidable.tick()
    assert trips_of_page(client, "/inbox/?view=undecidable") == few
    page = client.get("/inbox/?view=undecidable").text
    assert page.count('class="row-why"') == 7
    assert "It asks ghost, who is not a member." in page
    rows = olga.get("tasks?view=undecidable").json()["results"]
    assert {row["undecidable"]["why"][0] for row in rows} >= {"It asks ghost, who is not a member."}
    whole = olga.get(f"tasks/{rows[-1]['id']}").json()
    assert whole["undecidable"] == rows[-1]["undecidable"]
    assert "It asks ghost, who is not a member." in client.get(f"/inbox/{rows[-1]['id']}").text
    asked(approval(title="Fine"))
    others = olga.get("tasks?view=open").json()["results"]
    assert {row["undecidable"] for row in others if row["title"] == "Fine"} == {None}
