"""Nobody is told before it is so: through every door, and whatever transaction stands around it (ENGINE "Hints")."""

import inspect
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import transaction

from accounts.principal import Principal
from engine.told import Edited
from runs import dispatch, letters, live, operators, replay, saga, services, signals, starts
from runs.signals import NewSignal
from runs.starts import NewRun, Terms
from tasks_inbox import incidents
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
    return lambda: services.cancel_runs(tenant(), [run], **SAID)


def pause() -> Act:
    run = open_run()
    return lambda: services.pause_runs(tenant(), [run], **SAID)


def unpause() -> Act:
    run = open_run()
    make.pause(run)
    return lambda: services.unpause_runs(tenant(), [run], **SAID)


def resume() -> Act:
    run = failed_run()
    return lambda: services.resume_runs(tenant(), [run], **SAID)


def resolve() -> Act:
    run = make.start(order("charge"))[0]
    do("charge")
    break_("ship")
    break_("undo")
    return lambda: services.resolve_compensation(tenant(), run, "charge", "retry", **SAID)


def retry() -> Act:
    run = failed_run()
    return lambda: operators.retry_step(tenant(), run, "a", **SAID)


def skip() -> Act:
    run = failed_run()
    return lambda: operators.skip_step(tenant(), run, "a", {"n": 1}, **SAID)


def resume_on() -> Act:
    run = failed_run()
    version = make.newer(run, BREAKS).pk
    return lambda: replay.resume_on(tenant(), run, version, **SAID)


def rerun() -> Act:
    run = ended_run()
    return lambda: replay.rerun(tenant(), run, "a", given=Edited(2), **SAID)


def redrive() -> Act:
    found = make.letters(failed_run())
    return lambda: letters.redrive(who(), found)


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
    return lambda: incidents.settle(who(), task.pk, resolution="retry")


DOORS = {
    services.cancel_runs: cancel,
    services.pause_runs: pause,
    services.unpause_runs: unpause,
    services.resume_runs: resume,
    services.resolve_compensation: resolve,
    operators.retry_step: retry,
    operators.skip_step: skip,
    replay.resume_on: resume_on,
    replay.rerun: rerun,
    letters.redrive: redrive,
    starts.start_runs: start,
    signals.send_signals: signal,
    incidents.settle: incident,
}
SILENT = {
    letters.discard: "it moves no run",
    letters.matching: "it reads",
    incidents.tick: "it tells inboxes, by live.tell_inboxes",
    signals.rows_of: "it is pure",
    saga.resolve: "within services.resolve_compensation",
    saga.close: "within whoever closes a run",
    saga.go_on: "within whoever ends a compensation",
    saga.hand_over: "within whoever ends a compensation",
    saga.began: "it reads",
    saga.has_compensations: "it is pure",
    saga.tell_of_failures: "it registers",
    saga.tell_of_settling: "it registers",
    starts.judges_starts: "it registers",
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
    rooms = (services, operators, replay, letters, incidents, saga, starts, signals)
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
