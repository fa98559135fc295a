"""A sealed history that was touched is found, and so is a row that is not as history says (I3, I12, R-210)."""

import os
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from itertools import pairwise

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from config.environment import BASE_DIR
from runs.commands.lifecycle import cancel_runs, pause_runs, resolve_compensation, unpause_runs
from runs.commands.signals import NewSignal
from runs.commands.starts import NewRun, Terms, start_runs
from runs.integrity.compare import RunRow, StepRow, differences
from runs.integrity.fold import Event, fold
from runs.integrity.verify import verify
from runs.maintenance import leases, seals
from runs.models import HistoryEvent, RunSeal, StepExecution, StepJoin
from tests import factories as make

pytestmark = pytest.mark.django_db

JOB = {"type": "job", "queue": "job"}
UNDO = {"compensate": {"type": "job", "queue": "undo", "retry": "none"}}


def told(run_id):
    return [(found.node, found.field) for found in verify([run_id])]


def a_join(clock):
    """Branches that meet, one of them dead, and an engine step."""
    nodes = ["a", "b", {"id": "c", "type": "decision"}, "d", "e", "f"]
    edges = ["a>b", "a>c", "b>f", "d>f", "e>f"]
    edges += [{"from": "c", "to": "d", "when": "false"}, {"from": "c", "to": "e", "default": True}]
    run_id = make.start(make.graph(nodes, edges), {"n": 1})[0]
    make.work()
    return run_id


def a_retried_one(clock):
    """An attempt that failed, one that was lost in company, a pause, a signal, and time."""
    timed = {"boundary_timers": [{"after_seconds": 5, "interrupting": False, "to": "d"}]}
    nodes = [
        {"id": "a", **JOB, **timed},
        {"id": "b", "type": "signal", "params": {"name": "go"}},
        {"id": "c", "type": "wait", "params": {"seconds": 10}},
        "d",
    ]
    run_id = make.start(make.graph(nodes, ["a>b", "b>c"]))[0]
    make.fail(*make.claimed("job"), retryable=True)
    clock.advance(10)
    make.tick()
    (held,) = make.claimed("job")
    pause_runs(make.a_tenant().pk, [run_id], by="test")
    make.change(held, solo=False)
    clock.advance(60)
    leases.sweep()
    unpause_runs(make.a_tenant().pk, [run_id], by="test")
    make.complete(*make.claimed("job"))
    make.work()
    make.send(run_id, "go", {"x": 1})
    make.work()
    clock.advance(60)
    make.tick()
    make.work()
    return run_id


def a_reopened_one(clock):
    """Failed, one step done while it was failing, and resumed."""
    nodes = [{"id": "a", **JOB}, {"id": "b", **JOB}, "c", "d"]
    run_id = make.start(make.graph(nodes, ["a>c", "b>c", "b>d"]))[0]
    a, b = make.claimed("job")
    make.fail(a)
    make.complete(b)
    seals.seal()
    make.resume(run_id)
    make.complete(*make.claimed("job"))
    make.work()
    return run_id


def an_undone_one(clock):
    """Undone, where one compensation was tried again after it had failed for good, and one was given up."""
    nodes = [{"id": "a", **JOB, **UNDO}, {"id": "b", **JOB, **UNDO}, {"id": "c", **JOB, "retry": "none"}]
    run_id = make.start(make.graph(nodes, ["a>b", "b>c"]))[0]
    make.complete(*make.claimed("job"))
    make.complete(*make.claimed("job"))
    make.fail(*make.claimed("job"))
    make.fail(*make.claimed("undo"))
    tenant = make.a_tenant().pk
    resolve_compensation(tenant, run_id, make.steps(run_id)["b:compensate"].pk, "retry", by="test")
    make.complete(*make.claimed("undo"))
    make.fail(*make.claimed("undo"))
    resolve_compensation(tenant, run_id, make.steps(run_id)["a:compensate"].pk, "abandon", by="test")
    return run_id


def a_cancelled_one(clock):
    run_id = make.start(make.chain("noop", "noop"))[0]
    (held,) = make.claimed()
    cancel_runs(make.a_tenant().pk, [run_id], by="test")
    make.complete(held)
    return run_id


