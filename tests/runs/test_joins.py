"""Joins and sinks in batches: every delta is counted from what survived, grouped (docs/engine.md, "Advance")."""

import pytest

from runs.integrity.verify import verify
from tests import factories as make

pytestmark = pytest.mark.django_db


def joined(join, sources="abc", then=()):
    """Sources into the join `z`."""
    return make.graph([*sources, {"id": "z", "join": join}, *then], [f"{name}>z" for name in sources])


def test_two_sinks_of_one_run_may_end_in_one_batch():
    """docs/engine.md, "Advance": decrements row by row would lose one."""
    run_id = make.start(make.graph("abc", ["a>b", "a>c"]))[0]
    make.complete(*make.claimed())

    make.complete(*make.claimed())

    assert (make.run(run_id).status, make.run(run_id).open_sinks) == ("COMPLETED", 0)


def test_sinks_of_dropped_outcomes_are_not_counted():
    """docs/engine.md, "Advance": counts are made by the database, of what survived."""
    run_id = make.start(make.graph("ab", []))[0]
    a, b = make.claimed()
    b.epoch += 1

    make.complete(a, b)

    assert (make.run(run_id).status, make.run(run_id).open_sinks) == ("RUNNING", 1)


def test_arrivals_of_dropped_outcomes_are_not_counted():
    run_id = make.start(joined("any_taken"))[0]
    a, b, _ = make.claimed()
    b.epoch += 1

    make.complete(a, b)

    assert (make.joins(run_id)["z"].arrived, make.joins(run_id)["z"].taken) == (1, ["a"])


def test_a_late_edge_into_an_any_join_may_come_in_the_batch_that_completes_the_step_it_started():
    """docs/engine.md, "Advance": a join has a row of its own, since one statement changes no row twice (21000)."""
    definition = make.graph(["a", "b", {"id": "z", "join": "any"}, "y"], ["a>z", "b>z", "b>y"])
    run_id = make.start(definition)[0]
    a, b = make.claimed()
    make.complete(a)
    z = make.claimed()

    result = make.complete(b, *z)

    assert result.applied == {b.id, z[0].id}
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.joins(run_id)["z"].arrived == 1


def test_the_last_two_edges_of_a_join_in_one_batch_fire_it_once():
    run_id = make.start(joined("any_taken"))[0]

    make.complete(*make.claimed())
    make.work()

    assert make.history(run_id).count("STEP_COMPLETED z") == 1
    assert make.run(run_id).status == "COMPLETED"


def test_an_any_join_starts_at_the_first_edge_and_what_is_open_at_the_end_is_cancelled():
    """ "whatever is still open then is cancelled in the same transaction"."""
    run_id = make.start(joined("any"))[0]
    a, b, _ = make.claimed()
    make.complete(b, output={"b": 1})

    make.complete(*make.claimed())

    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", {"b": {"b": 1}})
    assert make.statuses(run_id) == {"a": "CANCELLED", "b": "COMPLETED", "c": "CANCELLED", "z": "COMPLETED"}
    assert make.complete(a).applied == set()


def test_an_n_of_join_starts_at_the_nth_edge_and_is_given_those_that_decided_it():
    run_id = make.start(joined({"n_of": 2}))[0]
    a, b, c = make.claimed()
    make.complete(c, output="c")
    assert "z" not in make.steps(run_id)
    make.complete(a, output="a")
    make.complete(b, output="b")

    make.work()

    assert make.run(run_id).output == {"a": "a", "c": "c"}


NO_BRANCH = [{"id": "a", "allow_no_match": True}, "b", {"id": "z", "join": "all"}]


def started(definition, rules, *inputs):
    return make.start_version(make.a_version(definition, rules=rules), *inputs or [{}])[0]


@pytest.mark.parametrize("rules", [1, 2])
def test_an_n_of_join_that_can_t_be_reached_is_skipped_when_all_edges_are_decided(rules):
    edges = [{"from": name, "to": "z", "branch": "yes"} for name in "abc"]
    nodes = [*({"id": name, "allow_no_match": True} for name in "abc"), {"id": "z", "join": {"n_of": 2}}]
    run_id = started(make.graph(nodes, edges), rules)
    a, b, c = make.claimed()

    make.complete(a, b, output={"branch": "no"})
    assert make.run(run_id).status == ("COMPLETED" if rules == 1 else "RUNNING")
    make.complete(c, output={"branch": "no"})

    statuses = {"a": "COMPLETED", "b": "COMPLETED", "c": "CANCELLED" if rules == 1 else "COMPLETED"}
    assert make.statuses(run_id) == {**statuses, "z": "SKIPPED"}
    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", None)
    assert list(verify([run_id])) == []


