"""What a run waits for is told from the ends of its tree: where that is, for whom, and how many items wait so."""

import pytest

from runs.models import StepExecution
from runs.reading import presentation
from tests import factories as make
from tests.inbox.asking import approval
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

JOB = {"id": "charge", "type": "job", "queue": "card"}
POLLED = "a worker of yours that polls the queue card: none has asked for jobs in the last 2 minutes"


def shown(run_id, **how):
    return presentation.found_run(make.a_tenant().pk, run_id, **how)


def started(definition, given=None):
    run_id = make.start(definition, given if given is not None else {})[0]
    make.work()
    return run_id


def around(definition, node="sub", folder=None):
    """A definition that runs this one, published under its own name."""
    workflow = make.a_version(definition).workflow
    if folder is not None:
        workflow.folder = folder
        workflow.save()
    return make.graph(
        [{"id": node, "type": "subworkflow", "params": {"workflow": workflow.name, "input": {"amount": 40}}}],
        [],
    )


def test_a_run_waits_for_whom_its_child_waits_for():
    run_id = started(around(approval(candidates={"groups": ["Claims"]})))
    (child,) = make.children_of(run_id)
    row = shown(run_id)
    task = row["waits"][0]["waiting_for"]
    assert task.startswith("the group Claims to decide")
    assert row["waiting_for"].endswith(f": {task}")
    assert row["waits"] == [
        {
            "run": str(child.pk),
            "node": "ask",
            "index": None,
            "place": [{"node": "sub", "index": None}, {"node": "ask", "index": None}],
            "title": "Ask for an approval (ask)",
            "waiting_for": task,
            "count": 1,
        }
    ]


def test_items_that_wait_for_the_same_are_counted():
    body = {"steps": [JOB, {"id": "n", "type": "noop"}]}
    run_id = started(make.mapped(body), {"items": [1, 2, 3]})
    make.complete(*make.claimed("card", limit=1), output={})
    make.work()
    row = shown(run_id)
    assert (
        row["waiting_for"]
        == f"For each item (each) waits for its 3 items: 2 wait at External job (charge) for {POLLED}"
    )
    (wait,) = row["waits"]
    assert (wait["count"], wait["node"], [one["node"] for one in wait["place"]]) == (
        2,
        "charge",
        ["each", "charge"],
    )


def test_items_of_one_step_are_counted_however_many_there_are():
    run_id = started(
        make.mapped({k: JOB[k] for k in ("type", "queue")}, max_concurrency=40), {"items": [*range(50)]}
    )
    (wait,) = shown(run_id)["waits"]
    open_items = StepExecution.unsafe_all_tenants.filter(
        run_id=run_id, index__isnull=False, completed_at=None
    )
    assert wait["count"] == open_items.count() > 3
    assert wait["run"] == run_id


def test_a_round_is_told_by_its_number():
    loop = {
        "id": "again",
        "type": "loop",
        "params": {"body": {"steps": [JOB, {"id": "n", "type": "noop"}]}, "count": 3},
    }
    run_id = started(make.graph([loop], []))
    assert shown(run_id)["waiting_for"] == (
        f"Repeat (again) waits for its rounds: item 0: External job (charge) waits for {POLLED}"
    )
    make.complete(*make.claimed("card"), output={})
    make.work()
    assert "item 1: External job (charge) waits" in shown(run_id)["waiting_for"]


def test_of_a_workflow_in_a_folder_that_may_not_be_read_the_place_and_the_people_are_told():
    child = approval(candidates={"users": ["carl"]})
    child["nodes"][0] |= {"title": "Secret merger"}
    run_id = started(around(child, folder=make.FolderFactory()))
    row = shown(run_id)
    assert "Secret" not in str(row)
    (wait,) = row["waits"]
    assert (wait["title"], wait["waiting_for"], wait["node"]) == (None, "carl", "ask")


def test_one_statement_reads_what_is_below_however_many_runs_and_children_there_are():
    def cost(items):
        body = {"steps": [JOB, {"id": "n", "type": "noop"}]}
        runs = [started(make.mapped(body), {"items": [*range(items)]}) for _ in range(items)]
        presentation.run_rows(make.a_tenant().pk, runs)
        with watching() as seen:
            rows = presentation.run_rows(make.a_tenant().pk, runs)
        assert [row["waits"][0]["count"] for row in rows] == [items] * items
        return seen.named

    assert cost(1) == cost(5) == ["show_runs", "open_steps_below"]


def test_a_run_that_waits_for_no_other_costs_no_statement_more():
    run_id = started(make.graph([JOB], []))
    with watching() as seen:
        (row,) = presentation.run_rows(make.a_tenant().pk, [run_id])
    assert seen.named == ["show_runs"]
    assert [(one["run"], one["node"], one["waiting_for"]) for one in row["waits"]] == [
        (run_id, "charge", POLLED)
    ]