KINDS = [a_join, a_retried_one, a_reopened_one, an_undone_one, a_cancelled_one]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def sealed(request, clock):
    run_id = request.param(clock)
    seals.seal()
    assert told(run_id) == []
    return run_id


class _Undo(Exception):
    pass


def after(run_id, *statements):
    """What verify says after these statements, all undone again."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("ALTER TABLE runs_historyevent DISABLE TRIGGER runs_history_append_only")
            cursor.execute("ALTER TABLE runs_runseal DISABLE TRIGGER runs_seals_append_only")
            for sql, params in statements:
                cursor.execute(sql, params)
            found = told(run_id)
            raise _Undo
    except _Undo:
        return found


EVENT = "UPDATE runs_historyevent SET {} WHERE id = %s"


def test_an_event_that_was_changed_in_any_column_or_deleted_is_found(sealed):
    changes = [
        "ordinal = ordinal + 1",
        "type = type || 'X'",
        "node = coalesce(node, '') || 'x'",
        "attempt = coalesce(attempt, 0) + 1",
        "xid = xid + 1",
        """payload = payload || '{"more": 1}'""",
        "payload = (SELECT coalesce(jsonb_object_agg(k, v), '{}') FROM (SELECT k, v FROM jsonb_each(payload) AS e(k, v)"
        " ORDER BY k OFFSET 1) e)",
        "created_at = created_at + interval '1 microsecond'",
        "id = id + 1000000",
        "run_id = gen_random_uuid()",
    ]
    for event in HistoryEvent.unsafe_all_tenants.filter(run_id=sealed).order_by("id"):
        for change in changes:
            if "OFFSET" in change and not event.payload:
                continue
            assert after(sealed, (EVENT.format(change), [event.id])) != [], (event.type, change)
        assert after(sealed, ("DELETE FROM runs_historyevent WHERE id = %s", [event.id])) != [], event.type


def test_an_event_that_was_put_in_anywhere_is_found(sealed):
    ids = list(
        HistoryEvent.unsafe_all_tenants.filter(run_id=sealed).order_by("id").values_list("id", flat=True)
    )
    copy = """
        INSERT INTO runs_historyevent (id, tenant_id, run_id, shard, ordinal, type, node, xid, payload, created_at)
        OVERRIDING SYSTEM VALUE
        SELECT %s, tenant_id, run_id, shard, 0, 'SLA_WARNING', NULL, xid, '{}', created_at FROM runs_historyevent
         WHERE id = %s"""
    for place in [-1, ids[-1] + 1_000_000]:
        assert after(sealed, (copy, [place, ids[0]])) != []


def test_events_that_changed_places_are_found(sealed):
    ids = list(
        HistoryEvent.unsafe_all_tenants.filter(run_id=sealed).order_by("id").values_list("id", flat=True)
    )
    move = "UPDATE runs_historyevent SET id = %s WHERE id = %s"
    for one, other in pairwise(ids):
        assert after(sealed, (move, [-1, one]), (move, [one, other]), (move, [other, -1])) != []


def test_a_seal_that_was_changed_or_taken_away_is_found(sealed):
    for change in [
        "events = events + 1",
        "digest = sha256(digest)",
        "last_event = last_event - 1",
        "life = life + 7",
    ]:
        assert after(sealed, (f"UPDATE runs_runseal SET {change} WHERE run_id = %s", [sealed])) != [], change
    assert after(sealed, ("DELETE FROM runs_runseal WHERE run_id = %s", [sealed])) != []


def test_a_row_that_was_changed_is_found(sealed):
    for step in StepExecution.unsafe_all_tenants.filter(run_id=sealed):
        others = [
            status
            for status in ("QUEUED", "COMPLETED", "FAILED", "SKIPPED", "CANCELLED")
            if status != step.status
        ]
        changes = [f"status = '{status}'" for status in others]
        changes += ["attempt = attempt + 1", "attempt = attempt - 1", "epoch = epoch + 1"]
        changes += ["""output = '{"other": 1}'""", "node = node || 'x'"]
        if step.output is not None:
            changes.append("output = NULL")
        for change in changes:
            sql = f"UPDATE runs_stepexecution SET {change} WHERE id = %s"
            assert after(sealed, (sql, [step.id])) != [], (step.node, step.status, change)
        assert after(sealed, ("DELETE FROM runs_stepexecution WHERE id = %s", [step.id])) != [], step.node
    for join in StepJoin.unsafe_all_tenants.filter(run_id=sealed):
        assert (
            after(sealed, ("UPDATE runs_stepjoin SET taken = taken || '{x}' WHERE id = %s", [join.id])) != []
        )


def test_a_run_that_was_changed_is_found(sealed):
    is_now = make.run(sealed).status
    others = [status for status in ("COMPLETED", "FAILED", "CANCELLED", "COMPENSATED") if status != is_now]
    changes = [f"status = '{status}'" for status in others]
    changes += ["life = life + 1", "input = '17'", """output = '{"other": 1}'"""]
    for change in changes:
        assert after(sealed, (f"UPDATE runs_run SET {change} WHERE id = %s", [sealed])) != [], change


def test_each_life_has_its_seal_and_each_is_over_all_before_it(clock):
    run_id = a_reopened_one(clock)
    assert list(RunSeal.unsafe_all_tenants.values_list("life", flat=True)) == [1]

    assert seals.seal() == 1

    first, second = RunSeal.unsafe_all_tenants.filter(run_id=run_id).order_by("life")
    assert first.events < second.events == len(make.history(run_id))
    assert seals.seal() == 0
    assert make.run(run_id).sealed_life == 2


def test_a_life_that_was_reopened_before_it_had_a_seal_gets_it_with_the_next_one(clock):
    run_id = make.start(make.chain("noop"))[0]
    make.fail(*make.claimed())
    make.resume(run_id)
    assert seals.seal() == 0
    make.work()

    seals.seal()

    assert [seal.life for seal in RunSeal.unsafe_all_tenants.filter(run_id=run_id).order_by("life")] == [1, 2]
    assert told(run_id) == []


def test_a_run_that_ends_as_it_starts_has_its_signal_before_its_end():
    made = {"id": "a", "type": "transform", "params": {"set": {"x": 1}}}
    version = make.a_version(make.graph([made], []))
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")

    (started,) = start_runs(terms, [NewRun({}, signal=NewSignal("s1", "go", 1))])

    assert make.history(started.id)[-1] == "RUN_COMPLETED"
    assert told(started.id) == []


def test_nothing_that_is_refused_to_an_ended_run_writes_behind_its_end(clock):
    run_id = a_cancelled_one(clock)
    seals.seal()
    with pytest.raises(Exception, match="no more signals"):
        make.send(run_id, "late")
    clock.advance(3600)
    make.tick()
    leases.sweep()
    assert told(run_id) == []


def test_what_operators_do_is_understood():
    """A rerun's kept steps, a skip, a retry of one step with another input, a resume with a newer version."""
    said = [
        ("RUN_STARTED", None, None, {"rerun_of": "old", "version": 1, "digest": "in"}),
        ("STEP_COMPLETED", "a", None, {"kept_from": "old a", "digest": "of a", "taken": ["b"]}),
        ("STEP_SKIPPED", "s", None, {"kept_from": "old s"}),
        ("STEP_FAILED", "b", 3, {"epoch": 4, "error": {"code": "Boom"}}),
        ("STEP_FAILED", "c", 3, {"epoch": 8, "error": {"code": "Boom"}}),
        ("RUN_FAILING", None, None, {}),
        ("RUN_FAILED", None, None, {}),
        ("RUN_REOPENED", None, None, {"life": 2, "by": "ann", "reason": "", "version": 5}),
        ("STEP_REQUEUED", "b", None, {"epoch": 5, "by": "ann", "input_digest": "x", "replaced_digest": "y"}),
        ("STEP_SKIPPED", "c", None, {"by": "ann", "digest": "of c", "taken": ["d"], "replaced": "FAILED"}),
    ]
    run = fold(Event(at, *event) for at, event in enumerate(said, 1))

    assert (run.status, run.life, run.version, run.keeps_graph, run.wrong) == ("RUNNING", 2, 5, False, [])
    rows = [
        StepRow("a", "COMPLETED", 2, 2, "of a", [], False),
        StepRow("s", "SKIPPED", 0, 0, None, [], False),
        StepRow("b", "RUNNING", 1, 6, None, [], False),
        StepRow("c", "SKIPPED", 3, 9, "of c", [], False),
    ]
    row = RunRow("RUNNING", 2, 5, "in", None, rows, [])
    assert list(differences("run", run, row, None)) == []
    other = replace(
        row, steps=[rows[0]._replace(digest="other"), *rows[1:2], rows[2]._replace(epoch=7), rows[3]]
    )
    assert [(found.node, found.field) for found in differences("run", run, other, None)] == [
        ("a", "output"),
        ("b", "epoch"),
    ]


