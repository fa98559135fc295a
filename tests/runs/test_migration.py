"""Open runs go on with another version (R-010): what was done stays, what is in hand goes on, the rest follows it."""

import pytest

from runs.commands import migration
from runs.integrity.verify import verify
from runs.kernel.refused import RunRefused
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import decide, member

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}
SIGNAL = {"id": "b", "type": "signal", "params": {"name": "paid"}}


def nodes(*names):
    return [name if isinstance(name, dict) else {"id": name, **ONCE} for name in names]


def waiting(*names, edges=("a>b", "b>c")):
    """A run that waits for the signal `paid` at `b`, and works on nothing."""
    run_id = make.start(make.graph(nodes(*(names or ("a", SIGNAL, "c"))), [*edges]), {"n": 1})[0]
    make.work()
    assert make.statuses(run_id)["b"] == "WAITING"
    return run_id


def newer(run_id, names, edges):
    return make.newer(run_id, make.graph(nodes(*names), edges))


def test_a_run_that_waits_goes_on_with_the_other_version_when_its_signal_comes():
    run_id = waiting()
    version = newer(run_id, ["a", SIGNAL, "x", "c"], ["a>b", "b>x", "x>c"])

    make.migrate(run_id, version)
    assert make.send(run_id, "paid", {"sum": 5})
    make.work()

    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", {"sum": 5})
    assert make.statuses(run_id) == dict.fromkeys("abxc", "COMPLETED")
    assert {step.version_id for step in make.steps(run_id).values()} == {version.pk}
    assert make.history(run_id).count("STEP_COMPLETED a") == 1
    (event,) = make.events(run_id, "RUN_MIGRATED")
    assert event.payload == {"by": "test", "reason": "because", "from": 1, "version": 2}
    assert list(verify([run_id])) == []


def test_what_history_says_is_what_the_rows_are_right_behind_the_move():
    run_id = waiting("a", SIGNAL, "c", "d", edges=("a>b", "b>c", "a>d", "c>e", "d>e")[:3])
    version = newer(run_id, ["a", SIGNAL, "c", "d", "e"], ["a>b", "b>c", "a>d", "c>e", "d>e"])

    make.migrate(run_id, version)

    assert list(verify([run_id])) == []
    assert {name: join.arrived for name, join in make.joins(run_id).items()} == {"e": 1}
    assert make.run(run_id).open_sinks == 1


def test_a_step_that_the_version_has_beside_what_is_in_hand_is_done_now():
    run_id = waiting()
    version = newer(run_id, ["a", SIGNAL, "c", "n"], ["a>b", "b>c", "a>n"])
    assert migration.check_run(make.a_tenant().pk, run_id, version.pk).begins == ["n"]

    make.migrate(run_id, version)
    make.work()
    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "WAITING", "n": "COMPLETED"}
    make.send(run_id, "paid")
    make.work()

    assert make.run(run_id).status == "COMPLETED"


def test_branches_that_were_not_taken_are_decided_anew_and_skipped_again():
    edges = [{"from": "a", "to": "b", "when": "output.n == 1"}, {"from": "a", "to": "y", "default": True}]
    run_id = waiting("a", SIGNAL, "y", edges=edges)
    version = newer(run_id, ["a", SIGNAL, "y", "z"], [*edges, "y>z"])

    make.migrate(run_id, version)
    make.send(run_id, "paid")
    make.work()

    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "COMPLETED", "y": "SKIPPED", "z": "SKIPPED"}
    assert list(verify([run_id])) == []


def test_a_paused_run_moves_and_what_begins_is_held_until_it_goes_on():
    run_id = make.start(make.graph(nodes("a", "b"), ["a>b"]), {})[0]
    make.complete(*make.claimed(), output={})
    make.pause(run_id)
    make.migrate(run_id, newer(run_id, ["a", "b", "n"], ["a>b", "a>n"]))

    assert make.claimed() == []
    make.unpause(run_id)
    make.work()

    assert (make.run(run_id).status, len(make.steps(run_id))) == ("COMPLETED", 3)
    assert list(verify([run_id])) == []


def test_a_step_that_waits_for_a_worker_goes_to_the_queue_of_the_version():
    job = {"id": "b", "type": "job", "queue": "old"}
    run_id = make.start(make.graph([{"id": "a", **ONCE}, job], ["a>b"]), {})[0]
    make.work()
    make.migrate(
        run_id, make.newer(run_id, make.graph([{"id": "a", **ONCE}, job | {"queue": "new"}], ["a>b"]))
    )

    assert make.claimed("old") == []
    (step,) = make.claimed("new")
    make.complete(step, output={"done": 1})

    assert make.run(run_id).output == {"done": 1}


