"""Damage that nothing of ours does, staged by hand: each makes a run that nothing would move any more.

Each gives the run, what the stuck check calls it, and what is to be done by the world for the run to end.
"""

import json
from hashlib import sha256

from django.db import connection, transaction

from runs.commands.lifecycle import cancel_runs
from runs.models import Run
from tests import factories as make

JOB = {"type": "job", "queue": "job"}
UNDO = {"compensate": {"type": "job", "queue": "undo", "retry": "none"}}
SIGNAL = {"id": "a", "type": "signal", "params": {"name": "go", "timeout_seconds": 60}}
ASKED = {"id": "a", "type": "human.approval", "params": {"title": "May we?"}}


def sql(text, *params):
    with connection.cursor() as cursor:
        cursor.execute(text, params)


def steps(change, run_id, node=None):
    sql(
        f"UPDATE runs_stepexecution SET {change} WHERE run_id = %s AND node = coalesce(%s, node)",
        run_id,
        node,
    )


def held_for_ever(clock):
    run_id = make.start(make.chain("noop", "noop"))[0]
    steps("held = true", run_id)
    return run_id, "held", make.work


def a_step_that_is_gone(clock):
    run_id = make.start(make.chain("noop", "noop", "noop"))[0]
    make.complete(*make.claimed())
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND node = 'b'", run_id)
    return run_id, "nothing open", make.work


def a_first_step_that_is_gone(clock):
    run_id = make.start(make.chain("noop", "noop"), {"n": 1})[0]
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s", run_id)
    return run_id, "nothing open", make.work


def a_retried_step_that_is_gone(clock):
    run_id = make.start(make.chain("noop", "noop"), {"n": 1})[0]
    make.fail(*make.claimed(), retryable=True)
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s", run_id)
    return run_id, "nothing open", make.work


def dead_edges_without_a_row(clock):
    nodes = ["a", {"id": "d", "type": "decision"}, "b", "c", "e"]
    edges = [
        "a>d",
        {"from": "d", "to": "b", "when": "false"},
        {"from": "d", "to": "c", "default": True},
        "b>e",
    ]
    run_id = make.start(make.graph(nodes, edges))[0]
    make.complete(*make.claimed())
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND node IN ('b', 'c', 'e')", run_id)
    return run_id, "nothing open", make.work


def sinks_that_were_miscounted(clock):
    run_id = make.start(make.graph(["a", "b"], []))[0]
    sql("UPDATE runs_run SET open_sinks = 3 WHERE id = %s", run_id)
    make.work()
    return run_id, "nothing open", None


DIAMOND = make.graph([{"id": "a", **JOB}, {"id": "b", **JOB}, "c"], ["a>c", "b>c"])


def a_join_that_forgot_an_edge(clock):
    run_id = make.start(DIAMOND)[0]
    a, b = make.claimed("job")
    make.complete(a)
    sql("UPDATE runs_stepjoin SET arrived = 0, taken = '{}' WHERE run_id = %s", run_id)
    make.complete(b)
    return run_id, "nothing open", make.work


def a_join_that_did_not_fire(clock):
    run_id = make.start(
        make.graph([{"id": "a", **JOB}, {"id": "b", **JOB}, "c", {"id": "o", **JOB}], ["a>c", "b>c"])
    )[0]
    make.complete(*[held for held in make.claimed("job") if held.node != "o"])
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND node = 'c'", run_id)
    sql("UPDATE runs_stepjoin SET fired = false WHERE run_id = %s", run_id)

    def go_on():
        make.work()
        steps("lease_expires_at = lease_expires_at - interval '1 hour'", run_id, "o")
        make.leases_lost()
        make.complete(*make.claimed("job"))

    return run_id, "join not fired", go_on


def a_join_with_nothing_before_it(clock):
    run_id = make.start(
        make.graph([{"id": "a", **JOB}, {"id": "b", **JOB}, "c", {"id": "o", **JOB}], ["a>c", "b>c"])
    )[0]
    a, _, o = make.claimed("job")
    make.complete(a)
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND node = 'b'", run_id)

    def go_on():
        make.complete(*make.claimed("job"))
        make.complete(o)
        make.work()

    return run_id, "join without a step before it", go_on


