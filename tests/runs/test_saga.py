"""The saga: what a failed or cancelled run did is undone, in reverse, whatever crashes; a person sees to the rest."""

from itertools import pairwise

import pytest

from runs.commands import dead_letters
from runs.commands.lifecycle import cancel_runs, resolve_compensation
from runs.kernel.advance import advance
from runs.kernel.refused import RunRefused
from runs.maintenance import leases
from runs.models import Run
from runs.reading.presentation import found_run
from runs.store.attempts import Errored
from tests import factories as make
from tests.inbox.asking import member

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}


def undoable(*names, **compensate):
    undo = {
        "type": "job",
        "queue": "undo",
        "params": {"of": "{{ prev.output }}"},
        "retry": "none",
        **compensate,
    }
    return [{"id": name, "type": "job", "queue": name, "compensate": undo} for name in names]


def order(*names, **compensate):
    nodes = [*undoable(*names, **compensate), {"id": "ship", "type": "job", "queue": "ship", **ONCE}]
    ids = [node["id"] for node in nodes]
    return make.graph(nodes, [f"{a}>{b}" for a, b in pairwise(ids)])


def do(queue, output=None):
    (step,) = make.claimed(queue)
    make.complete(step, output=output if output is not None else {"of": queue})


def break_(queue, code="Boom"):
    (step,) = make.claimed(queue)
    make.fail(step, code=code)


def undone():
    """Undo what is to be undone, one after another; gives the nodes in their order."""
    names = []
    while steps := make.claimed("undo"):
        (step,) = steps
        names.append(step.node)
        make.complete(step, output={"undone": True})
    return names


def test_what_was_done_is_undone_in_reverse_and_the_run_is_compensated():
    run_id = make.start(order("reserve", "charge"), {"order": 1})[0]
    do("reserve", {"reservation": 5})
    do("charge", {"receipt": 7})
    break_("ship")
    assert make.run(run_id).status == "COMPENSATING"
    (undo,) = make.claimed("undo")
    assert undo.node == "charge:compensate"
    assert undo.input == {
        "input": {"reservation": 5},
        "output": {"receipt": 7},
        "idempotency_key": f"{run_id}/charge",
        "idempotency_keys": [f"{run_id}/charge"],
    }
    make.complete(undo, output={})
    assert make.run(run_id).status == "COMPENSATING"
    assert undone() == ["reserve:compensate"]
    run = make.run(run_id)
    assert (run.status, run.error["code"]) == ("COMPENSATED", "Boom")
    assert make.history(run_id)[-1] == "RUN_COMPENSATED"
    assert [event for event in make.history(run_id) if event.startswith("COMPENSATE_RUN")] == [
        "COMPENSATE_RUN charge:compensate",
        "COMPENSATE_RUN reserve:compensate",
    ]
    shown = found_run(make.a_tenant().pk, run_id)
    assert [row["node"] for row in shown["steps"]][-2:] == ["charge:compensate", "reserve:compensate"]


def test_a_run_that_did_nothing_that_can_be_undone_has_just_failed():
    run_id = make.start(order("reserve"))[0]
    (step,) = make.claimed("reserve")
    make.fail(step)
    assert make.run(run_id).status == "FAILED"


def test_running_steps_are_awaited_and_what_they_did_is_undone_too():
    nodes = [*undoable("a", "b"), {"id": "bad", "type": "noop", **ONCE}]
    run_id = make.start(make.graph(nodes, []))[0]
    do("a")
    (b,) = make.claimed("b")
    (bad,) = make.claimed()
    make.fail(bad)
    assert make.run(run_id).status == "FAILING"
    make.complete(b, output={"late": 1})
    assert make.run(run_id).status == "COMPENSATING"
    assert undone() == ["b:compensate", "a:compensate"]
    assert make.run(run_id).status == "COMPENSATED"