def test_who_lost_a_step_before_the_move_can_not_complete_it_by_the_former_version(clock):
    job = {"id": "b", "type": "job", "queue": "outside"}
    run_id = make.start(make.graph([job, {"id": "old", **ONCE}], ["b>old"]), {})[0]
    (held,) = make.claimed("outside")
    make.change(held, lease_expires_at="2020-01-01T00:00:00Z")
    make.leases_lost()
    assert make.statuses(run_id) == {"b": "QUEUED"}
    make.migrate(run_id, make.newer(run_id, make.graph([job, {"id": "new", **ONCE}], ["b>new"])))

    assert make.complete(held, output={}).applied == set()
    clock.advance(3600)
    make.complete(*make.claimed("outside"), output={})
    make.work()

    assert make.statuses(run_id) == {"b": "COMPLETED", "new": "COMPLETED"}


@pytest.mark.parametrize(
    ("names", "edges", "code", "node"),
    [
        (["a", "c"], ["a>c"], "step_gone", "b"),
        (["a", "n", SIGNAL], ["a>n", "n>b"], "not_reached", "b"),
        (["a", {**SIGNAL, "params": {"name": "x"}}], ["a>b"], "wait_changed", "b"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_step_and_nothing_is_changed(names, edges, code, node):
    run_id = waiting()
    version, before = newer(run_id, names, edges), make.history(run_id)

    checked = migration.check_run(make.a_tenant().pk, run_id, version.pk)
    with pytest.raises(RunRefused) as refusal:
        make.migrate(run_id, version)

    assert [(one.code, one.node) for one in checked.problems] == [(code, node)]
    assert (refusal.value.code, refusal.value.details["node"]) == ("does_not_fit", node)
    assert (make.history(run_id), make.run(run_id).version.number) == (before, 1)


def test_a_run_that_a_worker_is_at_stays_where_it_is():
    run_id = make.start(make.graph(nodes("a", "b"), ["a>b"]), {})[0]
    version = newer(run_id, ["a", "b", "c"], ["a>b", "b>c"])
    (held,) = make.claimed()

    with pytest.raises(RunRefused, match="is being worked on"):
        make.migrate(run_id, version)

    make.complete(held, output={})
    make.migrate(run_id, version)
    make.work()
    assert make.statuses(run_id) == dict.fromkeys("abc", "COMPLETED")


def test_only_open_runs_move_and_only_to_another_version_of_their_workflow():
    run_id = waiting()
    version, other = make.run(run_id).version, make.a_version(make.graph(nodes("a"), []))
    for target, code in ((version, "same_version"), (other, "unknown_version")):
        with pytest.raises(RunRefused) as refusal:
            make.migrate(run_id, target)
        assert refusal.value.code == code
    make.cancel(run_id)

    with pytest.raises(RunRefused) as refusal:
        make.migrate(run_id, newer(run_id, ["a"], []))
    assert refusal.value.code == "not_open"


def test_a_run_moves_twice():
    run_id = waiting()
    make.migrate(run_id, newer(run_id, ["a", SIGNAL, "x"], ["a>b", "b>x"]))
    make.migrate(run_id, newer(run_id, ["a", SIGNAL, "y"], ["a>b", "b>y"]))
    make.send(run_id, "paid")
    make.work()

    assert (make.run(run_id).status, [*make.steps(run_id)]) == ("COMPLETED", ["a", "b", "y"])
    assert list(verify([run_id])) == []


def test_a_container_goes_on_with_its_children_as_long_as_they_do_the_same():
    body = {"type": "noop"}
    mapped = make.mapped(body, [1, 2, 3], max_concurrency=2)
    (node,) = [node for node in mapped["nodes"] if node["type"] == "map"]
    run_id = make.start(mapped, {})[0]
    make.work("engine")
    (first, second) = make.claimed()
    more = {**mapped, "nodes": [*mapped["nodes"], {"id": "more", "type": "noop", **ONCE}]}
    more["edges"] = [*(mapped.get("edges") or []), {"from": node["id"], "to": "more"}]
    version = make.newer(run_id, more)
    with pytest.raises(RunRefused, match="is being worked on"):
        make.migrate(run_id, version)
    make.complete(first, output=1)
    make.complete(second, output=2)

    make.migrate(run_id, version)
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.statuses(run_id)["more"] == "COMPLETED"
    assert list(verify([run_id])) == []


def test_who_is_asked_already_decides_and_the_run_goes_on_by_the_other_version():
    asks = {"id": "b", "type": "human.approval", "params": {"title": "Go on?"}}
    edges = [{"from": "b", "to": "c", "branch": "approved"}, {"from": "b", "to": "d", "branch": "rejected"}]
    run_id = make.start(make.graph([asks, *nodes("c", "d")], edges), {})[0]
    make.work("engine")
    reworded = asks | {"params": {"title": "Shall it go on?"}}
    make.migrate(run_id, make.newer(run_id, make.graph([reworded, *nodes("c", "d", "e")], [*edges, "c>e"])))

    (task,) = ManualTask.unsafe_all_tenants.filter(run_id=run_id)
    decide(member("ann", "admin"), task)
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.statuses(run_id) == {
        "b": "COMPLETED",
        "c": "COMPLETED",
        "d": "SKIPPED",
        "e": "COMPLETED",
    }
    assert list(verify([run_id])) == []
