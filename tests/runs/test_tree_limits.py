"""How many runs a run may start: how deep, how many that are open, how many in all (docs/engine.md, "Child runs")."""

import pytest

from runs.models import Run, TreeCount
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

HOLD = {"id": "hold", "type": "signal", "params": {"name": "go"}}
BODY = {"steps": [{"id": "x", "type": "noop"}, {"id": "y", "type": "noop"}]}


def published(definition):
    """It under its own name, which others give."""
    return make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=definition)


def sub(id="sub", workflow="child", **more):
    return {"id": id, "type": "subworkflow", "params": {"workflow": workflow}, **more}


def begun(nodes, given=None, child=("x",), edges=()):
    """A run of these steps, whose children run steps of their own, and what came of it."""
    published(make.graph(list(child), []) | {"name": "child"})
    version = published(make.graph(list(nodes), list(edges)) | {"name": "parent"})
    run_id = make.start_version(version, given or {})[0]
    make.work()
    return make.run(run_id)


def errors(run, node="each"):
    """Of each item that failed, why its child was not started."""
    found = make.children(str(run.pk), node) or [make.steps(str(run.pk))[node]]
    return [one.error["details"]["reason"] for one in found if one.error]


def counted(run):
    """How many runs were counted below it."""
    rows = TreeCount.unsafe_all_tenants.filter(tree_id=run.pk)
    return sum(row.runs for row in rows)


def children(tree):
    return Run.unsafe_all_tenants.filter(tree_id=tree.pk)


def a_map(body, count, **params):
    params = {"items": "{{ input.items }}", "body": body, **params}
    return {"id": "each", "type": "map", "params": params}, {"items": [*range(count)]}


@pytest.mark.parametrize("limit", [1, 5, 40])
def test_no_more_may_be_open_than_the_limit(settings, limit):
    settings.HANDOFF_TREE_OPEN_RUNS = limit
    nodes = [sub(f"s{number}", on_error="continue") for number in range(limit + 3)]
    run = begun(nodes, child=[HOLD])
    steps = make.steps(str(run.pk)).values()
    assert sum(step.status == "WAITING" for step in steps) == limit
    failed = [step.error for step in steps if step.error]
    assert [error["details"]["reason"] for error in failed] == ["too_many_open"] * 3
    assert "HANDOFF_TREE_OPEN_RUNS" in failed[0]["message"]
    assert counted(run) == children(run).count() == limit


def test_what_has_ended_makes_room(settings):
    settings.HANDOFF_TREE_OPEN_RUNS = 2
    nodes = [sub(f"s{number}") for number in range(6)]
    run = begun(nodes, edges=[f"s{n}>s{n + 1}" for n in range(5)])
    assert run.status == "COMPLETED"
    assert counted(run) == 6


def test_a_map_of_a_workflow_opens_no_more_at_a_time_than_the_limit_leaves(settings):
    settings.HANDOFF_TREE_OPEN_RUNS, settings.HANDOFF_TREE_DEPTH = 8, 4
    node, given = a_map({"workflow": "child"}, 30, max_concurrency=1000)
    run = begun([node], given, child=[HOLD])
    assert children(run).filter(completed_at=None).count() == 4
    for _ in range(30):
        for child in children(run).filter(completed_at=None):
            make.send(str(child.pk), "go")
        make.work()
    assert make.run(str(run.pk)).status == "COMPLETED"


def test_parts_are_not_counted_as_open(settings):
    settings.HANDOFF_TREE_OPEN_RUNS = 2
    node, given = a_map({"steps": [HOLD, {"id": "y", "type": "noop"}]}, 20)
    run = begun([node], given)
    assert children(run).filter(completed_at=None).count() == 20
    assert counted(run) == 20


@pytest.mark.parametrize("kind", ["map of steps", "map of a workflow", "loop"])
def test_no_more_are_started_in_all_than_the_limit(settings, kind):
    settings.HANDOFF_TREE_RUNS = 7
    body = {"workflow": "child"} if kind == "map of a workflow" else BODY
    node, given = a_map(body, 10, tolerate_failures=10)
    if kind == "loop":
        node = {"id": "each", "type": "loop", "params": {"count": 10, "body": body}}
    run = begun([node], given)
    assert counted(run) == children(run).count() == 7
    assert errors(run) == ["too_many"] * (1 if kind == "loop" else 3)
    assert "HANDOFF_TREE_RUNS" in str(make.children(str(run.pk), "each")[-1].error)
    assert run.status == ("FAILED" if kind == "loop" else "COMPLETED")


def test_all_of_the_limit_is_used(settings):
    settings.HANDOFF_TREE_RUNS = 20
    node = {"id": "each", "type": "loop", "params": {"count": 20, "body": BODY}}
    run = begun([node])
    assert run.status == "COMPLETED"
    assert counted(run) == children(run).count() == 20


