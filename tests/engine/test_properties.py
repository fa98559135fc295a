"""What holds for every graph, whatever its steps give and in whatever order (R-263): the core against the reference."""

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given

from engine.decide import Completed, Failed, Outcome
from engine.graph import compile_graph
from engine.simulate import FinalState, simulate
from steps.catalogue import CATALOGUE
from tests.engine import reference
from tests.engine.strategies import QUICK, SOAK, Case, Order, Pick, cases

Json = Any


def play(case: Case, pick: Pick) -> FinalState:
    """The run as the core plays it."""
    script: dict[str, Outcome] = {
        name: Completed(value) if kind == "completed" else Failed(value)
        for name, (kind, value) in case.script.items()
    }
    return simulate(compile_graph(case.definition, CATALOGUE), case.run_input, script, pick)


def read(case: Case, order: Order) -> reference.Final:
    """The run as the page tells it."""
    return reference.interpret(case.definition, case.run_input, case.script, order.pick())


def plain(value: Json) -> Json:
    """`value` with errors cut down to their codes: their sentences are not the reference's business."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    cut = {"code": value["error"]["code"]} if "code" in (value.get("error") or {}) else None
    return {key: cut if key == "error" and cut else plain(item) for key, item in value.items()}


def told_by_core(case: Case, state: FinalState) -> dict[str, Json]:
    """All that can be said of a run in memory."""
    return {
        "status": str(state.status),
        "output": plain(state.output),
        "steps": {name: _step(step, str(step.status)) for name, step in state.steps.items()},
        "taken": {(name, target) for name, step in state.steps.items() for target in step.taken},
        "arrived": {(source, name) for name, join in state.joins.items() for source in join.arrived},
    }


def told_by_page(case: Case, final: reference.Final) -> dict[str, Json]:
    """The same of the reference's run; at joins only, an edge leaves a trace when it is dead."""
    degree = {
        name: len({e["from"] for e in case.definition["edges"] if e["to"] == name}) for name in final.steps
    }
    return {
        "status": final.status,
        "output": plain(final.output),
        "steps": {name: _step(step, step.status) for name, step in final.steps.items()},
        "taken": {link for link, taken in final.links.items() if taken},
        "arrived": {link for link in final.links if degree.get(link[1], 2) > 1},
    }


def _step(step: Any, status: str) -> tuple[str, Json, Json]:
    result = {"COMPLETED": plain(step.output), "FAILED": (step.error or {}).get("code")}.get(status)
    return status, plain(step.given), result


@given(cases())
@QUICK
def test_every_run_ends_with_nothing_left_open(case):
    state = play(case, case.order.pick())

    assert state.status in ("COMPLETED", "FAILED")
    assert not {str(step.status) for step in state.steps.values()} & {"QUEUED", "RUNNING", "WAITING"}


@given(cases())
@QUICK
def test_a_join_fires_once_and_each_edge_into_it_arrives_once(case):
    joins = play(case, case.order.pick()).joins.values()

    assert all(join.fired <= 1 for join in joins)
    assert all(len(set(join.arrived)) == len(join.arrived) for join in joins)
    assert all(set(join.taken) <= set(join.arrived) for join in joins)


@given(cases())
@QUICK
def test_nothing_is_skipped_while_an_edge_into_it_may_still_be_taken(case):
    state = play(case, case.order.pick())

    for node in case.definition["nodes"]:
        if node["id"] in state.steps and state.steps[node["id"]].status == "SKIPPED":
            sources = {edge["from"] for edge in case.definition["edges"] if edge["to"] == node["id"]}
            taken = {name for name, step in state.steps.items() if node["id"] in step.taken}
            join = node.get("join")
            needed = join["n_of"] if isinstance(join, dict) else len(sources) if join == "all" else 1
            assert len(taken) < needed


@given(cases())
@QUICK
def test_every_run_goes_as_the_page_says(case):
    final = read(case, case.order)
    assume(not final.tied)

    assert told_by_core(case, play(case, case.order.pick())) == told_by_page(case, final)


@given(cases(races=False))
@QUICK
def test_where_joins_wait_for_all_their_edges_any_order_leads_to_the_same_end(case):
    told, other = told_by_core(case, play(case, case.order.pick())), read(case, case.other_order)

    assert told["status"] == other.status
    if other.status == "COMPLETED":
        assert told == told_by_page(case, other)


@given(cases())
@QUICK
def test_any_partition_of_the_outcomes_into_batches_leads_to_the_same_end(case):
    ended: list[str] = []
    one_by_one = play(case, _recording(ended, Order(case.order.ranks, (1,)).pick()))
    in_batches = play(case, _replaying(ended, case.other_order.sizes))

    if one_by_one.status == "COMPLETED":
        assert told_by_core(case, in_batches) == told_by_core(case, one_by_one)
    else:
        assert in_batches.error == one_by_one.error


def _recording(ended: list[str], pick: Pick) -> Pick:
    def choose(open_steps: list[str]) -> list[str]:
        ended.extend(pick(open_steps))
        return ended[-1:]

    return choose


def _replaying(ended: list[str], sizes: tuple[int, ...]) -> Pick:
    """The same outcomes in the same order, several at a time where they are open together."""
    left, turn = list(ended), 0

    def choose(open_steps: list[str]) -> list[str]:
        nonlocal turn
        turn += 1
        batch: list[str] = []
        while left and left[0] in open_steps and len(batch) < sizes[turn % len(sizes)]:
            batch.append(left.pop(0))
        return batch

    return choose


@given(cases())
@QUICK
def test_a_step_gets_what_the_taken_edges_into_it_carry(case):
    state = play(case, case.order.pick())

    for node in case.definition["nodes"]:
        name, step = node["id"], state.steps.get(node["id"])
        sources = {edge["from"] for edge in case.definition["edges"] if edge["to"] == name}
        if len(sources) > 1 and step and step.status != "SKIPPED" and "input" not in node:
            join = node.get("join", "any_taken")
            least = join["n_of"] if isinstance(join, dict) else len(sources) if join == "all" else 1
            assert set(step.given) <= sources
            assert len(step.given) == least or (join == "any_taken" and step.given)
            assert all(step.given[source] == state.steps[source].output for source in step.given)


def test_the_reference_imports_nothing_of_ours():
    tree = ast.parse(Path(reference.__file__).read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}

    assert modules | names == {"collections.abc", "dataclasses", "typing"}


@pytest.mark.soak
@pytest.mark.parametrize(
    "prove",
    [
        test_every_run_ends_with_nothing_left_open,
        test_a_join_fires_once_and_each_edge_into_it_arrives_once,
        test_nothing_is_skipped_while_an_edge_into_it_may_still_be_taken,
        test_every_run_goes_as_the_page_says,
        test_any_partition_of_the_outcomes_into_batches_leads_to_the_same_end,
        test_a_step_gets_what_the_taken_edges_into_it_carry,
    ],
    ids=lambda prove: prove.__name__.removeprefix("test_"),
)
def test_twenty_thousand_random_graphs(prove):
    @given(cases())
    @SOAK
    def at_length(case):
        prove.hypothesis.inner_test(case)

    at_length()
