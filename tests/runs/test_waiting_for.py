"""One sentence on what an open run waits for, whatever its state, and on each of its open steps (R-198)."""

import pytest
from django.db import connection

from lib import named_sql
from runs.commands import jobs
from runs.commands.lifecycle import cancel_runs, pause_runs
from runs.integrity import repair
from runs.kernel import wait_kinds
from runs.kernel.advance import advance
from runs.kernel.wait_kinds import WaitKind
from runs.reading import brief, presentation
from runs.store import hot
from runs.store.attempts import Suspended
from steps.catalogue import CATALOGUE
from tests import factories as make
from tests.damage import ASKED, SIGNAL, an_undoing_run, sql

pytestmark = pytest.mark.django_db

JOB = {"type": "job", "queue": "pricing"}


@pytest.fixture(autouse=True)
def _nobody_has_asked(monkeypatch):
    monkeypatch.setattr(jobs, "_noted", {})


def sentence(run_id):
    return presentation.found_run(make.a_tenant().pk, run_id)["waiting_for"]


def of_step(run_id, node):
    (row,) = [row for row in presentation.step_rows(make.a_tenant().pk, run_id) if row["node"] == node]
    return row["waiting_for"]


def test_queued_for_a_queue_that_no_worker_listens_on_and_for_one_that_one_does():
    run_id = make.start(make.graph(["a", {"id": "b", **JOB}], []))[0]
    assert of_step(run_id, "a") == "a worker of the queue default: none listens now"
    nobody = "a worker of yours that polls the queue pricing: none has asked for jobs in the last 2 minutes"
    assert of_step(run_id, "b") == nobody
    assert sentence(run_id) == f"Do nothing (a) waits for {of_step(run_id, 'a')}, and 1 more"

    hot.worker_seen(worker="w1", queue="default", host="here", pid=1)
    jobs.poll(tenant=make.a_tenant("other").pk, worker="x", queues=["pricing"], max_jobs=1)
    assert of_step(run_id, "a") == "a worker of the queue default"
    assert of_step(run_id, "b") == nobody, "another tenant's worker is nobody's"

    jobs.poll(tenant=make.a_tenant().pk, worker="mine", queues=["pricing", "more"], max_jobs=0)
    assert of_step(run_id, "b") == "a worker of yours that polls the queue pricing"
    sql("UPDATE runs_queuepoll SET polled_at = now() - interval '3 minutes'")
    assert of_step(run_id, "b") == nobody


def test_a_kind_of_wait_that_an_app_adds_is_known_everywhere(monkeypatch):
    kind = WaitKind(
        enter=lambda _: [],
        in_words=lambda wait: f"the {wait['which']} tide",
        source="moon",
        in_short="a tide",
        for_requester=lambda _: "Waiting for a tide",
        timed_out=lambda _: {"code": "NoTide", "message": "It did not come.", "retryable": False},
        page_part="styleguide.html",
        names_step=True,
        asks_operator=True,
    )
    monkeypatch.setattr(wait_kinds, "_KINDS", {**wait_kinds._KINDS})
    wait_kinds.register("tide", kind)
    run_id = make.start(make.graph([{"id": "a", **JOB}], []))[0]
    [held] = make.claimed("pricing")
    advance([(held, Suspended({"kind": "tide", "which": "next"}))])
    assert sentence(run_id) == "External job (a) waits for the next tide"
    with connection.cursor() as cursor:
        cursor.execute("SELECT source FROM runs_wake_source WHERE run_id = %s", [run_id])
        assert cursor.fetchall() == [("moon",)]
    assert repair.look([run_id]) == []
    assert wait_kinds.page_part({"kind": "tide"}) == "styleguide.html"
    assert wait_kinds.timed_out({"kind": "tide"})["code"] == "NoTide"
    run = presentation.found_run(make.a_tenant().pk, run_id)
    assert brief.now_of(run) == "Waits for the next tide"
    assert run["steps"][0]["verbs"][:2] == ["retry", "skip"]
    with pytest.raises(ValueError, match="has an owner already"):
        wait_kinds.register("tide", kind)