@pytest.mark.parametrize("rules", [1, 2])
def test_an_all_join_with_a_dead_edge_ends_its_run_when_what_has_begun_is_finished(rules):
    run_id = started(make.graph(NO_BRANCH, ["b>z", {"from": "a", "to": "z", "branch": "yes"}]), rules)
    a, b = make.claimed()

    make.complete(a, output={"branch": "no"})
    if rules == 1:
        assert make.statuses(run_id) == {"a": "COMPLETED", "b": "CANCELLED", "z": "SKIPPED"}
        assert make.run(run_id).status == "COMPLETED"
    else:
        assert make.statuses(run_id) == {"a": "COMPLETED", "b": "RUNNING"}
        make.complete(b)
        assert make.statuses(run_id) == {"a": "COMPLETED", "b": "COMPLETED", "z": "SKIPPED"}
        assert (make.run(run_id).status, make.run(run_id).error["code"]) == ("FAILED", "JoinNeverFired")
        assert make.run(run_id).error["details"] == {"node": "z"}
    assert list(verify([run_id])) == []


def payment(**notify):
    """A payment behind a decision of which only one way leads to it, and a notice that it waits for, too."""
    nodes = [
        {"id": "p", "type": "job", "queue": "p"},
        {"id": "notify", **notify},
        {"id": "x", "type": "decision"},
    ]
    nodes += [{"id": "check"}, {"id": "pay", "join": "all"}]
    edges = ["p>notify", "p>x", "check>pay", "notify>pay", {"from": "x", "to": "pay", "default": True}]
    return make.graph(nodes, [*edges, {"from": "x", "to": "check", "when": "input.amount > 1000"}])


@pytest.mark.parametrize("amount", [10, 5000])
@pytest.mark.parametrize(
    "notify", [{"type": "job", "queue": "notify"}, {"type": "signal", "params": {"name": "ok"}}]
)
def test_no_run_completes_without_the_payment_that_it_is_about(notify, amount):
    run_id = started(payment(**notify), 2, {"amount": amount})
    make.complete(*make.claimed("p"))
    make.work("default", "engine")
    assert make.statuses(run_id)["notify"] in ("QUEUED", "WAITING")
    assert "pay" not in make.statuses(run_id)
    if notify["type"] == "job":
        make.complete(*make.claimed("notify"))
    else:
        make.send(run_id, "ok")
    make.work("default", "engine")

    assert make.statuses(run_id)["notify"] == "COMPLETED"
    assert (make.run(run_id).status, make.run(run_id).error["code"]) == ("FAILED", "JoinNeverFired")
    make.resume(run_id)
    make.work("default", "engine")
    assert (make.run(run_id).status, make.run(run_id).error["code"]) == ("FAILED", "JoinNeverFired")
    assert list(verify([run_id])) == []


def test_joins_fire_level_by_level_in_one_transaction():
    """A skipped join is the dead edge of the next one, and so on down."""
    edges = [{"from": "a", "to": "b", "branch": "yes"}, {"from": "a", "to": "c", "branch": "yes"}]
    edges += ["b>d", "c>d", "d>e", "d>f", "e>g", "f>g", {"from": "a", "to": "g", "branch": "no"}]
    run_id = make.start(make.graph("abcdefg", edges))[0]

    make.complete(*make.claimed(), output={"branch": "no"})

    assert make.statuses(run_id) == {"a": "COMPLETED", **dict.fromkeys("bcdef", "SKIPPED"), "g": "QUEUED"}
    make.work()
    assert make.run(run_id).output == {"branch": "no"} or make.run(run_id).output == {"a": {"branch": "no"}}


def test_a_hundred_runs_end_in_one_batch():
    runs = make.start(make.graph("abc", ["a>c", "b>c"]), *[{"n": n} for n in range(100)])
    make.complete(*make.claimed(limit=200))
    make.complete(*make.claimed(limit=200))

    assert {make.run(run_id).status for run_id in runs} == {"COMPLETED"}


def test_a_graph_of_engine_steps_only_completes_within_its_start():
    definition = make.graph(
        [
            {"id": "a", "type": "transform", "params": {"set": {"x": "{{ input.n }}"}}},
            {"id": "b", "type": "decision"},
            {"id": "c", "type": "transform", "params": {"set": {"y": "{{ prev.x + 1 }}"}}},
            {"id": "d", "type": "transform", "params": {"set": {"y": 0}}},
        ],
        ["a>b", {"from": "b", "to": "c", "when": "output.x > 1"}, {"from": "b", "to": "d", "default": True}],
    )
    run_id = make.start(definition, {"n": 2})[0]

    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", {"y": 3})
    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "COMPLETED", "c": "COMPLETED", "d": "SKIPPED"}