@pytest.mark.parametrize("wanted", [True, False])
def test_a_step_whose_outcome_nobody_knows_is_undone_unless_it_says_no(wanted):
    """H-24: it may have happened."""
    definition = order("charge")
    definition["nodes"][0] |= {"retry": "none"} | ({} if wanted else {"compensate_on_unknown": False})
    run_id = make.start(definition)[0]
    (step,) = make.claimed("charge")
    make.fail(step, code="Timeout")
    if not wanted:
        assert make.run(run_id).status == "FAILED"
        return
    assert undone() == ["charge:compensate"]
    assert make.run(run_id).status == "COMPENSATED"


@pytest.mark.parametrize(("outcome", "ends"), [("unknown", "COMPENSATING"), ("known", "FAILED")])
def test_a_step_that_says_that_its_outcome_is_not_known_is_undone(outcome, ends):
    """H-24: the other side may have done it before the connection broke."""
    definition = order("charge")
    definition["nodes"][0] |= {"retry": "none"}
    run_id = make.start(definition)[0]
    (step,) = make.claimed("charge")
    error = {"code": "HttpUnreachable", "message": "It broke.", "details": {"outcome": outcome}}
    advance([(step, Errored(error))])
    assert make.run(run_id).status == ends


DONE = {"code": "HttpBadAnswer", "message": "Done.", "details": {"outcome": "done"}}


def test_a_step_that_was_done_though_it_failed_is_undone_once_and_never_tried_again():
    definition = order("charge")
    definition["nodes"][0] |= {"retry": "seed", "compensate_on_unknown": False}
    run_id = make.start(definition)[0]
    (step,) = make.claimed("charge")
    advance([(step, Errored(DONE | {"retryable": True}, True))])
    assert undone() == ["charge:compensate"]
    assert make.run(run_id).status == "COMPENSATED"
    assert make.statuses(run_id)["charge"] == "FAILED"


@pytest.mark.parametrize("on_error", ["continue", "branch"])
def test_what_was_done_is_undone_when_the_run_fails_later(on_error):
    charge = {**order("charge")["nodes"][0], "on_error": on_error, "compensate_on_unknown": False}
    edge = {"from": "charge", "to": "bad"} | ({"on": "error"} if on_error == "branch" else {})
    run_id = make.start(make.graph([charge, {"id": "bad", "retry": "none"}], [edge]))[0]
    (step,) = make.claimed("charge")
    advance([(step, Errored(DONE))])
    make.fail(*make.claimed())
    assert undone() == ["charge:compensate"]
    assert make.run(run_id).status == "COMPENSATED"


@pytest.mark.parametrize("ending", ["skip", "fail", "cancel"])
def test_what_was_done_before_a_person_decided_is_undone_however_they_decide(ending):
    charge = {**order("charge")["nodes"][0], "on_error": "ask", "compensate_on_unknown": False}
    run_id = make.start(make.graph([charge, {"id": "bad", "retry": "none"}], ["charge>bad"]))[0]
    (step,) = make.claimed("charge")
    advance([(step, Errored(DONE))])
    assert make.statuses(run_id)["charge"] == "WAITING"
    if ending == "cancel":
        cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
    elif ending == "skip":
        make.skip(run_id, "charge", None)
        make.fail(*make.claimed())
    else:
        make.retry(run_id, "charge")
        (again,) = make.claimed("charge")
        make.fail(again, code="HttpStatus")
        dead_letters.discard(member("ann", "admin"), make.letters(run_id), reason="no use")
    assert undone() == ["charge:compensate"]


def test_a_cancel_undoes_only_when_asked_and_ends_cancelled():
    runs = make.start(order("reserve"), {"n": 1}, {"n": 2})
    for step in make.claimed("reserve"):
        make.complete(step, output={})
    plain, asked = runs
    make.cancel(plain)
    assert make.run(plain).status == "CANCELLED"
    cancel_runs(make.a_tenant().pk, [asked], by="test", compensate=True)
    assert make.run(asked).status == "COMPENSATING"
    with pytest.raises(RunRefused, match="being undone"):
        make.cancel(asked)
    assert undone() == ["reserve:compensate"]
    assert make.run(asked).status == "CANCELLED"


