"""A period of telemetry is its whole days and the hours around them; bars stand beside each other."""

from datetime import UTC, datetime, timedelta

import pytest

from lib.refusals import Invalid
from operations.telemetry.bars import chart
from operations.telemetry.periods import period

NOW = datetime(2031, 3, 15, 10, 20, tzinfo=UTC)


def at(day, hour=0, minute=0):
    return datetime(2031, 3, day, hour, minute, tzinfo=UTC)


def parts(since, until):
    spans = period(since, until, NOW).spans
    return [
        (begin, end)
        for begin, end in (
            (spans.since, spans.head),
            (spans.first_day, spans.last_day),
            (spans.tail, spans.until),
        )
        if begin < end
    ]


def test_without_a_word_it_is_the_last_seven_days_to_the_full_hour():
    shown = period(None, None, NOW)
    assert (shown.since, shown.until, shown.step) == (at(8, 10), at(15, 11), "day")
    assert len(shown.moments) == 8


def test_whole_days_are_told_by_the_day_and_the_rest_by_the_hour():
    assert parts(at(8, 10, 20), at(15, 10, 20)) == [
        (at(8, 10), at(9)),
        (at(9), at(15)),
        (at(15), at(15, 11)),
    ]
    assert parts(at(8), at(15)) == [(at(8), at(15))]


def test_a_short_period_is_told_and_drawn_by_the_hour():
    shown = period(at(14, 10), at(15, 10), NOW)
    assert (shown.step, len(shown.moments)) == ("hour", 24)
    assert parts(at(14, 10), at(15, 10)) == [(at(14, 10), at(15, 10))]


def test_of_what_has_no_hours_any_more_whole_days_are_told():
    begin, end = at(1, 5) - timedelta(days=90), at(1, 5) - timedelta(days=80)
    assert parts(begin, end) == [
        (begin.replace(hour=0), end.replace(hour=0) + timedelta(days=1)),
    ]


@pytest.mark.parametrize(
    ("since", "until"),
    [(at(2), at(1)), (at(1), at(1)), (at(1) - timedelta(days=1101), at(1))],
)
def test_what_is_no_period_is_refused(since, until):
    with pytest.raises(Invalid) as refusal:
        period(since, until, NOW)
    assert refusal.value.field == "from"


def test_the_highest_bar_fills_the_chart_and_the_pieces_stand_on_each_other():
    days = [
        {"at": at(1), "completed": 6, "failed": 2, "cancelled": 0},
        {"at": at(2), "completed": 0, "failed": 0, "cancelled": 4},
    ]
    first, second = chart(days).bars
    assert [(piece.kind, piece.y, piece.height) for piece in first.pieces] == [
        ("completed", 25.0, 75.0),
        ("failed", 0.0, 25.0),
    ]
    assert [(piece.kind, piece.y, piece.height) for piece in second.pieces] == [("cancelled", 50.0, 50.0)]
    assert first.x + first.width < second.x < second.x + second.width < 100
    assert chart([]).bars == []
