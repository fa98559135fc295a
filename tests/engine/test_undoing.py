"""Which steps are free to be undone where branches are undone at the same time (R-139)."""

import pytest

from engine.graph import compile_graph
from engine.undoing import free_to_undo
from steps.catalogue import CATALOGUE

NODES = [{"id": name, "type": "noop"} for name in "abcde"]
TIMED = {"id": "t", "type": "noop", "boundary_timers": [{"after_seconds": 9, "to": "e"}]}
EDGES = [{"from": source, "to": target} for source, target in ("ab", "ac", "bd", "cd")]
PLAIN = {"name": "graph", "nodes": [*NODES, TIMED], "edges": EDGES}
GRAPH = compile_graph({**PLAIN, "compensation": "parallel"}, CATALOGUE)


@pytest.mark.parametrize(
    ("left", "undoing", "free"),
    [
        ("abcd", "", ["d"]),
        ("abc", "d", []),
        ("abc", "", ["b", "c"]),
        ("ab", "c", ["b"]),
        ("a", "c", []),
        ("a", "", ["a"]),
        ("ad", "", ["d"]),
        ("ate", "", ["a", "e"]),
        ("t", "e", []),
        ("", "", []),
    ],
)
def test_what_led_to_nothing_that_is_left_is_free(left, undoing, free):
    assert sorted(free_to_undo(GRAPH, left, undoing)) == free


def test_only_what_says_so_is_undone_at_the_same_time():
    assert GRAPH.undoes_together
    assert not compile_graph(PLAIN, CATALOGUE).undoes_together
