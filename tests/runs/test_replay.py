"""Going on with what a run has done: on a newer version, or in a new run from a node (R-009, R-010, R-051, R-075)."""

import pytest

from runs.kernel.refused import RunRefused
from tests import factories as make

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}


def nodes(*names, **extra):
    return [{"id": name, **ONCE, **extra} for name in names]


def by_node(queue="default"):
    return {step.node: step for step in make.claimed(queue)}


def failed_at(definition, name, given=None):
    """A run whose steps all gave their input, up to this one, which failed."""
    run_id = make.start(definition, given or {"n": 1})[0]
    while held := make.claimed():
        make.complete(*(step for step in held if step.node != name))
        make.fail(*(step for step in held if step.node == name))
    assert make.run(run_id).status == "FAILED"
    return run_id


def test_a_run_goes_on_with_a_newer_version_at_the_step_that_failed():
    run_id = failed_at(make.graph(nodes("a", "b", "c"), ["a>b", "b>c"]), "b")
    fixed = [*nodes("a"), {"id": "b", "input": {"fixed": "{{ prev.n }}"}, **ONCE}, *nodes("x", "c")]
    version = make.newer(run_id, make.graph(fixed, ["a>b", "b>x", "x>c"]))

    make.resume_on(run_id, version)
    make.work()

    run = make.run(run_id)
    assert (run.status, run.version_id, run.life, run.output) == ("COMPLETED", version.pk, 2, {"fixed": 1})
    assert make.history(run_id).count("STEP_COMPLETED a") == 1
    assert make.events(run_id, "RUN_REOPENED")[0].payload["version"] == 2
    assert [letter.resolution for letter in make.letters(run_id)] == ["redriven"]


def test_joins_and_sinks_are_counted_anew():
    run_id = failed_at(make.graph(nodes("a", "b", "c"), ["a>c", "b>c"]), "b")
    version = make.newer(run_id, make.graph(nodes("a", "b", "c", "d"), ["a>c", "b>c", "a>d"]))

    make.resume_on(run_id, version)
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"c": {"a": {"n": 1}, "b": {"n": 1}}, "d": {"n": 1}}


def test_branches_that_were_not_taken_stay_so():
    edges = [{"from": "a", "to": "x", "when": "output.n == 1"}, {"from": "a", "to": "y", "default": True}]
    run_id = failed_at(make.graph(nodes("a", "x", "y"), edges), "x")
    version = make.newer(run_id, make.graph(nodes("a", "x", "y", "z"), [*edges, "y>z"]))

    make.resume_on(run_id, version)
    make.work()

    assert make.statuses(run_id) == {"a": "COMPLETED", "x": "COMPLETED", "y": "SKIPPED", "z": "SKIPPED"}
    assert make.run(run_id).status == "COMPLETED"


