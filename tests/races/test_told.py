"""Nobody is told before it is so, through every door and in whatever transaction (docs/engine.md, "Hints")."""

import inspect
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import transaction

from accounts.principal import Principal
from engine.overrides import RerunWith
from runs.commands import dead_letters, lifecycle, migration, operators, replay, signals, starts
from runs.commands.signals import NewSignal
from runs.commands.starts import NewRun, Terms
from runs.kernel import compensation, dispatch, live
from tasks_inbox.actions import resolving
from tasks_inbox.duties import incidents
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import member
from tests.runs.test_saga import break_, do, order

BREAKS = make.graph([{"id": "a", "type": "noop", "retry": "none"}, "b"], ["a>b"])
WAITS = make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}, "b"], ["s>b"])
SAID = {"by": "test", "reason": "because"}
Act = Callable[[], object]


def tenant() -> int:
    return make.a_tenant().pk


def who() -> Principal:
    return member("ann", "admin")


def open_run() -> str:
    return make.start(WAITS)[0]


def failed_run() -> str:
    (run_id,) = make.start(BREAKS)
    make.fail(*make.claimed())
    return run_id


def ended_run() -> str:
    (run_id,) = make.start(make.chain("noop"))
    make.work()
    return run_id


def cancel() -> Act:
    run = open_run()
    return lambda: lifecycle.cancel_runs(tenant(), [run], **SAID)


def pause() -> Act:
    run = open_run()
    return lambda: lifecycle.pause_runs(tenant(), [run], **SAID)


def unpause() -> Act:
    run = open_run()
    make.pause(run)
    return lambda: lifecycle.unpause_runs(tenant(), [run], **SAID)


def resume() -> Act:
    run = failed_run()
    return lambda: lifecycle.resume_runs(tenant(), [run], **SAID)


def redo() -> Act:
    run = failed_run()
    return lambda: lifecycle.redo_failed(tenant(), [run], **SAID)


def resolve() -> Act:
    run = make.start(order("charge"))[0]
    do("charge")
    break_("ship")
    break_("undo")
    step = make.steps(run)["charge:compensate"].pk
    return lambda: lifecycle.resolve_compensation(tenant(), run, step, "retry", **SAID)


def retry() -> Act:
    run = failed_run()
    return lambda: operators.retry_step(tenant(), run, "a", **SAID)


def leave() -> Act:
    (run_id,) = make.start(make.graph([{"id": "a", "retry": "none", "on_error": "ask"}], []))
    make.fail(*make.claimed())
    return lambda: operators.leave_failed(tenant(), run_id, "a")


def discard() -> Act:
    (run_id,) = make.start(make.graph([{"id": "a", "retry": "none", "on_error": "ask"}], []))
    make.fail(*make.claimed())
    return lambda: dead_letters.discard(who(), make.letters(run_id))


def skip() -> Act:
    run = failed_run()
    return lambda: operators.skip_step(tenant(), run, "a", {"n": 1}, **SAID)


def resume_on() -> Act:
    run = failed_run()
    version = make.newer(run, BREAKS).pk
    return lambda: replay.resume_on(tenant(), run, version, **SAID)


def migrate() -> Act:
    run = open_run()
    version = make.newer(run, make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}], [])).pk
    return lambda: migration.migrate_run(tenant(), run, version, **SAID)


def rerun() -> Act:
    run = ended_run()
    return lambda: replay.rerun(tenant(), run, "a", override=RerunWith(2), **SAID)


def redrive() -> Act:
    found = make.letters(failed_run())
    return lambda: dead_letters.redrive(who(), found)


def start() -> Act:
    version = make.a_version(make.chain("noop"))
    terms = Terms(tenant=tenant(), version=version.pk, by="test")
    return lambda: starts.start_runs(terms, [NewRun(1)])


def signal() -> Act:
    run = open_run()
    make.work()
    return lambda: signals.send_signals(tenant(), [(run, NewSignal("s", "x", 1))], by="test")


