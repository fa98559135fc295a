"""A run's steps as bars over time."""

from datetime import UTC, datetime, timedelta

from runs.reading.timeline import Ending, timeline

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def step(
    node: str, status: str = "COMPLETED", queued: float | None = 0, started: float | None = None
) -> dict:
    return {
        "node": node,
        "type": "noop",
        "status": status,
        "attempt": 1,
        "queued_at": None if queued is None else at(queued),
        "started_at": None if started is None else at(started),
    }


def drawn(steps, endings, now=100):
    """Each lane as its bars: (kind, from, to) in percent, rounded."""
    line = timeline(steps, endings, at(now))
    numbers = [
        [
            (bar.kind, round(float(bar.x[:-1])), round(float(bar.x[:-1]) + float(bar.width[:-1])))
            for bar in lane.bars
        ]
        for lane in line.lanes
    ]
    return numbers, line


def test_attempts_and_the_waits_between_them_follow_each_other():
    endings = [
        Ending("a", "ATTEMPT_FAILED", 1, at(1), at(2)),
        Ending("a", "STEP_COMPLETED", 2, at(6), at(10)),
    ]
    (bars,), line = drawn([step("a")], endings)
    assert bars == [("wait", 0, 10), ("failed", 10, 20), ("wait", 20, 60), ("done", 60, 100)]
    assert (line.milliseconds, line.idle) == (10_000, 0)


def test_what_runs_or_waits_now_reaches_to_now():
    lanes, _ = drawn([step("a", "RUNNING", started=5), step("b", "QUEUED")], [], now=10)
    assert lanes == [[("wait", 0, 50), ("work", 50, 100)], [("wait", 0, 100)]]


def test_steps_that_never_began_have_no_lane_and_a_run_of_none_no_timeline():
    steps = [step("a", "PENDING", queued=None), step("b", "SKIPPED")]
    assert timeline(steps, [], at(5)) is None


def test_days_between_a_failure_and_its_resume_are_drawn_short():
    endings = [
        Ending("a", "STEP_FAILED", 1, at(0), at(10)),
        Ending("a", "STEP_REQUEUED", None, None, at(86_400)),
        Ending("a", "STEP_COMPLETED", 1, at(86_400), at(86_410)),
    ]
    (bars,), line = drawn([step("a")], endings)
    assert bars == [("failed", 0, 46), ("done", 54, 100)]
    assert line.idle > 80_000_000
