"""Lines of an SVG: broken where nothing is known, within the picture whatever the values."""

import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from runs.web.lines import line

BEGAN = datetime(2031, 1, 1, 9, tzinfo=UTC)


def drawn(*values, minutes=4, most=10.0, step=1):
    moments = [(BEGAN + timedelta(minutes=step * place), value) for place, value in enumerate(values)]
    return line(moments, since=BEGAN, until=BEGAN + timedelta(minutes=minutes), most=most)


def test_values_are_joined_from_left_to_right():
    assert drawn(0, 10, 5) == "M0,100h0L25,0L50,50"


def test_where_nothing_is_known_there_is_no_line():
    assert drawn(0, None, 5) == "M0,100h0M50,50h0"
    assert drawn(0, 5, minutes=10, step=5) == "M0,100h0M50,50h0"
    assert drawn() == drawn(None) == ""


@given(st.lists(st.none() | st.floats(0, 1e9), max_size=30))
def test_each_point_is_within_the_picture(values):
    most = max((value for value in values if value is not None), default=0.0) or 1.0
    path = drawn(*values, minutes=30, most=most)
    points = re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", path)
    assert len(points) == sum(value is not None for value in values)
    assert all(0 <= float(number) <= 100 for point in points for number in point)