def incident(settings) -> Act:
    settings.HANDOFF_OPERATOR_TASKS = ("dead_letters",)
    run = failed_run()
    assert incidents.tick() == 1
    (task,) = ManualTask.objects.for_tenant(tenant()).filter(run_id=run)
    return lambda: resolving.settle(who(), task.pk, resolution="retry")


DOORS = {
    lifecycle.cancel_runs: cancel,
    lifecycle.pause_runs: pause,
    lifecycle.unpause_runs: unpause,
    lifecycle.resume_runs: resume,
    lifecycle.redo_failed: redo,
    lifecycle.resolve_compensation: resolve,
    operators.retry_step: retry,
    operators.skip_step: skip,
    operators.leave_failed: leave,
    replay.resume_on: resume_on,
    migration.migrate_run: migrate,
    replay.rerun: rerun,
    dead_letters.redrive: redrive,
    dead_letters.discard: discard,
    starts.start_runs: start,
    signals.send_signals: signal,
    resolving.settle: incident,
}
SILENT = {
    dead_letters.matching: "it reads",
    dead_letters.operable_letters: "it reads",
    dead_letters.open_letters: "it reads",
    dead_letters.check_open: "it reads",
    dead_letters.check_redrive: "it reads",
    dead_letters.discard_each: "by discard",
    operators.act: "by retry_step, skip_step and the verbs on items",
    operators.leave: "within operators.leave_failed and dead_letters.discard",
    resolving.resolve_task: "by lifecycle.resolve_compensation or resolving.settle",
    incidents.tick: "it tells inboxes, by live.tell_inboxes",
    signals.rows_of: "it is pure",
    compensation.resolve: "within services.resolve_compensation",
    compensation.close: "within whoever closes a run",
    compensation.compensate_next: "within whoever ends a compensation",
    compensation.await_operator: "within whoever ends a compensation",
    compensation.began: "it reads",
    compensation.look_again: "within a repair",
    compensation.undo_here: "within whoever delivers the message",
    compensation.go_on: "within whoever delivers the message",
    compensation.end_below: "within whoever delivers the message",
    compensation.stand: "within whoever delivers the message",
    signals.send_signal: "by send_signals",
    starts.checked: "it reads",
    starts.check_item: "it is pure",
    starts.insert_checked: "by start_runs",
    migration.check_run: "it reads",
    migration.move_told: "within whoever delivers the message",
    migration.first_of: "it is pure",
}
"""What may be called by others and tells nobody itself, and why."""


@pytest.fixture
def told(monkeypatch):
    """Who was told, each with whether a transaction was open."""
    heard: list[tuple[object, bool]] = []

    def hear(what, **_):
        found = list(what)
        if found:
            heard.append((found, transaction.get_connection().in_atomic_block))

    def listen():
        monkeypatch.setattr(dispatch, "wake", hear)
        monkeypatch.setattr(live, "tell", hear)
        return heard

    return listen


def prepared(door, settings) -> Act:
    prepare = DOORS[door]
    return prepare(settings) if "settings" in inspect.signature(prepare).parameters else prepare()


def test_every_function_that_others_call_is_a_door_or_says_why_it_is_none():
    rooms = (
        *(lifecycle, operators, replay, migration, dead_letters),
        *(incidents, resolving, compensation, starts, signals),
    )
    public = {
        found
        for room in rooms
        for name, found in inspect.getmembers(room, inspect.isfunction)
        if found.__module__ == room.__name__ and not name.startswith("_")
    }
    assert public == DOORS.keys() | SILENT.keys()


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_it_is_told_at_once_and_outside_of_any_transaction(door, settings, told):
    act, heard = prepared(door, settings), told()
    act()
    assert heard
    assert {is_open for _, is_open in heard} == {False}


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_within_a_transaction_it_is_told_once_that_is_committed(door, settings, told):
    act, heard = prepared(door, settings), told()
    with transaction.atomic():
        with transaction.atomic():
            act()
        assert heard == []
    assert heard
    assert {is_open for _, is_open in heard} == {False}


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_what_is_rolled_back_is_told_to_nobody(door, settings, told):
    class Regret(Exception):
        pass

    act, heard = prepared(door, settings), told()
    with suppress(Regret), transaction.atomic():
        act()
        raise Regret
    assert heard == []
