"""A run from its start to its last output, through the real claim and advance."""

import pytest

from lib import log_context
from runs.commands.starts import NewRun, Terms, start_runs
from runs.workers import execute
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_a_chain_of_noop_completes_with_its_input_as_output():
    run_id = make.start(make.chain("noop", "noop", "noop"), {"n": 1})[0]

    assert make.work() == 3

    run = make.run(run_id)
    assert (run.status, run.output, run.open_sinks) == ("COMPLETED", {"n": 1}, 0)
    assert make.statuses(run_id) == dict.fromkeys("abc", "COMPLETED")
    assert make.history(run_id) == [
        "RUN_STARTED",
        "STEP_COMPLETED a",
        "STEP_COMPLETED b",
        "STEP_COMPLETED c",
        "RUN_COMPLETED",
    ]


def test_a_diamond_gives_its_join_the_outputs_of_both_branches():
    diamond = make.graph("abcd", ["a>b", "a>c", "b>d", "c>d"])
    run_id = make.start(diamond, {"n": 1})[0]

    make.work()

    assert make.run(run_id).output == {"b": {"n": 1}, "c": {"n": 1}}
    assert make.run(run_id).status == "COMPLETED"


def test_a_branch_not_taken_is_skipped_transitively_and_the_join_still_runs():
    definition = make.graph(
        ["a", "b", "c", "d", {"id": "e", "type": "noop"}],
        [
            {"from": "a", "to": "b", "branch": "x"},
            {"from": "a", "to": "c", "branch": "y"},
            "c>d",
            "b>e",
            "d>e",
        ],
    )
    run_id = make.start(definition, {"branch": "x"})[0]

    make.work()

    assert make.statuses(run_id) == {
        "a": "COMPLETED",
        "b": "COMPLETED",
        "c": "SKIPPED",
        "d": "SKIPPED",
        "e": "COMPLETED",
    }
    assert make.run(run_id).output == {"b": {"branch": "x"}}


def test_no_branch_matched_fails_the_run_and_leaves_a_dead_letter():
    """H-7: a branch that leads nowhere is a failure, not a run that completes having done nothing."""
    definition = make.graph("ab", [{"from": "a", "to": "b", "branch": "x"}])
    run_id = make.start(definition, {"branch": "z"})[0]

    make.work()

    run = make.run(run_id)
    assert run.status == "FAILED"
    assert run.error["code"] == "NoBranchMatched"
    assert run.error["node"] == "a"
    assert make.history(run_id)[-3:] == ["STEP_FAILED a", "RUN_FAILING", "RUN_FAILED"]


def test_engine_steps_are_done_inside_advance_and_expressions_see_earlier_steps():
    definition = make.graph(
        [
            "a",
            {
                "id": "b",
                "type": "transform",
                "params": {"set": {"twice": "{{ prev.n * 2 }}", "was": "{{ input.n }}"}},
            },
            {
                "id": "c",
                "type": "transform",
                "params": {"set": {"sum": "{{ steps.a.output.n + steps.b.output.twice }}"}},
            },
            "d",
        ],
        ["a>b", "b>c", "c>d"],
    )
    run_id = make.start(definition, {"n": 3})[0]

    make.work()

    assert make.run(run_id).output == {"sum": 9}
    assert make.steps(run_id)["b"].output == {"twice": 6, "was": 3}


def test_a_node_s_priority_is_its_own_and_its_successors_have_the_run_s():
    nodes = [{"id": "a", "priority": 50}, "b", {"id": "c", "priority": 0}]
    version = make.a_version(make.graph(nodes, ["a>b", "b>c"]))
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test", priority=7)
    run_id = start_runs(terms, [NewRun({})])[0].id

    make.work()

    assert {name: step.priority for name, step in make.steps(run_id).items()} == {"a": 50, "b": 7, "c": 0}


def test_a_join_has_the_priority_of_the_run_too():
    version = make.a_version(make.graph([{"id": "a", "priority": 50}, "b", "c"], ["a>c", "b>c"]))
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test", priority=7)
    run_id = start_runs(terms, [NewRun({})])[0].id

    make.work()

    assert make.steps(run_id)["c"].priority == 7


def test_what_is_logged_of_a_step_says_which_one(monkeypatch):
    heard = []

    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(execute, "execute_type", broken)
    monkeypatch.setattr(execute.log, "error", lambda *_, **__: heard.append(dict(log_context.current())))
    (run_id,) = make.start(make.graph([{"id": "a", "type": "noop", "retry": "none"}], []))
    make.work()

    assert heard == [{"run": run_id, "step": "a", "attempt": 1}]
    assert log_context.current() == {}