def test_a_step_that_is_withdrawn_begins_as_another_when_it_is_made_anew():
    said = [
        ("RUN_STARTED", None, None, {"version": 1}),
        ("STEP_FAILED", "b", 2, {"epoch": 4}),
        ("RUN_FAILED", None, None, {}),
        ("RUN_REOPENED", None, None, {"life": 2, "version": 2}),
        ("STEP_WITHDRAWN", "b", None, {"was": "FAILED"}),
    ]
    run = fold(Event(at, *event) for at, event in enumerate(said, 1))

    for step, wrong in [
        (StepRow("b", "QUEUED", 0, 0, None, [], False), []),
        (StepRow("b", "QUEUED", 0, 5, None, [], False), ["epoch"]),
    ]:
        row = RunRow("RUNNING", 2, 2, None, None, [step], [])
        assert [found.field for found in differences("run", run, row, None)] == wrong


def manage(*arguments):
    """`manage.py verify_history` as a process of its own, on the database of this test."""
    server, _, options = os.environ["DATABASE_URL"].partition("?")
    url = f"{server.rpartition('/')[0]}/{connection.settings_dict['NAME']}?{options}"
    return subprocess.run(
        [sys.executable, "manage.py", "verify_history", *arguments],
        cwd=BASE_DIR,
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def verified(*arguments) -> tuple[int, str, str]:
    """The same command within this process: what it would exit with, its output and its errors."""
    out, err = StringIO(), StringIO()
    try:
        call_command("verify_history", *arguments, stdout=out, stderr=err)
    except CommandError as refused:
        return refused.returncode, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.mark.exhaustive
@pytest.mark.django_db(transaction=True)
def test_the_command_says_every_difference_and_exits_1(monkeypatch):
    (bad,) = make.start(make.chain("noop"))
    make.work()
    make.change(str(make.steps(bad)["a"].id), attempt=7)

    found = manage("--all")

    assert (found.returncode, found.stdout) == (1, f"run {bad} step a attempt: expected 1, found 7\n")
    assert "1 run checked, 1 difference" in found.stderr
    refused = manage()
    assert (refused.returncode, refused.stdout) == (2, "")
    make.change(str(make.steps(bad)["a"].id), attempt=1)


def test_the_command_looks_at_the_runs_that_it_is_asked_for():
    good, bad = (make.start(make.chain("noop"))[0] for _ in range(2))
    make.work()
    seals.seal()
    assert verified("--all")[:2] == verified("--tenant", "default")[:2] == (0, "")
    make.change(str(make.steps(bad)["a"].id), attempt=7)

    code, _, errors = verified("--all")

    assert code == 1
    assert "2 runs checked, 1 difference" in errors
    assert verified("--run", good)[0] == 0
    assert verified("--run", bad)[0] == 1
    assert verified("--all", "--since", "2099-01-01")[0] == 0
    make.change(str(make.steps(bad)["a"].id), attempt=1)


NOBODY = "019e0000-0000-7000-8000-000000000000"


@pytest.mark.parametrize(
    "wrong", [("--run", "x"), ("--run", NOBODY), ("--tenant", "nobody"), ("--all", "--since", "soon")]
)
def test_the_command_says_what_it_does_not_understand(wrong):
    assert verified(*wrong)[:2] == (2, "")
