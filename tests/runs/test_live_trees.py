"""Pages of runs hear of what happens in the runs below them."""

from contextlib import ExitStack

import pytest
from django.db import DatabaseError

from engine.statuses import StepStatus
from runs.kernel import live
from runs.kernel.live import Change, Publisher
from runs.models import Run
from tests import factories as make
from tests.runs.test_live import _nobody_watches, a_run, ann, session
from tests.serving import site
from tests.sockets import NOBODY, Watcher

__all__ = ["_nobody_watches", "ann", "session", "site"]

pytestmark = pytest.mark.django_db(transaction=True)


def nested_run(items: int = 1) -> tuple[str, str, str]:
    """A run, the run of its subworkflow, and the run of the first item there, which waits for a job."""
    each = {"steps": [{"id": "do", "type": "job", "queue": "deep"}, {"id": "n", "type": "noop"}]}
    middle = make.mapped(each)
    make.VersionFactory(
        workflow__tenant=make.a_tenant(), workflow__draft_definition=middle, workflow__name="middle"
    )
    run = {
        "id": "call",
        "type": "subworkflow",
        "params": {"workflow": "middle", "input": {"items": [*range(items)]}},
    }
    root = make.start(make.graph([run], []))[0]
    make.work()
    between = Run.unsafe_all_tenants.get(parent_id=root)
    return root, str(between.pk), str(Run.unsafe_all_tenants.filter(parent_id=between.pk).earliest("id").pk)


def test_the_pages_of_all_runs_above_hear_of_what_a_run_below_does(site, session):
    root, between, deep = nested_run()
    flat = a_run("noop")
    with ExitStack() as stack:
        above = [
            stack.enter_context(Watcher(site, f"/ws/runs/{run}", session)).settled()
            for run in (root, between)
        ]
        beside = stack.enter_context(Watcher(site, f"/ws/runs/{flat}", session)).settled()
        for page in (*above, beside):
            page.hear_all(0.6)
        held = make.claimed("deep")
        live.tell_steps(held, StepStatus.RUNNING)
        for page in above:
            # Which of the steps below it was says nothing of its own.
            assert page.hear()["nodes"] == {}
        assert make.run(deep).status == "RUNNING"
        assert beside.hear_all(0.6) == []


def test_many_changes_in_a_tree_are_few_messages_and_few_statements(site, session, monkeypatch):
    root, *_ = nested_run(2)
    tenant, asked = make.a_tenant().pk, []
    watched_above = live.trees.watched_above
    monkeypatch.setattr(live.trees, "watched_above", lambda *runs: asked.append(runs) or watched_above(*runs))
    below = Run.unsafe_all_tenants.filter(tree_id=root).values_list("pk", flat=True)
    with Watcher(site, f"/ws/runs/{root}", session) as page:
        page.settled()
        page.hear_all(0.6)
        for _ in range(1000):
            live.tell([Change(tenant, str(run)) for run in below])
        said = page.hear_all(0.6)
    assert 0 < len(said) <= 20
    assert 0 < len(asked) <= 30


def test_runs_above_are_looked_up_only_while_one_that_begins_runs_is_watched(site, session, monkeypatch):
    asked = []
    monkeypatch.setattr(live.trees, "watched_above", lambda *runs: asked.append(runs) or [])
    flat = a_run("noop")
    with Watcher(site, f"/ws/runs/{flat}", session) as page, Watcher(site, "/ws/runs", session):
        page.settled()
        nested_run()
        make.work()
        assert page.hear(2.0)["changed"]
    assert asked == []


def test_where_runs_above_can_t_be_looked_up_all_that_are_watched_are_told(monkeypatch):
    def fail(*runs):
        raise DatabaseError

    publisher = Publisher()
    publisher._trees = frozenset({(1, NOBODY)})
    assert publisher._above([]) == ()
    monkeypatch.setattr(live.trees, "watched_above", fail)
    assert publisher._above(["a"]) == {(1, NOBODY)}
    monkeypatch.setattr(live, "CLIMBED_RUNS", 0)
    assert publisher._above(["a"]) == {(1, NOBODY)}
