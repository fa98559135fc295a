"""Telemetry counts history once, exactly, whatever becomes visible late and whoever dies in the middle."""

from datetime import timedelta

import pytest

from engine.bodies import PART
from operations.telemetry import counting as duty
from operations.telemetry import periods, store
from operations.telemetry.models import RunTelemetry, StepTelemetry, TelemetryBucket
from runs.models import HistoryEvent
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import decide, member
from tests.store.watching import watching
from tests.telemetry import count_all, let_through

pytestmark = pytest.mark.django_db

STEADY = {"max_retries": 3, "base_seconds": 2, "factor": 2, "max_seconds": 300, "jitter": 0}
ENDS = ("started", "completed", "failed", "cancelled", "interventions")


def runs(span="hour"):
    rows = RunTelemetry.unsafe_all_tenants.filter(span=span)
    return tuple(sum(getattr(row, name) for row in rows) for name in ENDS)


def steps(node, *names, span="hour", **only):
    rows = list(StepTelemetry.unsafe_all_tenants.filter(span=span, node=node, **only))
    return tuple(sum(getattr(row, name) for row in rows) for name in names)


def test_runs_and_steps_are_counted_by_how_they_ended():
    for _ in range(2):
        make.start(make.chain("noop", "noop"))
    make.work()
    make.start(make.graph([{"id": "broken", "retry": "none"}], []))
    make.fail(make.claimed()[0])
    make.cancel(make.start(make.graph(["stopped"], []))[0])

    count_all()

    assert runs() == runs("day") == (4, 2, 1, 1, 0)
    assert steps("a", "completed", "failed") == steps("b", "completed", "failed") == (2, 0)
    assert steps("broken", "completed", "failed", span="day") == (0, 1)
    assert steps("stopped", "cancelled") == (1,)


def test_each_event_is_counted_once():
    make.start(make.chain("noop", "noop"))
    make.work()
    events = HistoryEvent.unsafe_all_tenants.count()
    assert count_all() >= events > 0
    before = runs(), steps("a", "completed"), TelemetryBucket.unsafe_all_tenants.count()
    assert count_all() == 0
    assert (runs(), steps("a", "completed"), TelemetryBucket.unsafe_all_tenants.count()) == before

    make.start(make.chain("noop", "noop"))
    make.work()
    count_all()
    assert (runs()[:2], steps("a", "completed")) == ((2, 2), (2,))


def test_a_step_waits_in_a_queue_then_works_and_failed_attempts_are_lost_time(clock):
    make.start(make.graph([{"id": "a", "retry": STEADY}], []))
    clock.advance(3)
    step = make.claimed()[0]
    clock.advance(5)
    make.fail(step, retryable=True)
    clock.advance(2 + 4)
    step = make.claimed()[0]
    clock.advance(7)
    make.complete(step)

    count_all()

    assert steps("a", "completed", "retried", "failed") == (1, 1, 0)
    assert steps("a", "queue_ms", "machine_ms", "human_ms", "waiting_ms", "lost_ms") == (
        4000,
        7000,
        0,
        0,
        5000,
    )
    assert [row.duration_ms for row in RunTelemetry.unsafe_all_tenants.filter(span="hour")] == [21_000]


def test_waits_are_told_apart_from_work(clock):
    run_id = make.start(make.graph([{"id": "a", "type": "wait", "params": {"seconds": 60}}], []))[0]
    make.work()
    clock.advance(60)
    make.tick()
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    count_all()
    assert steps("a", "machine_ms", "human_ms", "waiting_ms") == (0, 0, 60_000)


def test_hours_and_days_are_those_of_utc(clock):
    clock.set(clock.now.replace(hour=23, minute=59, second=59))
    make.start(make.graph(["a"], []))
    step = make.claimed()[0]
    clock.advance(2)
    make.complete(step)
    count_all()
    rows = RunTelemetry.unsafe_all_tenants.order_by("span", "at").values_list(
        "span", "at", "started", "completed"
    )
    midnight = clock.now.replace(hour=0, minute=0, second=0)
    assert list(rows) == [
        ("day", midnight - timedelta(days=1), 1, 0),
        ("day", midnight, 0, 1),
        ("hour", midnight - timedelta(hours=1), 1, 0),
        ("hour", midnight, 0, 1),
    ]


def test_items_of_a_container_count_to_its_node_by_their_own_type():
    make.start(make.mapped("noop"), {"items": [1, 2, 3]})
    make.work()
    count_all()
    assert steps("each", "completed", type="map") == (1,)
    assert steps("each", "completed", type="noop") == (3,)
    assert runs()[:2] == (1, 1)


