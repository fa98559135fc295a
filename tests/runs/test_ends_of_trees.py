"""No run completes while something below it is being undone, whatever way leads past the step that began it."""

import pytest

from runs.commands.lifecycle import cancel_runs, pause_runs, resolve_compensation
from runs.integrity.verify import verify
from runs.maintenance import stuck
from runs.models import Run
from runs.reading.presentation import run_row
from tests import factories as make
from tests.runs.trees import container, do, ends_as, job, plain, settle

pytestmark = pytest.mark.django_db

LATE = {"boundary_timers": [{"after_seconds": 60, "interrupting": True, "to": "other"}]}
AROUND = {"alone": (), "in a map": ("map",), "in a workflow": ("subworkflow",), "in two": ("loop", "map")}


def failing(**more):
    return {**container("loop", job("charge"), plain("bad")), "id": "f", **more}


WAYS = {
    "timer": ([failing(**LATE), plain("other")], []),
    "end": ([failing(), plain("other"), {"id": "end", "type": "end"}], ["other>end"]),
    "any": ([failing(), plain("other"), {"id": "j", "join": "any"}], ["f>j", "other>j"]),
    "error": (
        [{**container("map", job("charge"), plain("bad"), on_error="continue"), "id": "f"}, plain("other")],
        ["f>other"],
    ),
}


def begun(way, around, clock):
    """A run of this kind whose sinks are resolved while a refund below it has failed; gives its id and that step."""
    definition = make.graph(*WAYS[way])
    if around:
        make.VersionFactory(
            workflow__tenant=make.a_tenant(), workflow__name="core", workflow__draft_definition=definition
        )
        step = {"id": "core", "type": "subworkflow", "params": {"workflow": "core", "input": {"l": [1, 2]}}}
        for level, kind in enumerate(reversed(around)):
            step = {**container(kind, step, plain(f"rest{level}")), "id": f"c{level}"}
            if kind == "map":
                step["params"]["items"] = [1]
        definition = make.graph([step], [])
    (run_id,) = make.start(definition, {"l": [1, 2]})
    settle()
    charges = make.claimed("charge")
    make.complete(*charges, output={})
    settle()
    make.fail(*make.claimed("bad"))
    settle()
    undos = make.claimed("undo")
    assert len(undos) == len(charges)
    make.fail(undos[0])
    make.complete(*undos[1:], output={})
    settle()
    if way == "timer":
        clock.advance(61)
        make.tick()
        settle()
    do("other")
    return run_id, undos[0]


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("way", WAYS)
def test_a_run_completes_after_what_failed_below_it_is_undone(way, around, clock):
    run_id, undo = begun(way, around, clock)
    assert make.run(run_id).completed_at is None
    row = run_row(make.a_tenant().pk, run_id)
    assert "could not be undone" in row["waiting_for"], row
    assert [wait["run"] for wait in row["waits"]] == [undo.run_id]
    assert stuck.check() == 0
    assert list(verify(Run.unsafe_all_tenants.values_list("pk", flat=True))) == []
    settle_undo(undo)
    for level in range(len(around)):
        do(f"rest{level}")
    ends_as(run_id, "COMPLETED")


@pytest.mark.parametrize("verb", ["cancel", "pause"])
@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_waits_for_what_is_undone_below_it_is_operated_as_others(way, verb, clock):
    run_id, undo = begun(way, (), clock)
    tenant = make.a_tenant().pk
    if verb == "cancel":
        cancel_runs(tenant, [run_id], by="test", compensate=True)
    else:
        pause_runs(tenant, [run_id], by="test")
    settle()
    assert make.run(run_id).completed_at is None
    assert stuck.check() == 0
    settle_undo(undo)
    ends_as(run_id, "CANCELLED" if verb == "cancel" else "COMPLETED")


def settle_undo(undo):
    resolve_compensation(make.a_tenant().pk, undo.run_id, undo.id, "done", by="test", reason="seen")
    settle()


def test_what_ends_while_its_map_fails_is_counted_and_what_is_at_work_is_named():
    each = {"id": "m", "type": "map", "params": {"items": [1, 2, 3, 4], "body": plain("do")}, "retry": "none"}
    each["params"]["body"].pop("id")
    (run_id,) = make.start(make.graph([each], []))
    settle()
    first, *others = make.claimed("do")
    make.fail(first)
    settle()
    row = run_row(make.a_tenant().pk, run_id)
    assert row["status"] == "FAILING"
    assert [(wait["node"], wait["count"]) for wait in row["waits"]] == [("m", 3)], row
    assert row["waiting_for"].startswith(
        "It fails once running steps have ended: 3 wait at For each item (m) for worker w"
    ), row
    make.complete(*others, output={})
    settle()
    (step,) = [step for step in run_row(make.a_tenant().pk, run_id)["steps"] if step["node"] == "m"]
    assert (step["items"]["ended"], step["items"]["failed"], step["items"]["total"]) == (4, 1, 4)
    ends_as(run_id, "FAILED")
