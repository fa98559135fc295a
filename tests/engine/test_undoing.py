"""In which order a tree of runs is undone (R-139): the plan, without a database."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.graph import compile_graph
from engine.undoing import Content, RunToUndo, undo_plan
from steps.catalogue import CATALOGUE

NODES = [{"id": name, "type": "noop"} for name in "abcde"]
TIMED = {"id": "t", "type": "noop", "boundary_timers": [{"after_seconds": 9, "to": "e"}]}
EDGES = [{"from": source, "to": target} for source, target in ("ab", "ac", "bd", "cd")]
PLAIN = {"name": "graph", "nodes": [*NODES, TIMED], "edges": EDGES}
GRAPH = compile_graph(PLAIN, CATALOGUE)
PARALLEL = compile_graph({**PLAIN, "compensation": "parallel"}, CATALOGUE)
CHAIN = compile_graph(
    {"name": "chain", "nodes": NODES, "edges": [{"from": a, "to": b} for a, b in pairwise("abcde")]},
    CATALOGUE,
)


def a_run(id, graph=CHAIN, containers=None, **steps):
    return RunToUndo(id, graph, steps, containers or {})


def free(entries, settled):
    """The entries that may begin when those of `settled` are settled; barriers settle by themselves."""
    blocked = [entry.blocked for entry in entries]
    begun: set[int] = set()
    over = []
    while True:
        fresh = [seq for seq, count in enumerate(blocked) if count == 0 and seq not in begun]
        if not fresh:
            return {(entries[seq].run, entries[seq].node) for seq in begun if seq not in over}
        for seq in fresh:
            begun.add(seq)
            entry = entries[seq]
            if entry.run is None or (entry.run, entry.node) in settled:
                over.append(seq)
                for after in entry.releases:
                    blocked[after] -= 1


def order(entries):
    """What is undone, one after the other, where nothing may be undone at the same time."""
    settled: list[tuple[str, str | None]] = []
    while left := free(entries, set(settled)):
        (one,) = left
        settled.append(one)
    return settled


def undone(entries):
    return [f"{run}.{node}" for run, node in order(entries) if node is not None]


@pytest.mark.parametrize(
    ("left", "settled", "expected"),
    [
        ("abcd", "", "d"),
        ("abc", "", "bc"),
        ("abc", "c", "b"),
        ("abc", "bc", "a"),
        ("ad", "", "d"),
        ("ate", "", "ae"),
        ("te", "e", "t"),
    ],
)
def test_branches_are_undone_as_soon_as_nothing_behind_them_is_left(left, settled, expected):
    entries = undo_plan(a_run("r", PARALLEL, **dict.fromkeys(left, 1.0)))
    assert free(entries, {("r", name) for name in settled}) == {("r", name) for name in expected}


def test_the_last_completed_comes_first_and_of_two_the_one_further_down():
    assert undone(undo_plan(a_run("r", a=1.0, b=3.0, c=2.0, d=3.0))) == ["r.d", "r.b", "r.c", "r.a"]


def test_content_is_undone_in_the_place_of_its_container():
    content = Content(2.0, [a_run("x", a=1.1, b=1.5), a_run("y", a=1.2, b=1.4)])
    entries = undo_plan(a_run("r", containers={"b": content}, a=1.0, c=3.0))
    assert undone(entries) == ["r.c", "x.b", "y.b", "y.a", "x.a", "r.a"]
    assert [run for run, node in order(entries) if node is None] == ["y", "x"]


def test_content_of_a_container_that_did_not_complete_comes_first():
    content = Content(None, [a_run("x", a=1.1)])
    assert undone(undo_plan(a_run("r", containers={"b": content}, a=1.0, c=3.0))) == ["x.a", "r.c", "r.a"]


def test_a_container_in_which_nothing_was_done_is_left_out():
    assert undo_plan(a_run("r", containers={"b": Content(2.0, [a_run("x")])})) == []


def test_children_are_undone_at_the_same_time_where_the_run_says_so():
    content = Content(2.0, [a_run("x", a=1.1, b=1.5), a_run("y", a=1.2, b=1.4)])
    entries = undo_plan(a_run("r", PARALLEL, {"b": content}, a=1.0, d=3.0))
    assert free(entries, set()) == {("r", "d")}
    assert free(entries, {("r", "d")}) == {("x", "b"), ("y", "b")}
    done = {("r", "d"), ("x", "b"), ("x", "a"), ("x", None), ("y", "b"), ("y", "a")}
    assert free(entries, done) == {("y", None)}
    assert free(entries, done | {("y", None)}) == {("r", "a")}


def test_a_child_of_a_child_is_undone_in_its_place():
    inner = a_run("x", containers={"c": Content(1.5, [a_run("z", a=1.3, b=1.4)])}, a=1.1, d=1.6)
    entries = undo_plan(a_run("r", containers={"b": Content(2.0, [inner])}, a=1.0))
    assert undone(entries) == ["x.d", "z.b", "z.a", "x.a", "r.a"]
    assert [run for run, node in order(entries) if node is None] == ["z", "x"]


@st.composite
def trees(draw, depth=3, path="r"):
    """Any run, with steps that were done at any times and containers of any runs."""
    graph = draw(st.sampled_from([CHAIN, GRAPH, PARALLEL]))
    names = st.sampled_from("abcde")
    steps = draw(st.dictionaries(names, st.sampled_from([1.0, 2.0, 3.0, 4.0]), max_size=4))
    containers = {}
    if depth:
        for name in draw(st.sets(names, max_size=2)) - steps.keys():
            count = draw(st.integers(0, 3))
            runs = [draw(trees(depth=depth - 1, path=f"{path}/{name}{place}")) for place in range(count)]
            containers[name] = Content(draw(st.sampled_from([None, 2.5, 5.0])), runs)
    return RunToUndo(path, graph, steps, containers)


def done_in(run):
    yield from ((run.id, node) for node in run.steps)
    for content in run.containers.values():
        for child in content.runs:
            yield from done_in(child)


@given(trees())
def test_any_tree_is_undone_whole_each_step_once_and_each_run_ends_behind_its_own(run):
    entries = undo_plan(run)
    steps = [(entry.run, entry.node) for entry in entries if entry.node is not None]
    assert sorted(steps) == sorted(done_in(run))
    settled: list[tuple[str, str | None]] = []
    while left := free(entries, set(settled)):
        settled.extend(sorted(left, key=str))
    ends = {one: place for place, (one, node) in enumerate(settled) if node is None}
    assert len(settled) == len([entry for entry in entries if entry.run is not None])
    assert all(
        ends[one] > place for place, (one, node) in enumerate(settled) if one in ends and node is not None
    )
    assert run.id not in ends


@given(trees())
def test_a_plan_only_points_forward_to_what_it_counts(run):
    entries = undo_plan(run)
    counted = [0] * len(entries)
    for entry in entries:
        for after in entry.releases:
            counted[after] += 1
    assert [entry.blocked for entry in entries] == counted


def test_only_what_says_so_is_undone_at_the_same_time():
    assert PARALLEL.undoes_together
    assert not GRAPH.undoes_together