def failing_for_ever(clock):
    run_id = make.start(make.chain("noop", "noop"))[0]
    make.fail(*make.claimed())
    sql("UPDATE runs_run SET status = 'FAILING', completed_at = NULL WHERE id = %s", run_id)
    _without_history(run_id, "RUN_FAILED")
    return run_id, "nothing to await", None


def cancelling_for_ever(clock):
    run_id = make.start(make.chain("noop", "noop"))[0]
    cancel_runs(make.a_tenant().pk, [run_id], by="test")
    sql("UPDATE runs_run SET status = 'CANCELLING', completed_at = NULL WHERE id = %s", run_id)
    _without_history(run_id, "RUN_CANCELLED")
    return run_id, "nothing to await", None


def an_undoing_run():
    nodes = [{"id": "a", **JOB, **UNDO}, {"id": "b", **JOB, "retry": "none"}]
    run_id = make.start(make.graph(nodes, ["a>b"]))[0]
    make.complete(*make.claimed("job"))
    make.fail(*make.claimed("job"))
    return run_id


def undone_for_ever(clock):
    run_id = an_undoing_run()
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND node = 'a:compensate'", run_id)
    return run_id, "nothing being undone", lambda: make.complete(*make.claimed("undo"))


def failed_to_undo_and_nobody_was_told(clock):
    run_id = an_undoing_run()
    make.fail(*make.claimed("undo"))
    sql("UPDATE runs_run SET status = 'COMPENSATING' WHERE id = %s", run_id)
    _without_history(run_id, "RUN_WAITING_FOR_MANUAL_ACTION")
    return run_id, "nothing being undone", None


def a_person_is_waited_for_and_nothing_failed(clock):
    run_id = an_undoing_run()
    sql("UPDATE runs_run SET status = 'WAITING_FOR_MANUAL_ACTION' WHERE id = %s", run_id)
    make.claimed("undo")
    steps("status = 'COMPLETED', output = '{}'", run_id, "a:compensate")
    _event(run_id, "RUN_WAITING_FOR_MANUAL_ACTION")
    _event(run_id, "STEP_COMPLETED", "a:compensate", 1, _completed())
    return run_id, "nothing for a person", None


def a_wait_without_its_timer(clock):
    run_id = make.start(make.graph([{"id": "a", "type": "wait", "params": {"seconds": 30}}, "b"], ["a>b"]))[0]
    make.work()
    sql("DELETE FROM runs_timer WHERE run_id = %s", run_id)
    return run_id, "waiting for nothing", lambda: (clock.advance(31), make.tick(), make.work())


def a_signal_without_its_timeout(clock):
    run_id = make.start(
        make.graph([SIGNAL | {"params": SIGNAL["params"] | {"on_timeout": "continue"}}, "b"], ["a>b"])
    )[0]
    make.work()
    sql("DELETE FROM runs_timer WHERE run_id = %s", run_id)
    return run_id, "waiting for nothing", lambda: (clock.advance(61), make.tick(), make.work())


def a_signal_that_is_there_already(clock):
    run_id = make.start(make.graph([SIGNAL, "b"], ["a>b"]))[0]
    make.send(run_id, "other", {"x": 1})
    make.work()
    sql("UPDATE runs_signal SET name = 'go' WHERE run_id = %s", run_id)
    return run_id, "waiting for nothing", make.work


def a_wait_that_says_nothing(clock):
    run_id = make.start(make.graph([SIGNAL, "b"], ["a>b"]))[0]
    make.work()
    steps("waiting = NULL", run_id, "a")
    return run_id, "waiting for nothing", lambda: (make.work(), make.send(run_id, "go", 1), make.work())


def a_person_without_a_task(clock):
    run_id = make.start(make.graph([ASKED, "b"], ["a>b"]))[0]
    make.work()
    sql("DELETE FROM tasks_inbox_manualtask WHERE run_id = %s", run_id)
    return run_id, "what it waits for is gone", None


MAPPED = make.mapped("job", [1, 2, 3], max_concurrency=2)


def a_map(clock):
    run_id = make.start(MAPPED)[0]
    make.work()
    first, _ = make.claimed("each")
    make.complete(first)
    return run_id


