"""What holds for every graph, whatever its steps give and in whatever order (R-263): the core against the reference."""

import ast
from pathlib import Path

import pytest
from hypothesis import assume, given

from engine.validate import validate
from steps.catalogue import CATALOGUE
from tests.engine import lives, reference
from tests.engine.strategies import QUICK, SOAK, Order, Pick, cases
from tests.engine.telling import play, read, told_by_core, told_by_page, wrong_joins


@given(cases())
@QUICK
def test_every_random_graph_is_one_that_can_be_published(case):
    """But for joins that never fire, which are drawn, too."""
    errors = [problem for problem in validate(case.definition, CATALOGUE) if problem.severity == "error"]
    assert {problem.code for problem in errors} <= {"join_never_fires"}


@given(cases())
@QUICK
def test_every_run_ends_with_nothing_left_open(case):
    """H-2: what depends on a failed or skipped step is decided, too."""
    state = play(case, case.order.pick())

    assert state.status in ("COMPLETED", "FAILED")
    assert not {str(step.status) for step in state.steps.values()} & {"QUEUED", "RUNNING", "WAITING"}


@given(cases())
@QUICK
def test_a_join_fires_once_and_each_edge_into_it_arrives_once(case):
    """H-23: edges are counted, not first steps of branches."""
    joins = play(case, case.order.pick()).joins

    assert all(join.fired <= 1 for join in joins.values())
    assert all(len(set(join.arrived)) == len(join.arrived) for join in joins.values())
    assert all(set(join.taken) <= set(join.arrived) for join in joins.values())
    assert all(set(join.arrived) <= case.sources_of(name) for name, join in joins.items())


@given(cases())
@QUICK
def test_nothing_is_skipped_while_an_edge_into_it_may_be_taken_and_a_join_is_given_what_was(case):
    """H-6: an edge dies, and a node only when all of its edges did."""
    assert wrong_joins(case, told_by_core(play(case, case.order.pick()))) == []


@given(cases())
@QUICK
def test_every_run_goes_as_the_page_says(case):
    final = read(case, case.order)
    assume(not final.tied)

    assert told_by_core(play(case, case.order.pick())) == told_by_page(final)


@given(cases())
@QUICK
def test_every_run_of_an_older_version_goes_as_it_did(case):
    final = read(case, case.order, rules=1)
    assume(not final.tied)

    assert told_by_core(play(case, case.order.pick(), rules=1)) == told_by_page(final)


@given(cases())
@QUICK
def test_a_step_that_has_begun_is_finished_before_its_run_completes(case):
    """Unless every path from it ends in a join that started early, or a step has ended the run."""
    told = told_by_core(play(case, case.order.pick()))
    status = {name: step[0] for name, step in told["steps"].items()}
    ended = any(node["type"] == "end" and status.get(node["id"]) == "COMPLETED" for node in case.nodes)
    if told["status"] != "COMPLETED" or ended:
        return
    interrupted = {name for name, (kind, _) in case.script.items() if kind == "interrupted"}
    early = {node["id"] for node in case.nodes if _starts_early(node) and status.get(node["id"]) != "SKIPPED"}
    for name in status:
        if status[name] == "CANCELLED" and name not in interrupted:
            assert _ends_in(case, name, early), name


def _starts_early(node):
    return node.get("join") == "any" or isinstance(node.get("join"), dict)


def _ends_in(case, name, joins):
    """Whether every path from a node leads through one of these joins."""
    targets = {edge["to"] for edge in case.definition["edges"] if edge["from"] == name}
    return bool(targets) and all(target in joins or _ends_in(case, target, joins) for target in targets)