def test_steps_of_items_that_are_runs_of_their_own_count_to_the_run_that_began_them():
    body = {"steps": [{"id": "x", "type": "noop"}, {"id": "y", "type": "noop"}]}
    run_id = make.start(make.mapped(body), {"items": [1, 2]})[0]
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    count_all()
    assert runs()[:2] == (1, 1)
    assert steps("x", "completed") == steps("y", "completed") == (2,)
    assert steps("each", "completed", type=PART) == (0,)
    assert {row.version_id for row in StepTelemetry.unsafe_all_tenants.all()} == {make.run(run_id).version_id}


def test_rounds_and_items_within_one_another_are_no_runs_and_their_times_are_those_of_the_root(clock):
    ask = {
        "id": "ask",
        "type": "human.approval",
        "params": {"title": "OK?", "candidates": {"roles": ["admin"]}},
    }
    work = {"id": "work", "type": "job", "queue": "work"}
    asks = {"steps": [ask, work], "edges": [{"from": "ask", "to": "work", "default": True}]}
    each = {"id": "each", "type": "map", "params": {"items": [1, 2], "body": asks}}
    rounds = {"steps": [each, {"id": "n", "type": "noop"}], "edges": [{"from": "each", "to": "n"}]}
    loop = {"id": "again", "type": "loop", "params": {"count": 2, "body": rounds}}
    inner = make.a_version(make.graph([loop], [])).workflow
    call = {"id": "call", "type": "subworkflow", "params": {"workflow": inner.name, "input": {}}}
    run_id = make.start(make.graph([call], []))[0]
    for _ in range(2):
        make.work()
        clock.advance(60)
        for task in ManualTask.unsafe_all_tenants.filter(status="OPEN"):
            decide(member("boss", "admin"), task, "approved")
        make.work()
        jobs = make.claimed("work")
        clock.advance(10)
        make.complete(*jobs, output={})
        make.work()
    assert make.run(run_id).status == "COMPLETED"
    count_all()
    # The run of the subworkflow is one of its own workflow; its four items and two rounds are none.
    assert runs()[:2] == (2, 2)
    of_inner = {"workflow_id": inner.pk}
    assert steps("ask", "completed", "human_ms", **of_inner) == (4, 240_000)
    assert steps("work", "completed", "machine_ms", **of_inner) == (4, 40_000)
    assert steps("call", "completed", "human_ms", "machine_ms", "waiting_ms") == (1, 0, 0, 140_000)


def test_test_runs_are_not_count_all():
    run_id = make.start(make.chain("noop"))[0]
    type(make.run(run_id)).unsafe_all_tenants.filter(pk=run_id).update(is_test=True)
    make.work()
    count_all()
    assert (runs(), steps("a", "completed")) == ((0, 0, 0, 0, 0), (0,))


def test_a_step_whose_row_is_gone_is_counted_by_what_its_version_says():
    run_id = make.start(make.graph([{"id": "a", "retry": "none"}], []))[0]
    make.fail(make.claimed()[0])
    make.resume_on(run_id, make.newer(run_id, make.graph(["b"], [])))
    assert "a" not in make.steps(run_id)
    count_all()
    assert steps("a", "failed", type="noop") == (1,)


def test_percentiles_are_within_a_tenth(clock):
    version = make.a_version(make.graph(["a"], []))
    lasting = [round(0.02 * 1.12**n, 3) for n in range(60)]
    for seconds in lasting:
        make.start_version(version, {})
        step = make.claimed()[0]
        clock.advance(seconds)
        make.complete(step)
    count_all()
    first, last = (clock.now.replace(hour=0) + timedelta(days=days) for days in (-90, 90))
    spans = store.Spans(first, first, first, last, last, last)
    scope = store.Scope(version.tenant_id, None, None, spans)
    [row] = store.steps_in(scope, by="type", limit=10)
    for bucket, share in zip(row.ends["machine"], (0.5, 0.95), strict=True):
        exact = sorted(lasting)[round(share * 60) - 1] * 1000
        assert store.milliseconds(bucket) == pytest.approx(exact, rel=0.1)


def test_so_many_statements_whatever_there_is_to_count():
    def statements():
        with watching() as seen:
            duty.count()
        return seen.named

    make.start(make.chain("noop"))
    make.work()
    duty.count(), let_through()
    few = statements()
    make.start(make.chain("noop", "noop", "noop"), *[{}] * 20)
    make.work()
    duty.count(), let_through()
    assert statements() == few == ["settle_telemetry", "lock_telemetry", "count_telemetry"]