def test_what_could_not_be_started_is_not_counted(settings):
    settings.HANDOFF_TREE_RUNS = 3
    nodes = [sub(f"s{number}", "nobody", on_error="continue") for number in range(5)]
    nodes += [sub(f"t{number}") for number in range(3)]
    run = begun(nodes, edges=["s4>t0", "t0>t1", "t1>t2"])
    assert counted(run) == children(run).count() == 3
    assert make.statuses(str(run.pk))["t2"] == "COMPLETED"


def test_a_workflow_that_runs_itself_three_times_ends_soon(settings):
    """Fault 8: it made 62,821 runs in twelve seconds."""
    settings.HANDOFF_TREE_OPEN_RUNS, settings.HANDOFF_TREE_RUNS = 50, 400
    version = published(make.graph([sub(one, "itself") for one in "abc"], []) | {"name": "itself"})
    run_id = make.start_version(version, {})[0]
    make.work()
    run = make.run(run_id)
    assert run.status == "FAILED"
    assert run.error["details"]["error"]["reason"] == "too_many_open"
    assert children(run).count() <= 400
    assert not children(run).filter(completed_at=None).exists()


def test_one_that_tolerates_failures_ends_at_the_limit_of_all(settings):
    settings.HANDOFF_TREE_OPEN_RUNS, settings.HANDOFF_TREE_RUNS, settings.HANDOFF_TREE_DEPTH = 20, 60, 100
    nodes = [sub(one, "itself", on_error="continue") for one in "abc"]
    version = published(make.graph(nodes, []) | {"name": "itself"})
    run_id = make.start_version(version, {})[0]
    make.work()
    run = make.run(run_id)
    assert run.status == "COMPLETED"
    assert counted(run) == children(run).count() == 60


def test_runs_that_follow_are_counted_where_the_chain_began(settings):
    """Each round of a loop starts a run that another one follows, which starts the loop again."""
    settings.HANDOFF_TREE_RUNS = 9
    published(make.graph(["x"], []) | {"name": "child", "next_workflow": "again"})
    loop = {"id": "each", "type": "loop", "params": {"count": 3, "body": {"workflow": "child"}}}
    version = published(make.graph([loop], []) | {"name": "again"})
    run_id = make.start_version(version, {})[0]
    make.work()
    assert Run.unsafe_all_tenants.count() == 10
    assert counted(make.run(run_id)) == 9
    assert {one.counted_in for one in Run.unsafe_all_tenants.filter(depth=0).exclude(pk=run_id)} == {
        make.run(run_id).pk
    }
    refused = [
        event.payload
        for one in Run.unsafe_all_tenants.all()
        for event in make.events(str(one.pk), "NEXT_NOT_STARTED")
    ]
    assert {payload["reason"] for payload in refused} <= {"too_many"}


def test_a_chain_ends_also_where_it_goes_through_children(monkeypatch):
    """A workflow runs another one, which it follows: each run was the first of a chain."""
    monkeypatch.setattr("runs.commands.child_runs.CHAINED_RUNS", 3)
    published(make.graph(["x"], []) | {"name": "child", "next_workflow": "again"})
    version = published(make.graph([sub()], []) | {"name": "again"})
    make.start_version(version, {})
    make.work()
    assert Run.unsafe_all_tenants.count() == 2 * 4


def test_what_follows_nothing_is_not_counted():
    published(make.graph(["x"], []) | {"name": "child", "next_workflow": "nobody"})
    run_id = make.start_version(
        published(make.graph(["x"], []) | {"name": "a", "next_workflow": "nobody"}), {}
    )[0]
    make.work()
    assert make.events(run_id, "NEXT_NOT_STARTED")[0].payload["reason"] == "not_found"
    assert counted(make.run(run_id)) == 0


def test_flat_runs_count_nothing():
    make.start(make.chain("noop", "noop", "noop"), {})
    make.start(make.mapped("noop"), {"items": [1, 2, 3]})
    make.work()
    assert not TreeCount.unsafe_all_tenants.exists()


@pytest.mark.parametrize("limit", [1_000_000, 300], ids=["far", "near"])
def test_all_items_are_counted_in_the_same_statements(settings, limit):
    settings.HANDOFF_TREE_RUNS = limit

    def statements(count):
        node, given = a_map(BODY, count, max_concurrency=100)
        make.start_version(make.a_version(make.graph([node], [])), given)
        with watching() as seen:
            make.work("engine")
        return [name for name in seen.named if "count" in name or name == "insert_runs"]

    one, many = statements(2), statements(90)
    assert one.count("insert_runs") == many.count("insert_runs") == 1
    assert many.count("count_runs") <= 2
    if limit > 300:
        assert one == many