@given(cases())
@QUICK
def test_no_run_completes_with_a_join_skipped_that_something_led_to_and_no_end_reached(case):
    told = told_by_core(play(case, case.order.pick()))
    taken_into = {target for _, target in told["taken"]}
    status = {name: step[0] for name, step in told["steps"].items()}
    skipped = [node["id"] for node in case.nodes if status.get(node["id"]) == "SKIPPED"]
    if told["status"] == "COMPLETED" and taken_into.intersection(skipped):
        followed = {edge["from"] for edge in case.definition["edges"] if edge.get("on") != "error"}
        rung = {node["id"] for node in case.nodes if node.get("boundary_timers")}
        last = set(status) - (followed - rung)
        assert any(status[name] in ("COMPLETED", "FAILED") for name in last)


@given(cases())
@QUICK
def test_what_is_said_of_joins_beforehand_holds_in_every_run(case):
    """One that never fires doesn't, and one of which nothing is said is not skipped once something led to it."""
    problems = validate(case.definition, CATALOGUE)
    said = {problem.node: problem.code for problem in problems if problem.code.startswith("join_")}
    told = told_by_core(play(case, case.order.pick()))
    taken_into = {target for _, target in told["taken"]}
    for node in case.nodes:
        status = told["steps"].get(node["id"], ("PENDING",))[0]
        if said.get(node["id"]) == "join_never_fires":
            assert status in ("PENDING", "SKIPPED"), node["id"]
        elif node.get("join") == "all" and node["id"] not in said and told["status"] == "COMPLETED":
            assert status != "SKIPPED" or node["id"] not in taken_into, node["id"]


@given(cases(races=False))
@QUICK
def test_where_joins_wait_for_all_their_edges_any_order_leads_to_the_same_end(case):
    told, other = told_by_core(play(case, case.order.pick())), read(case, case.other_order)

    assert told["status"] == other.status
    if other.status == "COMPLETED":
        assert told == told_by_page(other)


@given(cases())
@QUICK
def test_any_partition_of_the_outcomes_into_batches_leads_to_the_same_end(case):
    ended: list[str] = []
    one_by_one = play(case, _recording(ended, Order(case.order.ranks, (1,)).pick()))
    in_batches = play(case, _replaying(ended, case.other_order.sizes))

    if one_by_one.status == "COMPLETED":
        assert told_by_core(in_batches) == told_by_core(one_by_one)
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


def test_the_reference_imports_nothing_of_ours():
    found: set[str | None] = set()
    for module in (reference, lives):
        tree = ast.parse(Path(module.__file__).read_text())
        found |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        found |= {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }

    assert found == {"collections.abc", "dataclasses", "typing", lives.__name__}


@pytest.mark.soak
@pytest.mark.parametrize(
    "prove",
    [
        test_every_run_ends_with_nothing_left_open,
        test_a_join_fires_once_and_each_edge_into_it_arrives_once,
        test_nothing_is_skipped_while_an_edge_into_it_may_be_taken_and_a_join_is_given_what_was,
        test_every_run_goes_as_the_page_says,
        test_any_partition_of_the_outcomes_into_batches_leads_to_the_same_end,
    ],
    ids=lambda prove: prove.__name__.removeprefix("test_"),
)
def test_twenty_thousand_random_graphs(prove):
    @given(cases())
    @SOAK
    def at_length(case):
        prove.hypothesis.inner_test(case)

    at_length()


@given(cases())
@QUICK
def test_no_step_with_branches_completes_without_one_of_its_conditional_edges(case):
    """H-7: a run doesn't complete with nothing done because an output has no branch, or an unknown one."""
    told = told_by_core(play(case, case.order.pick()))
    for node in case.definition["nodes"]:
        edges = [edge for edge in case.definition["edges"] if edge["from"] == node["id"]]
        status, _, output = told["steps"].get(node["id"], ("PENDING", None, None))[:3]
        if status != "COMPLETED" or node.get("allow_no_match") or not any("branch" in edge for edge in edges):
            continue
        named = {edge["branch"] for edge in edges if "branch" in edge}
        others = any(edge.get("default") or "when" in edge for edge in edges)
        assert (
            others
            or node["type"] == "decision"
            or (isinstance(output, dict) and output.get("branch") in named)
        )
