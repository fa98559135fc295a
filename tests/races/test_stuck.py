"""The stuck check and the sealer beside everybody else: what is under way is not stuck, and nothing is done twice."""

from functools import partial

import psycopg
import pytest
from django.db import connection

from runs.commands.lifecycle import cancel_runs, pause_runs, unpause_runs
from runs.integrity import repair
from runs.maintenance import seals, stuck
from runs.models import Repair, RunSeal
from tests import damage
from tests import factories as make
from tests.races.staging import blocked, holding

JOIN = make.graph(["a", "b", "c"], ["a>c", "b>c"])


def cancel(run_id):
    cancel_runs(make.a_tenant().pk, [run_id], by="test")


def fail_all():
    make.fail(*make.claimed())


@pytest.mark.parametrize("before", ["fire_joins", "advance"])
def test_a_transaction_half_way_is_not_stuck(rounds, before):
    for _ in rounds:
        run_id = make.start(JOIN)[0]
        with holding(lambda: make.complete(*make.claimed()), before=before):
            assert repair.look([run_id]) == []
            assert stuck.check() == 0
        make.work()
        assert make.run(run_id).status == "COMPLETED"
    assert not Repair.unsafe_all_tenants.exists()


@pytest.mark.parametrize("before", ["cancel_open_steps", "closed_runs", "end_closing_runs"])
@pytest.mark.parametrize("close", [cancel, lambda _: fail_all()], ids=["cancel", "fail"])
def test_a_run_that_is_just_being_closed_is_not_stuck(rounds, close, before):
    for _ in rounds:
        run_id = make.start(make.chain("noop", "noop"))[0]
        with holding(partial(close, run_id), before=before):
            assert stuck.check() == 0
        assert make.run(run_id).status in ("FAILED", "CANCELLED")
    assert not Repair.unsafe_all_tenants.exists()


def test_what_somebody_has_put_right_before_the_lock_is_had_is_not_repaired(rounds):
    for _ in rounds:
        run_id, *_ = damage.held_for_ever(None)
        with holding(stuck.check, before="lock_unless_busy") as check:
            pause_runs(make.a_tenant().pk, [run_id], by="test")
            unpause_runs(make.a_tenant().pk, [run_id], by="test")
        assert check.end() == 0
        make.work()
    assert not Repair.unsafe_all_tenants.exists()


def test_who_is_busy_with_a_run_is_not_waited_for(rounds):
    for _ in rounds:
        run_id, *_ = damage.held_for_ever(None)
        with holding(partial(cancel, run_id), before="cancel_open_steps"):
            assert stuck.check() == 0
        assert make.run(run_id).status == "CANCELLED"


def test_two_repairs_at_once_are_one(rounds):
    for _ in rounds:
        run_id, *_ = damage.held_for_ever(None)
        found = repair.look([run_id])
        with holding(partial(repair.repair, found), before="let_go") as first:
            assert repair.repair(found) == 0
            assert stuck.check() == 0
        assert first.end() == 1
        assert Repair.unsafe_all_tenants.filter(run_id=run_id).count() == 1
        make.work()
        assert make.run(run_id).status == "COMPLETED"


def test_a_cancel_waits_for_the_repair_and_finds_the_run_as_it_is_then(rounds):
    for _ in rounds:
        run_id, *_ = damage.held_for_ever(None)
        with holding(stuck.check, before="let_go"):
            behind = blocked(partial(cancel, run_id))
        behind.end()
        assert make.run(run_id).status == "CANCELLED"
        assert make.history(run_id).count("RUN_REPAIRED") == 1


@pytest.mark.parametrize("first", ["seal", "resume"])
def test_a_run_that_is_resumed_while_it_is_sealed(rounds, first):
    for _ in rounds:
        run_id = make.start(make.chain("noop"))[0]
        fail_all()
        if first == "seal":
            with holding(seals.seal, before="seal_runs"):
                behind = blocked(partial(make.resume, run_id))
            behind.end()
        else:
            with holding(partial(make.resume, run_id), before="reopen_runs"):
                assert seals.seal() == 0
        make.work()
        seals.seal()
        lives = (
            RunSeal.unsafe_all_tenants.filter(run_id=run_id).order_by("life").values_list("life", flat=True)
        )
        assert list(lives) == [1, 2]


def test_two_sealers_share_the_work(rounds):
    for _ in rounds:
        make.start(make.chain("noop"))
        make.work()
        with holding(seals.seal, before="seal_runs") as first:
            assert seals.seal() == 0
        assert first.end() == 1


def test_a_run_that_the_database_cannot_look_at_hides_no_other(monkeypatch):
    """An error of a statement spoils its transaction: what is looked at afterwards must not share it."""
    hidden, found = damage.held_for_ever(None)[0], damage.held_for_ever(None)[0]
    look = repair.look

    def cannot(runs):
        if hidden in runs:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")
        return look(runs)

    monkeypatch.setattr(repair, "look", cannot)
    assert stuck.check() == 1
    assert [str(one.run_id) for one in Repair.unsafe_all_tenants.all()] == [found]
    monkeypatch.setattr(repair, "look", look)
    assert stuck.check() == 1


@pytest.mark.parametrize("error", [ValueError("no such run"), psycopg.errors.QueryCanceled("too long")])
def test_a_run_that_cannot_be_repaired_keeps_no_other_from_it(monkeypatch, error):
    broken, found = damage.held_for_ever(None)[0], damage.held_for_ever(None)[0]
    lock = repair.findings.lock_unless_busy

    def cannot(run):
        if run == broken:
            raise error
        return lock(run)

    monkeypatch.setattr(repair.findings, "lock_unless_busy", cannot)
    assert stuck.check() == 1
    assert [str(one.run_id) for one in Repair.unsafe_all_tenants.all()] == [found]
    monkeypatch.setattr(repair.findings, "lock_unless_busy", lock)
    assert stuck.check() == 1
