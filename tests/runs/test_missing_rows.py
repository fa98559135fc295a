"""Rows that are gone while history or a seal of them is left are differences (R-210)."""

import pytest
from django.db import connection, transaction

from runs.maintenance import histories, seals
from runs.models import HistoryDifference, StepExecution
from runs.store import history_checks
from tests import factories as make
from tests.runs.test_verify_history import JOB, KINDS, NOBODY, after, told, verified

pytestmark = pytest.mark.django_db


def a_looped_one(clock):
    """Rounds of a loop that failed, and goes on with a new life."""
    body = {
        "type": "transform",
        "params": {"set": {"n": "{{ item.n + 1 }}", "x": "{{ 6 / (item.n - input.bad) }}"}},
    }
    loop = {"id": "again", "type": "loop", "params": {"body": body, "count": 3}}
    (run_id,) = make.start(make.graph([loop, "after"], ["again>after"]), {"n": 0, "bad": 2})
    make.work()
    make.resume(run_id)
    make.work()
    return run_id


def a_mapped_one(clock):
    """Items of which one failed and began once more."""
    run_id = make.start(make.graph([make.mapped(JOB)["nodes"][0], "z"], ["each>z"]), {"items": [1, 2]})[0]
    make.work()
    first, second = make.claimed("job")
    make.complete(first)
    make.fail(second)
    make.resume(run_id)
    make.work()
    make.complete(*make.claimed("job"))
    make.work()
    return run_id


@pytest.mark.parametrize("kind", [*KINDS, a_looped_one, a_mapped_one], ids=lambda kind: kind.__name__)
def test_each_step_that_is_missing_is_named_also_while_the_run_is_not_sealed(kind, clock):
    run_id = kind(clock)
    assert told(run_id) == []
    for step in StepExecution.unsafe_all_tenants.filter(run_id=run_id):
        found = after(run_id, ("DELETE FROM runs_stepexecution WHERE id = %s", [step.id]))
        name = step.node if step.index is None else f"{step.node}[{step.index}]"
        assert (name, "row") in found, step.node


def test_a_step_whose_graph_leads_to_it_is_missed_before_anything_happened_to_it():
    run_id = make.start(make.chain("noop", "job"))[0]
    make.work()
    assert told(run_id) == []
    assert ("b", "row") in after(
        run_id, ("DELETE FROM runs_stepexecution WHERE run_id = %s AND node = 'b'", [run_id])
    )


ARCHIVE = ("SET LOCAL handoff.archiving = 'on'", [])
FORGET = ("DELETE FROM runs_run WHERE id = %s", "DELETE FROM runs_historyevent WHERE run_id = %s")


@pytest.mark.parametrize("statements", [FORGET[:1], FORGET], ids=["history is left", "a seal is left"])
def test_a_run_that_is_gone_is_a_difference(statements, clock):
    good, bad = (make.start(make.chain("noop"))[0] for _ in range(2))
    make.work()
    seals.seal()
    clock.advance(3_700)
    acts = [ARCHIVE, *((one, [bad]) for one in statements)]
    assert after(bad, *acts) == [(None, "row")]
    with transaction.atomic(), connection.cursor() as cursor:
        for act in acts:
            cursor.execute(*act)
        for which in (["--all"], ["--tenant", "default"], ["--run", bad], ["--all", "--since", "2099-01-01"]):
            code, out, _ = verified(*which)
            assert (code, out) == (1, f"run {bad} row: expected a run, found no row\n"), which
        assert verified("--run", good)[0] == 0
        assert verified("--run", NOBODY)[0] == 2
        other = make.a_tenant("other")
        assert verified("--tenant", other.slug)[0] == 0
        assert histories.check() == 2
        row = HistoryDifference.unsafe_all_tenants.get()
        assert (str(row.run_id), row.tenant_id, row.workflow_id) == (bad, make.a_tenant().pk, 0)
        assert histories.check() == 0
        transaction.set_rollback(True)


def test_pages_of_runs_that_are_gone_end(monkeypatch):
    runs = sorted(make.start(make.chain("noop"), *[{"n": n} for n in range(5)]))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(*ARCHIVE)
        cursor.execute("DELETE FROM runs_run WHERE id = ANY (%s::uuid[])", [[runs[0], runs[2], runs[4]]])
        after_, found = "00000000-0000-0000-0000-000000000000", []
        for _ in range(3):
            after_, some = history_checks.gone(after_, limit=2)
            found += some
        assert (after_, found) == (None, [runs[0], runs[2], runs[4]])
        transaction.set_rollback(True)