ONCE = {"retry": "none"}
STANDING = ("completed", "failed", "cancelled", "resumed", "interventions")


def standing(clock, **scope):
    """What is shown of the last day, of all and by version."""
    until = clock.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    within = periods.period(until - timedelta(days=1), until, clock.now)
    tenant = make.a_tenant().pk
    groups, _ = store.runs_in(
        store.Scope(tenant, scope.get("workflows"), None, within.spans), by="version", step="hour"
    )
    return {one.key: tuple(getattr(one, name) for name in STANDING) for one in groups}


@pytest.mark.parametrize("lag", [False, True], ids=["counted between", "counted at the end"])
@pytest.mark.parametrize(
    "ends", ["completes", "fails again", "is open", "on another version", "in another hour"]
)
def test_a_resumed_run_counts_by_the_ending_that_stands(clock, lag, ends):
    """However late history is counted, and whatever version and hour it goes on in."""

    def look():
        if not lag:
            count_all()

    version = make.a_version(make.graph([{"id": "a", **ONCE}], []))
    run, other = make.start_version(version, {}, {})
    make.fail(*make.claimed())
    look()
    assert lag or standing(clock)[None] == (0, 2, 0, 0, 0)
    if ends == "in another hour":
        clock.advance(3600)
    if ends == "on another version":
        newer = make.next_version(version.workflow, make.graph([{"id": "a", **ONCE}, "b"], ["a>b"]))
        make.resume_on(run, newer)
    else:
        make.resume(run)
    look()
    if ends == "fails again":
        make.fail(*make.claimed())
    elif ends != "is open":
        make.work()
        assert make.run(run).status == "COMPLETED"
    count_all()

    completed = int(ends not in ("fails again", "is open"))
    failed = 2 if ends == "fails again" else 1
    by_version = standing(clock)
    assert by_version[None] == (completed, failed, 0, 1, 1)
    if ends == "on another version":
        # What the run goes on with is nobody's failure.
        assert by_version[version.pk] == (0, 1, 0, 1, 0)
        assert by_version[newer.pk] == (1, 0, 0, 0, 1)
    assert make.run(other).status == "FAILED"


def test_a_child_run_that_was_cancelled_and_goes_on_with_its_parent_is_not_cancelled(clock):
    child = make.a_version({**make.graph(["held"], []), "name": "child"})
    run = make.start(
        make.graph(
            [
                {"id": "call", "type": "subworkflow", "params": {"workflow": child.workflow.name}, **ONCE},
                {"id": "other", **ONCE},
            ],
            [],
        )
    )[0]
    make.fail(*[step for step in make.claimed() if step.node == "other"])
    count_all()
    make.resume(run)
    make.work()
    count_all()
    assert make.run(run).status == "COMPLETED"
    completed, failed, cancelled, resumed, _ = standing(clock)[None]
    assert (completed, failed, cancelled) == (2, 0, 0)
    assert resumed >= 1


def test_hundreds_that_fail_again_after_a_bulk_resume_are_counted_once(clock):
    version = make.a_version(make.graph([{"id": "a", **ONCE}], []))
    runs_of_it = make.start_version(version, *[{}] * 20)
    for again in range(2):
        make.fail(*make.claimed())
        count_all()
        assert standing(clock)[None] == (0, 20, 0, 20 * again, 20 * again)
        if not again:
            make.resume(*runs_of_it)


@pytest.mark.parametrize("lag", [False, True], ids=["counted between", "counted at the end"])
def test_a_child_run_that_completed_and_is_undone_with_its_root_counts_once(clock, lag):
    child = make.a_version(
        {**make.graph([{"id": "pay", "compensate": {"type": "noop"}}], []), "name": "child"}
    )
    call = {"id": "call", "type": "subworkflow", "params": {"workflow": child.workflow.name}}
    (root,) = make.start(
        make.graph([call, {"id": "last", "type": "job", "queue": "o", **ONCE}], ["call>last"])
    )
    make.work()
    if not lag:
        count_all()
        assert standing(clock)[child.pk] == (1, 0, 0, 0, 0)
    make.fail(*make.claimed("o"))
    make.work()
    count_all()
    assert make.run(root).status == "COMPENSATED"
    assert standing(clock)[child.pk] == (0, 1, 0, 1, 0)
    assert standing(clock)[None] == (0, 2, 0, 1, 0)
    # Its time is still that of a run that completed.
    assert sum(row.completed for row in RunTelemetry.unsafe_all_tenants.filter(span="hour")) == 1