@pytest.mark.parametrize(
    ("definition", "why"),
    [
        (make.graph(nodes("b", "c"), ["b>c"]), "a has run, but this version has no such step"),
        (make.graph([{"id": "a", "type": "text.clean"}, *nodes("b")], ["a>b"]), "a has run as noop"),
        (make.graph(nodes("new", "a", "b"), ["new>a", "a>b"]), "would not have reached it yet"),
        (
            make.graph(
                nodes("new", "a", "b"),
                [
                    {"from": "b", "to": "a", "when": "false"},
                    {"from": "b", "to": "new", "default": True},
                ],
            ),
            "would not have reached it yet",
        ),
        (
            make.graph(
                [{"id": "t", "type": "transform", "params": {"set": {}}}, *nodes("a", "b")],
                [{"from": "t", "to": "a", "when": "false"}, {"from": "t", "to": "b", "default": True}],
            ),
            "this version would not have reached it",
        ),
    ],
)
def test_a_version_that_does_not_fit_is_refused_with_the_reason_and_nothing_changes(definition, why):
    run_id = failed_at(make.graph(nodes("a", "b"), ["a>b"]), "b")
    before = (make.statuses(run_id), make.history(run_id))
    version = make.newer(run_id, definition)

    with pytest.raises(RunRefused, match=why) as refused:
        make.resume_on(run_id, version)

    assert refused.value.conflict
    assert (make.statuses(run_id), make.history(run_id)) == before
    make.resume(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_what_completed_while_the_run_failed_goes_on_by_the_newer_graph():
    run_id = make.start(make.graph(nodes("a", "b", "c", "d"), ["a>c", "b>d"]), {"n": 1})[0]
    step = by_node()
    make.fail(step["a"])
    make.complete(step["b"], output={"b": 1})
    version = make.newer(run_id, make.graph(nodes("a", "b", "c", "e"), ["a>c", "b>e"]))

    make.resume_on(run_id, version)
    make.work()

    assert make.run(run_id).output == {"c": {"n": 1}, "e": {"b": 1}}


def test_a_signal_that_was_taken_is_not_waited_for_again():
    waits = {"id": "w", "type": "signal", "params": {"name": "go"}}
    run_id = make.start(make.graph([waits, *nodes("b")], ["w>b"]))[0]
    make.send(run_id, "go", {"went": 1})
    make.work("engine")
    make.fail(*make.claimed())
    version = make.newer(run_id, make.graph([waits, *nodes("b", "c")], ["w>b", "b>c"]))

    make.resume_on(run_id, version)
    make.work()

    assert make.run(run_id).output == {"went": 1}


def test_a_rerun_keeps_what_was_done_before_the_node():
    run_id = failed_at(make.graph(nodes("a", "b", "c"), ["a>b", "b>c"]), "c")

    again = make.rerun(run_id, "b")
    assert make.statuses(again) == {"a": "COMPLETED", "b": "QUEUED"}
    make.work()

    run = make.run(again)
    assert (run.status, run.output, str(run.rerun_of), run.life) == ("COMPLETED", {"n": 1}, run_id, 1)
    assert make.run(run_id).status == "FAILED"
    steps = make.steps(again)
    assert steps["a"].kept_from == make.steps(run_id)["a"].id
    assert steps["b"].kept_from is None
    assert steps["a"].attempt == 0


def test_a_rerun_with_another_input_of_the_node():
    run_id = failed_at(make.graph(nodes("a", "b", "c"), ["a>b", "b>c"]), "c")
    again = make.rerun(run_id, "b", {"n": 2})
    make.work()
    assert make.run(again).output == {"n": 2}
    assert make.run(again).input == {"n": 1}


def test_another_input_of_a_node_at_the_start_is_that_of_the_run():
    run_id = failed_at(make.graph(nodes("a", "b"), ["a>b"]), "b")
    again = make.rerun(run_id, "a", {"n": 2})
    make.work()
    assert (make.run(again).input, make.run(again).output) == ({"n": 2}, {"n": 2})


def test_a_rerun_keeps_given_approvals_and_what_runs_beside():
    ask = {
        "id": "ask",
        "type": "human.approval",
        "params": {"title": "Go?", "candidates": {"users": ["author"]}},
    }
    run_id = make.start(make.graph([ask, *nodes("beside", "b", "c")], ["ask>b", "b>c", "beside>c"]))[0]
    make.work("engine")
    make.skip(run_id, "ask", {"outcome": "approved", "branch": "approved"})
    make.complete(*(step for step in make.claimed() if step.node == "beside"), output={"beside": 1})
    make.change(str(make.steps(run_id)["b"].id), status="QUEUED", available_at="2000-01-01T00:00Z", attempt=0)
    make.complete(*make.claimed())
    make.fail(*make.claimed())
    assert make.run(run_id).status == "FAILED"

    again = make.rerun(run_id, "c")

    assert make.statuses(again) == {
        "ask": "COMPLETED",
        "beside": "COMPLETED",
        "b": "COMPLETED",
        "c": "QUEUED",
    }
    make.work()
    assert make.run(again).status == "COMPLETED"


def test_a_rerun_of_a_completed_run_and_on_another_version():
    run_id = make.start(make.graph(nodes("a", "b"), ["a>b"]), {"n": 1})[0]
    make.work()
    version = make.newer(run_id, make.graph(nodes("a", "b", "c"), ["a>b", "b>c"]))

    again = make.rerun(run_id, "b", version=version)
    make.work()

    assert make.run(again).version_id == version.pk
    assert make.statuses(again) == dict.fromkeys("abc", "COMPLETED")


def test_a_rerun_keeps_failures_that_edges_took_up_and_timers_that_fired(clock):
    slow = {
        "id": "slow",
        "boundary_timers": [{"after_seconds": 5, "interrupting": False, "to": "nudge"}],
        **ONCE,
    }
    soft = {"id": "soft", "on_error": "continue", **ONCE}
    definition = make.graph([slow, soft, *nodes("nudge", "end")], ["slow>end", "soft>end"])
    run_id = make.start(definition, {"n": 1})[0]
    step = by_node()
    make.fail(step["soft"])
    clock.advance(6)
    make.tick()
    make.complete(step["slow"], output={"n": 1})
    make.work()
    assert make.run(run_id).status == "COMPLETED"

    again = make.rerun(run_id, "end")

    kept = make.statuses(again)
    assert kept == {"slow": "COMPLETED", "soft": "FAILED", "nudge": "COMPLETED", "end": "QUEUED"}
    make.work()
    assert make.run(again).status == "COMPLETED"
    assert make.run(again).output == make.run(run_id).output


def test_a_rerun_takes_the_business_key_over_as_its_next_generation():
    """H-12: a re-run of the same key is possible, and the key stands for the newest."""
    version = make.a_version(make.graph(nodes("a", "b"), ["a>b"]))
    terms = make.Terms(tenant=version.tenant_id, version=version.pk, by="test")
    run_id = make.start_runs(terms, [make.NewRun({"n": 1}, "k")])[0].id
    make.work()

    again = make.rerun(run_id, "b")

    assert make.start_runs(terms, [make.NewRun({"n": 1}, "k")])[0].id == again
    make.work()
    third = make.rerun(run_id, "b")
    with pytest.raises(RunRefused, match="belongs to an open run"):
        make.rerun(again, "b")
    assert make.run(third).status == "RUNNING"


def test_what_can_not_be_rerun_says_why():
    edges = [{"from": "a", "to": "x", "when": "output.n == 1"}, {"from": "a", "to": "y", "default": True}]
    run_id = make.start(make.graph(nodes("a", "x", "y"), edges), {"n": 1})[0]
    with pytest.raises(RunRefused, match="when it has ended"):
        make.rerun(run_id, "a")
    make.work()
    with pytest.raises(RunRefused, match="no step nowhere") as refused:
        make.rerun(run_id, "nowhere")
    assert refused.value.field == "from_node"
    with pytest.raises(RunRefused, match="does not reach y"):
        make.rerun(run_id, "y")


def test_what_was_undone_is_not_kept():
    paid = {"id": "a", "compensate": {"type": "noop"}, **ONCE}
    run_id = make.start(make.graph([paid, *nodes("b")], ["a>b"]), {"n": 1})[0]
    make.complete(*make.claimed())
    make.fail(*make.claimed())
    make.work()
    assert make.run(run_id).status == "COMPENSATED"

    with pytest.raises(RunRefused, match="What a did was undone"):
        make.rerun(run_id, "b")
    again = make.rerun(run_id, "a")
    make.work()
    assert make.run(again).status == "COMPLETED"


def test_a_failing_rerun_does_not_undo_what_the_first_run_did():
    paid = {"id": "a", "compensate": {"type": "noop"}, **ONCE}
    run_id = make.start(make.graph([paid, *nodes("b")], ["a>b"]), {"n": 1})[0]
    make.work()
    again = make.rerun(run_id, "b")

    make.fail(*make.claimed())

    assert make.run(again).status == "FAILED"
    assert "a:compensate" not in make.statuses(again)


def test_a_signal_goes_to_the_run_that_waits():
    """The rerun is a chain of its own: signals of the first run are not taken again."""
    waits = {"id": "w", "type": "signal", "params": {"name": "go"}}
    run_id = make.start(make.graph([*nodes("a"), waits], ["a>w"]))[0]
    make.work("default", "engine")
    make.send(run_id, "go", {"went": 1}, signal_id="s1")
    again = make.rerun(run_id, "w")
    make.work("engine")
    assert make.statuses(again) == {"a": "COMPLETED", "w": "WAITING"}
    assert make.send(again, "go", {"went": 2}, signal_id="s1")
    assert make.run(again).output == {"went": 2}


def test_a_version_by_which_all_is_done_already_ends_the_run_and_nothing_stands_behind_that():
    run_id = failed_at(make.graph(nodes("a", "b"), ["a>b"]), "b")
    version = make.newer(run_id, make.graph(nodes("a"), []))

    make.resume_on(run_id, version)

    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", {"n": 1})
    assert make.history(run_id)[-2:] == ["EDGES_RESOLVED a", "RUN_COMPLETED"]


def test_a_step_that_the_newer_version_comes_to_later_begins_as_another():
    run_id = failed_at(make.graph(nodes("x"), []), "x")
    make.resume_on(run_id, make.newer(run_id, make.graph(nodes("n", "x"), ["n>x"])))
    make.complete(*make.claimed())
    assert make.steps(run_id)["x"].epoch == 0
    make.work()
    assert make.run(run_id).status == "COMPLETED"