def _all_items():
    while items := make.claimed("each"):
        make.complete(*items)
    make.work()


def items_that_are_gone(clock):
    run_id = a_map(clock)
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND index > 0", run_id)
    return run_id, "what it waits for is gone", _all_items


def a_map_that_miscounted(clock):
    run_id = a_map(clock)
    sql("UPDATE runs_container SET ended = 0, opened = 3, next = 3 WHERE run_id = %s", run_id)
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND index > 0", run_id)
    return run_id, "what it waits for is gone", _all_items


def a_map_that_knows_nothing(clock):
    run_id = a_map(clock)
    sql("DELETE FROM runs_container WHERE run_id = %s", run_id)
    sql("DELETE FROM runs_stepexecution WHERE run_id = %s AND index > 0", run_id)
    return run_id, "what it waits for is gone", None


def a_map_that_says_nothing(clock):
    run_id = a_map(clock)
    steps("waiting = NULL", run_id, "each")
    return run_id, "waiting for nothing", lambda: (make.work(), _all_items())


def a_run_that_waits_for_another():
    """It, and the one that it waits for."""
    child = make.a_version(make.chain("noop")).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child}}
    run_id = make.start(make.graph([sub], []), {"n": 1})[0]
    make.work("engine")
    return run_id, str(Run.unsafe_all_tenants.get(parent_id=run_id).pk)


def the_end_of_a_child_that_nobody_told(clock):
    run_id, _ = a_run_that_waits_for_another()
    make.complete(*make.claimed())
    sql("DELETE FROM runs_runmessage WHERE run_id = %s", run_id)
    return run_id, "what it waits for is gone", None


def a_map_of_runs(items=1, at_once=10):
    child = make.a_version(make.chain("noop")).workflow.name
    params = {"items": [*range(items)], "max_concurrency": at_once, "body": {"workflow": child}}
    each = {"id": "each", "type": "map", "params": params}
    run_id = make.start(make.graph([each], []))[0]
    make.work("engine")
    return run_id


def the_end_of_an_item_that_nobody_told(clock):
    run_id = a_map_of_runs()
    make.complete(*make.claimed())
    sql("DELETE FROM runs_runmessage WHERE run_id = %s", run_id)
    return run_id, "what it waits for is gone", None


def an_item_that_says_nothing(clock):
    run_id = a_map_of_runs()
    sql("UPDATE runs_stepexecution SET waiting = NULL WHERE run_id = %s AND index = 0", run_id)
    return run_id, "waiting for nothing", make.work


def a_child_that_is_gone(clock):
    run_id, child = a_run_that_waits_for_another()
    sql("SET LOCAL handoff.archiving = 'on'")
    for table in ("historyevent", "stepexecution"):
        sql(f"DELETE FROM runs_{table} WHERE run_id = %s", child)
    sql("DELETE FROM runs_run WHERE id = %s", child)
    return run_id, "what it waits for is gone", None


def a_timer_of_a_step_that_is_over(clock):
    run_id = make.start(make.graph([SIGNAL, {"id": "b", **JOB}], ["a>b"]))[0]
    make.work()
    make.send(run_id, "go", 1)
    sql("UPDATE runs_timer SET status = 'PENDING' WHERE run_id = %s", run_id)
    return run_id, "timer of nothing", lambda: make.complete(*make.claimed("job"))


def _event(run_id, kind, node=None, attempt=None, payload="{}"):
    sql(
        "INSERT INTO runs_historyevent"
        " (tenant_id, run_id, shard, ordinal, type, node, attempt, xid, payload, created_at)"
        " SELECT tenant_id, id, shard, 0, %s, %s, %s, 1, %s::jsonb, now() FROM runs_run WHERE id = %s",
        kind, node, attempt, payload, run_id,
    )  # fmt: skip


def _completed():
    return json.dumps({"epoch": 1, "digest": sha256(b"{}").hexdigest()})


def _without_history(run_id, kind):
    with transaction.atomic():
        sql("SET LOCAL handoff.archiving = 'on'")
        sql("DELETE FROM runs_historyevent WHERE run_id = %s AND type = %s", run_id, kind)