def test_who_polls_is_noted_now_and_then_only(monkeypatch):
    tenant, seen = make.a_tenant().pk, []
    monkeypatch.setattr(named_sql, "watchers", [seen.append])
    for _ in range(3):
        jobs.poll(tenant=tenant, worker="mine", queues=["pricing"], max_jobs=1)
    assert seen.count("queues_polled") == 1


def test_leased_by_which_worker_and_backing_off_until_when(clock):
    run_id = make.start(make.graph([{"id": "a", **JOB}], []))[0]
    held = make.claimed("pricing", worker="ann-1")
    assert (
        sentence(run_id)
        == "External job (a) waits for worker ann-1, whose lease ends 2031-01-01 09:00:30 UTC"
    )
    make.fail(*held, retryable=True)
    assert of_step(run_id, "a").startswith("attempt 2, due 2031-01-01 09:00:0")
    clock.advance(300)
    nobody = "a worker of yours that polls the queue pricing: none has asked for jobs in the last 2 minutes"
    assert of_step(run_id, "a") == f"attempt 2, which waits for {nobody}"


def test_held_because_the_run_is_paused():
    run_id = make.start(make.chain("noop"))[0]
    pause_runs(make.a_tenant().pk, [run_id], by="test")
    assert sentence(run_id) == "Do nothing (a) waits for the run to be unpaused"


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({"id": "a", "type": "wait", "params": {"seconds": 60}}, "2031-01-01 09:01:00 UTC"),
        (SIGNAL, "the signal go, at most until 2031-01-01 09:01:00 UTC"),
        (ASKED, "somebody to decide “May we?”"),
    ],
    ids=["timer", "signal", "person"],
)
def test_waiting_for_a_timer_a_signal_or_a_person(node, words, clock):
    run_id = make.start(make.graph([node], []))[0]
    make.work()
    assert sentence(run_id) == f"{CATALOGUE[node['type']].title} (a) waits for {words}"


def test_failing_and_cancelling_runs_await_what_runs(clock):
    failing, cancelling = (
        make.start(make.graph([{"id": "a", **JOB}, {"id": "b", **JOB}], []))[0] for _ in "ab"
    )
    steps = make.claimed("pricing", worker="w")
    make.fail(*[step for step in steps if step.run_id == failing and step.node == "a"])
    cancel_runs(make.a_tenant().pk, [cancelling], by="test")

    end = "waits for worker w, whose lease ends 2031-01-01 09:00:30 UTC"
    assert sentence(failing) == f"It fails once running steps have ended: External job (b) {end}"
    assert (
        sentence(cancelling)
        == f"It is cancelled once running steps have ended: External job (a) {end}, and 1 more"
    )


def test_undoing_and_waiting_for_somebody_because_that_failed():
    run_id = an_undoing_run()
    assert sentence(run_id).startswith(
        "It undoes what was done: Undo External job (a) waits for a worker of yours that polls the queue undo"
    )
    make.fail(*make.claimed("undo"))
    assert sentence(run_id) == "somebody to see to what could not be undone: Undo External job (a)"


def test_nothing_that_is_known_is_said_to_be_so():
    run_id = make.start(make.chain("noop"))[0]
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s", run_id)
    assert (
        sentence(run_id)
        == "Nothing that it waits for is known: this should not happen, and is checked every minute"
    )
    sql("SET LOCAL handoff.archiving = 'on'")
    sql("DELETE FROM runs_historyevent WHERE run_id = %s", run_id)
    sql("DELETE FROM runs_run WHERE id = %s", run_id)


def test_a_run_that_has_ended_waits_for_nothing():
    run_id = make.start(make.chain("noop"))[0]
    make.work()
    assert sentence(run_id) is None
