"""A workflow played in memory: stand-ins, retries, waits and timers by a clock that skips (`handoff.testing`)."""

from itertools import pairwise

import pytest

from engine.errors import StepError
from handoff.definition import Workflow
from handoff.testing import NEVER, After, NotPlayable, play
from handoff_sdk import NonRetryableError

CHARGE = {"id": "charge", "type": "job", "queue": "card", "params": {"amount": "{{ input.amount }}"}}


def chain(*nodes, **more):
    edges = [{"from": one["id"], "to": other["id"]} for one, other in pairwise(nodes)]
    return {"name": "pay", "nodes": list(nodes), "edges": edges, **more}


def test_a_step_is_stood_in_for_by_a_value_or_a_function():
    letter = {"id": "letter", "type": "job"}
    played = play(
        chain(CHARGE, letter),
        {"amount": 5},
        steps={"charge": {"receipt": "r-1"}, "letter": lambda call: {"sent": call.input["receipt"]}},
    )
    assert (played.status, played.output, played.path) == ("COMPLETED", {"sent": "r-1"}, ["charge", "letter"])
    assert played.calls_of("charge")[0].params == {"amount": 5}
    assert played.seconds == 0


def test_attempts_are_as_many_and_as_far_apart_as_the_policy_says():
    def fails(call):
        call.heartbeat({"seen": (call.progress or {"seen": 0})["seen"] + 1})
        if call.attempt < 3:
            raise ConnectionError("Nobody is there.")
        return call.progress

    retry = {"max_retries": 2, "base_seconds": 10, "factor": 2}
    played = play(chain(CHARGE | {"retry": retry}), {"amount": 5}, steps={"charge": fails})
    assert (played.status, played.output, played.seconds) == ("COMPLETED", {"seen": 3}, 30)
    assert [call.retries_remaining for call in played.calls] == [2, 1, 0]
    assert len({call.idempotency_key for call in played.calls}) == 1

    retry["max_retries"] = 1
    played = play(chain(CHARGE | {"retry": retry}), {"amount": 5}, steps={"charge": fails})
    assert (played.status, played.error["code"], len(played.calls)) == ("FAILED", "ConnectionError", 2)


@pytest.mark.parametrize(
    "error", [NonRetryableError("No card.", code="NoCard"), StepError("NoCard", "No card.")]
)
def test_what_is_not_to_be_retried_fails_at_once_and_takes_the_edge_for_errors(error):
    def fails(call):
        raise error

    apology = {"id": "apology", "type": "transform", "params": {"set": {"code": "{{ prev.error.code }}"}}}
    definition = {
        "name": "pay",
        "nodes": [CHARGE | {"on_error": "branch"}, {"id": "good", "type": "noop"}, apology],
        "edges": [{"from": "charge", "to": "good"}, {"from": "charge", "to": "apology", "on": "error"}],
    }
    played = play(definition, {"amount": 5}, steps={"charge": fails})
    assert (played.status, played.outputs["apology"], len(played.calls)) == (
        "COMPLETED",
        {"code": "NoCard"},
        1,
    )


def test_days_and_signals_are_skipped_to():
    pause = {"id": "pause", "type": "wait", "params": {"duration": "P3D"}}
    paid = {"id": "paid", "type": "signal", "params": {"name": "paid", "timeout_seconds": 3600}}
    played = play(chain(pause, paid), signals={"paid": {"amount": 40}})
    assert (played.output, played.seconds) == ({"amount": 40}, 3 * 86400)
    played = play(chain(pause, paid), signals={"paid": After(3 * 86400 + 60, {"amount": 40})})
    assert (played.output, played.seconds) == ({"amount": 40}, 3 * 86400 + 60)
    played = play(chain(pause, paid))
    assert (played.status, played.error["code"], played.seconds) == (
        "FAILED",
        "SignalTimeout",
        3 * 86400 + 3600,
    )
    assert played.outputs["pause"] == {"fired_at": "2026-01-04T00:00:00+00:00"}


@pytest.mark.parametrize("interrupting", [True, False])
def test_timers_beside_a_step_fire_when_their_time_has_come(interrupting):
    timer = {"after_seconds": 60, "to": "remind", "interrupting": interrupting}
    charge = CHARGE | {"boundary_timers": [timer]}
    nodes = [charge, {"id": "thanks", "type": "noop"}, {"id": "remind", "type": "job"}]
    definition = {"name": "pay", "nodes": nodes, "edges": [{"from": "charge", "to": "thanks"}]}
    stand_ins = {"charge": After(100, "paid"), "remind": lambda call: call.now.isoformat()}
    played = play(definition, {"amount": 5}, steps=stand_ins)
    assert played.status == "COMPLETED"
    assert played.outputs["remind"] == "2026-01-01T00:01:00+00:00"
    assert played.seconds == (60 if interrupting else 100)
    assert ("thanks" in played.path) is not interrupting

    quick = play(definition, {"amount": 5}, steps=stand_ins | {"charge": "paid"})
    assert (quick.seconds, "remind" in quick.path) == (0, False)


def test_a_timeout_is_an_attempt_that_failed():
    charge = CHARGE | {"timeout_seconds": 30, "retry": {"max_retries": 1, "base_seconds": 5}}
    answers = [After(31, "late"), "in time"]
    played = play(chain(charge), {"amount": 5}, steps={"charge": lambda call: answers[call.attempt - 1]})
    assert (played.output, played.seconds) == ("in time", 35)


def test_a_step_that_never_ends_leaves_the_run_open():
    played = play(chain(CHARGE), {"amount": 5}, steps={"charge": NEVER})
    assert (played.status, played.steps) == ("RUNNING", {"charge": "QUEUED"})


@pytest.mark.parametrize("stand_ins", [{}, {"each": {"results": [3]}}])
def test_a_list_is_gone_through_or_stood_in_for(stand_ins):
    body = {"type": "transform", "params": {"set": {"n": "{{ item }}"}}}
    each = {"id": "each", "type": "map", "params": {"items": "{{ input.numbers }}", "body": body}}
    played = play(chain(each), {"numbers": [1, 2]}, steps=stand_ins)
    assert played.status == "COMPLETED"
    assert played.output == (stand_ins["each"] if stand_ins else {"results": [{"n": 1}, {"n": 2}]})


def test_a_workers_own_coroutine_stands_in_for_itself():
    async def charge(ctx):
        ctx.variables["paid"] = ctx.params["amount"]
        assert not await ctx.wait_async(5)
        return ctx.idempotency_key

    workflow = Workflow("pay")
    workflow.step("charge", "job", queue="card", params={"amount": 5})
    played = play(workflow, steps={"charge": charge})
    assert played.variables == {"paid": 5}
    assert played.output.endswith("/charge")


def test_what_can_not_be_played_says_why():
    with pytest.raises(NotPlayable, match=r"charge \(job\) asks others"):
        play(chain(CHARGE), {"amount": 5})
    with pytest.raises(NotPlayable, match="type"):
        play(chain({"id": "a", "type": "no.such"}))
    schema = {"type": "object", "required": ["amount"]}
    with pytest.raises(NotPlayable, match="amount"):
        play(chain(CHARGE, input_schema=schema), {}, steps={"charge": 1})

    def wrong(call):
        assert call.attempt == 2

    with pytest.raises(AssertionError):
        play(chain(CHARGE), {"amount": 5}, steps={"charge": wrong})