def test_a_compensation_is_retried_like_any_step(clock):
    retry = {"max_retries": 1, "base_seconds": 10, "jitter": 0}
    run_id = make.start(order("reserve", retry=retry))[0]
    do("reserve")
    break_("ship")
    (undo,) = make.claimed("undo")
    make.fail(undo, retryable=True)
    assert make.run(run_id).status == "COMPENSATING"
    assert make.claimed("undo") == []
    clock.advance(10)
    assert undone() == ["reserve:compensate"]
    assert make.run(run_id).status == "COMPENSATED"


@pytest.mark.parametrize(
    ("how", "ends"), [("retry", "COMPENSATED"), ("done", "COMPENSATED"), ("abandon", "FAILED")]
)
def test_a_compensation_that_fails_for_good_waits_for_a_person_who_settles_it(how, ends):
    run_id = make.start(order("reserve", "charge"))[0]
    do("reserve")
    do("charge")
    break_("ship")
    break_("undo")
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    assert [letter.node for letter in make.letters(run_id)] == ["ship", "charge:compensate"]
    assert found_run(make.a_tenant().pk, run_id)["waiting_for"].endswith(
        "could not be undone: Undo External job (charge)"
    )
    step = make.steps(run_id)["charge:compensate"].pk
    resolve_compensation(make.a_tenant().pk, run_id, step, how, by="ann", reason="seen to")
    expected = ["reserve:compensate"] if how != "retry" else ["charge:compensate", "reserve:compensate"]
    assert undone() == expected
    assert make.run(run_id).status == ends
    with pytest.raises(RunRefused, match="waits for a person"):
        resolve_compensation(make.a_tenant().pk, run_id, step, how, by="ann")


def test_a_run_that_has_undone_something_is_not_resumed():
    run_id = make.start(order("reserve"))[0]
    do("reserve")
    break_("ship")
    break_("undo")
    step = make.steps(run_id)["reserve:compensate"].pk
    resolve_compensation(make.a_tenant().pk, run_id, step, "abandon", by="ann")
    assert make.run(run_id).status == "FAILED"
    with pytest.raises(RunRefused, match="undone, at least in part"):
        make.resume(run_id)


def test_a_lost_worker_of_a_compensation_costs_an_attempt_and_no_more(clock):
    run_id = make.start(order("reserve", retry="seed"))[0]
    do("reserve")
    break_("ship")
    make.claimed("undo")
    clock.advance(31)
    leases.sweep()
    clock.advance(60)
    assert undone() == ["reserve:compensate"]
    assert make.run(run_id).status == "COMPENSATED"


def test_many_runs_undo_in_one_batch_each_in_its_order():
    runs = make.start(order("reserve", "charge"), *({"n": n} for n in range(20)))
    for queue in ("reserve", "charge"):
        make.complete(*make.claimed(queue), output={})
    make.fail(*make.claimed("ship"))
    for expected in ("charge:compensate", "reserve:compensate"):
        steps = make.claimed("undo")
        assert {step.node for step in steps} == {expected}
        assert len(steps) == 20
        make.complete(*steps, output={})
    assert {run.status for run in Run.unsafe_all_tenants.filter(pk__in=runs)} == {"COMPENSATED"}


@pytest.mark.parametrize("way", ["timeout", "lost"])
def test_a_step_that_was_to_be_tried_again_after_nobody_knows_what_is_undone_too(clock, way):
    retry = {"max_retries": 3, "base_seconds": 100, "jitter": 0}
    nodes = [undoable("charge")[0] | {"retry": retry}, {"id": "bad", "type": "noop", **ONCE}]
    run_id = make.start(make.graph(nodes, []))[0]
    (step,) = make.claimed("charge")
    if way == "lost":
        clock.advance(31)
        leases.sweep()
    else:
        make.fail(step, code="Timeout", retryable=True)
    assert make.statuses(run_id)["charge"] == "QUEUED"
    make.fail(*make.claimed())
    assert make.run(run_id).status == "COMPENSATING"
    assert undone() == ["charge:compensate"]
