"""Deadlines that stand still while a run waits, after any verbs and in any tree: as plain addition has them (R-216)."""

from itertools import pairwise
from random import Random

import pytest

from runs.maintenance import sla
from runs.reading.presentation import run_row
from tests import factories as make
from tests.runs.waited_time import WAITING, Ledger, Player, tree_of

pytestmark = pytest.mark.django_db

JOB = {"type": "job", "queue": "jobs"}
RETRY = {"max_retries": 2, "base_seconds": 5}


def signal(name):
    return {"id": name, "type": "signal", "params": {"name": name}}


def job(name, **more):
    return {"id": name, **JOB, "retry": RETRY, **more}


def line(name="", **more):
    """What waits and what is done, in turn."""
    return [signal(f"s{name}1"), job(f"j{name}1", **more), signal(f"s{name}2"), job(f"j{name}2")]


def joined(*lines, **settings):
    """Lines beside one another."""
    edges = [f"{a['id']}>{b['id']}" for nodes in lines for a, b in pairwise(nodes)]
    return make.graph([node for nodes in lines for node in nodes], edges, **settings)


def container(kind, node, nodes):
    """A step that begins runs with these steps."""
    if kind == "subworkflow":
        child = make.a_version(joined(nodes)).workflow.name
        return {"id": node, "type": kind, "params": {"workflow": child}}
    params = {"map": {"items": [1, 2]}, "loop": {"count": 2}}[kind]
    return {"id": node, "type": kind, "params": {**params, "body": {"steps": nodes}}}


def beside():
    return joined(line("a"), [job("j0"), *line("b")], **WAITING)


def below(kind):
    return lambda: joined([container(kind, "c", line())], [signal("s"), job("j")], **WAITING)


def child_of_a_child():
    inner = container("subworkflow", "inner", line("x"))
    return joined([container("subworkflow", "outer", [signal("s0"), inner])], [job("j")], **WAITING)


def map_in_a_child():
    inner = container("map", "each", [signal("s1"), job("j1")])
    return joined([container("subworkflow", "outer", [job("j0"), inner])], **WAITING)


def plain_items(body):
    """Items that are steps of the run itself, beside a step."""
    each = {"id": "each", "type": "map", "params": {"items": [1, 2, 3], "body": {**body, "retry": "none"}}}
    return joined([each, job("j9")], [signal("s"), job("j")], **WAITING)


def job_once(name, **more):
    """A job that fails for good when it fails."""
    return {"id": name, **JOB, "retry": "none", **more}


UNDO = {**JOB, "retry": "none"}


def undone(undo):
    """What is undone by a step that waits, beside another one that may fail, too."""
    first = job("j1", compensate=undo)
    return joined(
        [first, job_once("j3"), signal("s1")], [job("j2", compensate=UNDO), signal("s2")], **WAITING
    )


def undone_below():
    undo = {"type": "human.approval", "params": {"title": "Was it undone?"}}
    nodes = [job("j1", compensate=undo), job("j2", compensate=UNDO), signal("s1")]
    return joined([container("subworkflow", "c", nodes)], [job("j4"), job_once("j3")], **WAITING)


SHAPES = {
    "beside": beside,
    "map": below("map"),
    "loop": below("loop"),
    "subworkflow": below("subworkflow"),
    "child of a child": child_of_a_child,
    "map in a child": map_in_a_child,
    "items that are jobs": lambda: plain_items(JOB),
    "items that wait": lambda: plain_items({"type": "signal", "params": {"name": "go"}}),
    "undone by a signal": lambda: undone({"type": "signal", "params": {"name": "undone"}}),
    "undone by a person": lambda: undone({"type": "human.approval", "params": {"title": "Undone?"}}),
    "undone below": undone_below,
}


SEEDS = 5
VERBS = {"time", "look", "end", "fail", "pause", "migrate"}
"""What is done to some run of each shape."""


@pytest.mark.parametrize("shape", SHAPES)
def test_the_time_waited_is_exact_after_any_verbs(clock, shape):
    done = set()
    for seed in range(SEEDS):
        definition = SHAPES[shape]()
        run_id = make.start(definition)[0]
        make.work("engine")
        player = Player(Ledger(clock, run_id), Random(f"{shape} {seed}"), definition)
        player.play(45)
        done |= player.done
    assert done >= VERBS
    if "undone" in shape:
        assert "COMPENSATING" in done
    else:
        assert done & {"retry", "resume", "resume_on"}


def given(run_id):
    """How much later than at first the run is due."""
    row = run_row(make.a_tenant().pk, run_id)
    return (row["sla_deadline"] - row["created_at"]).total_seconds() - 100


def test_what_a_child_waits_by_itself_while_its_parent_has_ended_counts(clock):
    child = joined([job_once("j"), signal("s")])
    name = make.a_version(child).workflow.name
    parent = {"id": "c", "type": "subworkflow", "params": {"workflow": name}, "retry": "none"}
    run_id = make.start(make.graph([parent], [], **WAITING))[0]
    make.work("engine")
    make.fail(*make.claimed("jobs"))
    make.work("engine")
    below = str(tree_of(run_id)[1].pk)
    assert make.run(run_id).status == "FAILED"
    make.resume(below)
    make.complete(*make.claimed("jobs"), output={})
    make.work("engine")
    clock.advance(30)
    assert run_row(make.a_tenant().pk, run_id)["sla_paused_at"] is None
    make.resume(run_id)
    make.work("engine")
    assert make.run(run_id).status == "RUNNING"
    clock.advance(50)
    make.send(below, "s")
    make.work("engine")
    assert (given(run_id), make.run(run_id).status) == (50, "COMPLETED")


@pytest.mark.parametrize("is_below", [False, True])
def test_a_compensation_that_a_person_has_to_settle_is_waited_for(clock, is_below):
    nodes = [job_once("j1", compensate=UNDO)]
    lines = [[container("subworkflow", "c", nodes)]] if is_below else [nodes]
    run_id = make.start(joined(*lines, [signal("s"), job_once("j3")], **WAITING))[0]
    make.work("engine")
    make.complete(*make.claimed("jobs"), output={})
    make.work("engine")
    make.send(run_id, "s")
    make.work("engine")
    make.fail(*make.claimed("jobs"))
    make.work("engine")
    make.fail(*make.claimed("jobs"))
    make.work("engine")
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    clock.advance(500)
    assert (sla.look(), run_row(make.a_tenant().pk, run_id)["sla"]) == (0, "ok")
    make.retry(str(tree_of(run_id)[-1].pk), "j1:compensate")
    make.work("engine")
    clock.advance(30)
    make.complete(*make.claimed("jobs"), output={})
    make.work("engine")
    assert (make.run(run_id).status, given(run_id)) == ("COMPENSATED", 500)
