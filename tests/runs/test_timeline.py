"""A run's steps as bars over time."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from runs.limits import TIMELINE_LANES
from runs.reading.timeline import Bar, Ending, Inner, Lane, timeline
from runs.templatetags.run_timeline import timeline_lanes

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


def test_days_in_which_only_people_are_waited_for_are_drawn_short_and_said():
    asks = {**step("ask", "WAITING", queued=10), "type": "human.approval", "title": "Legal agrees"}
    ended = [Ending("a", "STEP_COMPLETED", 1, at(0), at(10))]
    lanes, line = drawn([step("a"), asks], ended, now=200_000)
    assert lanes == [[("done", 0, 67)], [("people", 67, 100)]]
    (gap,) = line.gaps
    assert (gap.title, gap.people, gap.milliseconds) == ("Legal agrees", True, 199_990_000)
    assert line.idle == 199_985_000


def test_of_several_waits_one_after_the_other_the_longest_is_named():
    works = [
        Ending("x", "STEP_COMPLETED", 1, at(0), at(10)),
        Ending("a", "STEP_COMPLETED", 1, at(30), at(30)),
    ]
    _, line = drawn([step("x"), step("a", queued=10), step("b", "WAITING", queued=30)], works, now=200_000)
    assert [gap.title for gap in line.gaps] == ["b"]


def test_of_very_many_steps_the_first_ones_are_drawn_and_the_rest_counted():
    steps = [step(f"s{n}", "RUNNING", started=1) for n in range(TIMELINE_LANES + 7)]
    line = timeline(steps, [], at(5))
    assert line is not None
    assert (len(line.lanes), line.left_out) == (TIMELINE_LANES, 7)


def test_what_takes_no_time_is_marked_and_on_the_critical_path_too():
    ended = [Ending("ask", "STEP_COMPLETED", None, None, at(0))]
    line = timeline([step("ask")], ended, at(5), {"ask": []})
    assert line is not None
    assert [bar.width for bar in line.lanes[0].bars] == ["0.20%"]
    assert list(line.critical) == ["ask"]


def test_the_critical_path_is_marked():
    steps = [step("a"), step("quick", queued=10), step("slow", queued=10), step("end", queued=50)]
    spans = {"a": (0, 10), "quick": (10, 12), "slow": (10, 50), "end": (50, 60)}
    ended = [Ending(node, "STEP_COMPLETED", 1, at(start), at(end)) for node, (start, end) in spans.items()]
    before = {"a": [], "quick": ["a"], "slow": ["a"], "end": ["quick", "slow"]}
    line = timeline(steps, ended, at(60), before)
    assert line is not None
    assert [lane.step["node"] for lane in line.lanes if lane.is_critical] == ["a", "slow", "end"]
    assert list(line.critical) == ["a", "slow", "end"]


@given(
    st.lists(
        st.tuples(st.integers(0, 400_000), st.integers(1, 90_000), st.booleans()), min_size=1, max_size=9
    )
)
def test_bars_stay_within_the_whole_and_in_their_order(spans):
    steps, ended = [], []
    for number, (start, length, works) in enumerate(spans):
        node = f"s{number}"
        if works:
            steps.append(step(node, queued=None))
            ended.append(Ending(node, "STEP_COMPLETED", 1, at(start), at(start + length)))
        else:
            steps.append(step(node, "QUEUED", queued=start))
    line = timeline(steps, ended, at(600_000))
    assert line is not None
    edges = [
        (lane.step, float(bar.x[:-1]), float(bar.width[:-1])) for lane in line.lanes for bar in lane.bars
    ]
    assert all(x >= 0 and width >= 0 and x + width <= 100.02 for _, x, width in edges)
    begins = {lane.step["node"]: float(lane.bars[0].x[:-1]) for lane in line.lanes}
    by_time = sorted(range(len(spans)), key=lambda number: spans[number][0])
    places = [begins[f"s{number}"] for number in by_time]
    assert places == sorted(places)
    assert line.idle <= line.milliseconds


def test_a_lane_says_in_words_what_its_bars_show_and_nothing_of_it_is_markup():
    bars = [Bar("wait", None, 3_000, "0", "30"), Bar("failed", 2, 7_000, "30", "70")]
    row = step("a b", "FAILED") | {"title": "<Tidy> & go", "error": {"code": "x"}, "duration_ms": 7_000}
    lanes = [Lane(row, bars, 1, is_critical=True), Lane(row | {"title": "", "error": None}, [], 2)]
    first, second = timeline_lanes(lanes, "/runs/x?view=graph", lanes[0].step).split("\n")
    assert first == (
        '<li data-status="FAILED" data-step="a b" data-failed class="critical">'
        '<a class="lane-name" href="/runs/x?view=graph&amp;step=a%20b" data-look aria-current="true">'
        "&lt;Tidy&gt; &amp; go</a>"
        ' <svg class="lane" role="img" aria-label="&lt;Tidy&gt; &amp; go: waited 3.0 s, attempt 2 failed after 7.0 s;'
        ' on the critical path">'
        '<rect class="wait" x="0" width="30" y="6" height="4" rx="2"><title>waited 3.0 s</title></rect>'
        '<rect class="failed" x="30" width="70" y="2" height="12" rx="2">'
        "<title>attempt 2 failed after 7.0 s</title></rect></svg>"
        ' <span class="lane-took">7.0 s</span></li>'
    )
    assert second.startswith('<li data-status="FAILED" data-step="a b"><a class="lane-name"')
    assert ">a b</a>" in second


class Below(NamedTuple):
    """A step in a run below."""

    started_at: datetime
    completed_at: datetime | None
    status: str = "COMPLETED"
    type: str = "noop"


def test_steps_below_stand_below_the_step_that_leads_to_them_and_near_ones_are_one_bar():
    steps = [step("each", "WAITING", queued=0) | {"type": "map"}, step("after", "PENDING", queued=None)]
    below = [Below(at(n), at(n + 0.5)) for n in range(1000)]
    late = Inner("each", "late", [Below(at(900), None, "RUNNING"), Below(at(3000), None, "RUNNING")])
    line = timeline(steps, [], at(1000), None, [late, Inner("each", "early", below)])
    assert [(lane.step.get("title"), lane.is_inner) for lane in line.lanes] == [
        (None, False),
        ("early", True),
        ("late", True),
    ]
    assert [len(lane.bars) for lane in line.lanes[1:]] == [1, 1]
    assert line.lanes[2].bars[0].milliseconds == 100_000
