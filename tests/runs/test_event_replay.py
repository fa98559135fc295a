"""A run as it was at each of its events, and which ways it took."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.models import Run
from runs.reading.event_replay import Happened, endings, steps_then, ways_taken
from runs.reading.events import read_history
from runs.reading.presentation import step_rows
from tests import factories as make

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def step(
    node: str, status: str = "COMPLETED", queued: float = 0, started: float | None = None, **more
) -> dict:
    columns = ("input", "output", "error", "completed_at", "duration_ms", "items", "child_run", "verbs")
    return {
        **dict.fromkeys(columns),
        "node": node,
        "status": status,
        "attempt": 1,
        "queued_at": at(queued),
        "started_at": None if started is None else at(started),
        **more,
    }


def event(number: int, type_: str, node: str | None, when: float, **more) -> Happened:
    told = {"attempt": None, "started_at": None, "taken": None} | more
    return Happened(number, type_, node, at=at(when), **told)


FAILS_ONCE = [
    event(1, "RUN_STARTED", None, 0),
    event(2, "ATTEMPT_FAILED", "a", 3, attempt=1, started_at=at(1)),
    event(3, "STEP_COMPLETED", "a", 9, attempt=2, started_at=at(5), taken=("b",)),
    event(4, "STEP_COMPLETED", "b", 20, attempt=1, started_at=at(8), taken=()),
]


def test_a_step_is_at_work_until_the_event_that_ends_its_attempt_and_queued_before_it_began():
    steps = [
        step("a", attempt=2, started=5, output={"n": 1}),
        step("b", queued=9, started=8, output={"n": 2}),
    ]
    told = []
    for count in range(1, len(FAILS_ONCE) + 1):
        told.append(
            [(one["status"], one["attempt"], one["output"]) for one in steps_then(steps, FAILS_ONCE, count)]
        )
    assert told == [
        [("QUEUED", 0, None), ("PENDING", 0, None)],
        [("QUEUED", 1, None), ("PENDING", 0, None)],
        [("COMPLETED", 2, {"n": 1}), ("RUNNING", 1, None)],
        [("COMPLETED", 2, {"n": 1}), ("COMPLETED", 1, {"n": 2})],
    ]


def test_what_is_skipped_later_stood_for_nothing_yet():
    events = [event(1, "RUN_STARTED", None, 0), event(2, "STEP_SKIPPED", "a", 5)]
    (then,) = steps_then([step("a", "SKIPPED")], events, 1)
    assert then["status"] == "PENDING"


def test_ways_are_those_that_were_taken_last_and_none_of_what_is_done_again():
    steps = [step("a"), step("b", "QUEUED")]
    assert ways_taken(steps, FAILS_ONCE) == {"a": ["b"], "b": []}
    again = [*FAILS_ONCE, event(5, "STEP_REQUEUED", "b", 30)]
    assert ways_taken(steps, again) == {"a": ["b"]}
    fired = [event(1, "TIMER_FIRED", "a", 1, taken=("c",)), event(2, "STEP_COMPLETED", "a", 2, taken=("b",))]
    assert ways_taken(steps, fired) == {"a": ["c", "b"]}


@given(
    st.lists(
        st.sampled_from(["STEP_COMPLETED", "ATTEMPT_FAILED", "LEASE_LOST", "STEP_FAILED", "STEP_REQUEUED"])
    )
)
def test_at_the_last_event_each_step_is_what_its_last_event_says(types):
    events = [event(0, "RUN_STARTED", None, 0)]
    events += [event(n, type_, "a", n, attempt=n, started_at=at(n - 1)) for n, type_ in enumerate(types, 1)]
    known = {"STEP_COMPLETED": "COMPLETED", "STEP_FAILED": "FAILED"}
    (then,) = steps_then([step("a", "QUEUED")], events, len(events))
    assert then["status"] == (known.get(types[-1], "QUEUED") if types else "QUEUED")
    assert [ending.type for ending in endings(events)] == types


@pytest.mark.django_db
def test_at_each_event_of_a_real_run_what_was_over_stays_over_and_at_the_last_it_is_as_it_is():
    definition = make.graph(
        [
            {"id": "ask", "type": "decision"},
            {"id": "dear", "type": "noop"},
            {"id": "cheap", "type": "noop"},
            {"id": "end", "type": "noop"},
        ],
        ["ask>dear", "ask>cheap", "dear>end", "cheap>end"],
    )
    definition["edges"][0]["when"] = "input.amount > 10"
    definition["edges"][1]["default"] = True
    (run_id,) = make.start(definition, {"amount": 50})
    make.work()
    tenant = Run.unsafe_all_tenants.get(pk=run_id).tenant_id
    steps, events = step_rows(tenant, run_id), read_history(tenant, run_id).events
    assert steps is not None
    over: set[str] = set()
    for count in range(1, len(events) + 1):
        then = steps_then(steps, events, count)
        now_over = {one["node"] for one in then if one["status"] in ("COMPLETED", "SKIPPED")}
        assert over <= now_over
        over = now_over
    assert {one["node"]: one["status"] for one in then} == make.statuses(run_id)
    assert ways_taken(steps, events)["ask"] == ["dear"]
