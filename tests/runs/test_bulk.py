"""One verb for many runs: each is asked for by itself, and none of them keeps another from it."""

import pytest

from accounts.principal import Forbidden
from accounts.queries import member_principal
from lib.refusals import Invalid
from lib.uuid7 import uuid7
from runs.commands import bulk, lifecycle
from runs.kernel.refused import RunRefused
from tests import factories as make
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

WAITS = make.graph([{"id": "a", "type": "job", "queue": "pricing"}], [])


def somebody(role: str):
    user = make.a_member(role, role)
    return member_principal(make.a_tenant().pk, user.username, "session")


def test_a_review_says_for_which_runs_and_why_not_for_others_and_changes_nothing():
    waiting, again = make.start(WAITS)[0], make.start(WAITS)[0]
    (done,) = make.start(make.chain("noop"))
    make.work()
    unknown = str(uuid7())
    found = bulk.review(somebody("operator"), [waiting, done, again, unknown, waiting], "cancel")
    assert found.done == [waiting, again]
    assert {run: why.code for run, why in found.refused.items()} == {done: "run_ended", unknown: "missing"}
    assert make.run(waiting).status == "RUNNING"


def test_each_verb_is_done_with_those_that_allow_it():
    who = somebody("operator")
    runs = [make.start(WAITS)[0] for _ in range(3)]
    make.pause(runs[0])
    result = bulk.act(who, runs, "pause", reason="the price list is wrong")
    assert (result.done, list(result.refused)) == (runs[1:], [runs[0]])
    assert bulk.act(who, runs, "unpause").done == runs
    assert bulk.act(who, runs, "cancel").done == runs
    assert {make.run(run).status for run in runs} == {"CANCELLED"}


def test_a_run_that_moves_on_meanwhile_keeps_no_other_from_it(monkeypatch):
    who = somebody("operator")
    runs = [make.start(WAITS)[0] for _ in range(3)]
    pause = lifecycle.pause_runs

    def one_refuses(tenant, part, *, by, reason=""):
        if runs[1] in part:
            raise RunRefused("run_ended", "It has ended just now.", conflict=True)
        pause(tenant, part, by=by, reason=reason)

    monkeypatch.setitem(bulk.VERBS, "pause", one_refuses)
    result = bulk.act(who, runs, "pause")
    assert result.done == [runs[0], runs[2]]
    assert result.refused[runs[1]].message == "It has ended just now."
    assert [make.run(run).status for run in runs] == ["PAUSED", "RUNNING", "PAUSED"]


def test_more_runs_than_one_transaction_takes_are_all_changed(monkeypatch):
    monkeypatch.setattr(bulk, "TOGETHER", 2)
    runs = [make.start(WAITS)[0] for _ in range(5)]
    assert bulk.act(somebody("operator"), runs, "pause").done == runs


def test_folders_say_of_each_run_whether_it_may_be_operated():
    who = somebody("operator")
    mine, theirs = make.start(WAITS)[0], make.start(WAITS)[0]
    folder = make.FolderFactory(name="Locked")
    Workflow.unsafe_all_tenants.filter(pk=make.run(theirs).workflow_id).update(folder=folder)
    result = bulk.act(who, [mine, theirs], "cancel")
    assert result.done == [mine]
    assert result.refused[theirs].code == "missing"
    other = make.start(WAITS, tenant=make.a_tenant("theirs"))[0]
    assert bulk.review(who, [other], "cancel").refused[other].code == "missing"


def test_who_operates_nothing_is_refused_and_so_are_too_many_and_unknown_verbs():
    with pytest.raises(Forbidden):
        bulk.act(somebody("viewer"), [], "cancel")
    who = somebody("operator")
    with pytest.raises(Invalid, match="1,000"):
        bulk.act(who, [uuid7() for _ in range(1001)], "cancel")
    with pytest.raises(Invalid):
        bulk.review(who, [], "explode")
