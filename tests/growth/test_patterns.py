"""No regular expression of the product takes more than its share for a text that is made to slow it down."""

import pytest

from tests.growth.measuring import steep
from tests.growth.walking import ANCHORED, Pattern, patterns

ALL = list(patterns())


@pytest.mark.parametrize("pattern", ALL, ids=lambda pattern: pattern.place)
def test_a_pattern_grows_with_its_text(pattern: Pattern):
    ways = {method if method in ANCHORED else "finditer" for method in pattern.methods}
    found = {way: steep(lambda text, way=way: pattern.run(way, text), 4_000) for way in ways}
    assert {way: shapes for way, shapes in found.items() if shapes} == {}


def test_the_walk_finds_patterns_of_every_package():
    assert len(ALL) > 80
    assert {pattern.place.partition(".")[0] for pattern in ALL} >= {
        "engine",
        "lib",
        "steps",
        "tasks_inbox",
        "workflows",
    }
