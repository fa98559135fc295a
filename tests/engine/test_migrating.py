"""Whether a run fits another version (R-010): whatever was changed in the graph, a run that is moved ends."""

import copy
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.graph import compile_graph
from engine.migrating import InHand, Standing, Version, misfits
from engine.outcomes import Completed, Failed, Interrupted
from engine.overrides import KeepResult
from engine.simulate import FinalState, StepState, simulate
from engine.statuses import StepStatus
from engine.validate import validate
from steps.catalogue import CATALOGUE, EXECUTABLE
from steps.schema import problem_of
from tests.engine.strategies import QUICK, cases
from tests.engine.telling import _outcome

NEW = {"type": "noop", "retry": "none"}


def begun(case, count):
    """The run of the case after `count` of its steps have ended, one after another."""
    pick, left = case.order.pick(), [None] * count

    def some(open_steps):
        return [*pick(open_steps)][:1] if left and left.pop() is None else []

    script = {name: _outcome(name, *ending) for name, ending in case.script.items()}
    graph = compile_graph(case.definition, EXECUTABLE)
    return simulate(graph, case.run_input, script, some)


def standing_of(state):
    done, in_hand = {}, {}
    for name, step in state.steps.items():
        if step.status == StepStatus.QUEUED:
            in_hand[name] = InHand("WAITING", fired=step.fired)
        elif step.status == StepStatus.COMPLETED:
            done[name] = KeepResult(Completed(step.output), input=step.input, row=name)
        elif step.status == StepStatus.FAILED and step.output is not None:
            done[name] = KeepResult(Failed(step.error), StepStatus.FAILED, input=step.input, row=name)
        elif step.status == StepStatus.CANCELLED:
            done[name] = KeepResult(Interrupted(step.taken[-1], step.output), step.status, row=name)
    return Standing(state.input, done, in_hand)


def moved(state, standing, graph, walked):
    """The run as it stands on the other graph."""
    steps = {name: state.steps[name] for name in {*standing.done, *standing.in_hand}}
    for new in walked.steps:
        steps[new.node.id] = StepState(new.status, new.input, new.output, new.error, new.taken)
    variables = dict(state.variables)
    for assigned in walked.variables:
        variables |= assigned.values
    return FinalState(
        graph, state.input, steps=steps, joins=walked.joins, sinks=[*walked.sinks], variables=variables
    )


def compared(case, definition, state):
    old = Version(state.graph, case.definition)
    new = Version(compile_graph(definition, EXECUTABLE), definition)
    standing = standing_of(state)
    problems, walked = misfits(old, new, standing, state.scope(), problem_of)
    return problems, walked, standing, new.graph


def ended(case, state):
    """The run to its end: what the script doesn't know gives an empty output, or takes its first branch."""

    def does(node, scope):
        if node.id in case.script and not (
            case.script[node.id][0] == "interrupted"
            and case.script[node.id][1] not in {timer.target for timer in node.boundary}
        ):
            return _outcome(node.id, *case.script[node.id])
        return Completed(scope["prev"])

    return simulate(state.graph, state.input, does, begun=state)


@given(cases(), st.integers(0, 8))
@QUICK
def test_a_run_fits_its_own_graph_wherever_it_stands_and_ends_there(case, count):
    state = begun(case, count)
    if state.status != "RUNNING" or state.error is not None:
        return
    problems, walked, standing, graph = compared(case, case.definition, state)

    assert [one for one in problems if one.code != "leads_nowhere"] == []
    assert walked.begins == []
    final = ended(case, moved(state, standing, graph, walked))
    assert final.status in ("COMPLETED", "FAILED")


def mutated(case, seed):
    """The definition with one to three changes: a step gone, new before, beside or behind another; other joins."""
    definition = copy.deepcopy(case.definition)
    for turn in range(1 + seed % 3):
        nodes, edges = definition["nodes"], definition["edges"]
        if not nodes:
            break
        at = nodes[(seed // (7 + turn)) % len(nodes)]
        name, new = at["id"], f"new{turn}"
        match (seed // (3 + turn)) % 6:
            case 0:
                definition["nodes"] = [node for node in nodes if node["id"] != name]
                definition["edges"] = [edge for edge in edges if name not in (edge["from"], edge["to"])]
            case 1:
                nodes.append({"id": new, **NEW})
                edges.append({"from": new, "to": name})
            case 2:
                nodes.append({"id": new, **NEW})
                edges.append({"from": name, "to": new})
            case 3:
                at.pop("join", None)
                at["join"] = ("all", "any", "any_taken")[seed % 3]
            case 4 if edges:
                edges.pop(seed % len(edges))
            case _:
                nodes.append({"id": new, **NEW})
                for edge in [edge for edge in edges if edge["to"] == name]:
                    edge["to"] = new
                edges.append({"from": new, "to": name})
    return definition


def is_valid(definition):
    return bool(definition["nodes"]) and not any(
        problem.severity == "error" for problem in validate(definition, CATALOGUE)
    )


@given(cases(), st.integers(0, 8), st.integers(0, 10_000))
@QUICK
def test_a_run_that_is_moved_to_a_changed_graph_ends_and_nothing_is_left_open(case, count, seed):
    definition, state = mutated(case, seed), begun(case, count)
    if not is_valid(definition) or state.status != "RUNNING" or state.error is not None:
        return
    problems, walked, standing, graph = compared(case, definition, state)
    if problems:
        assert all(one.message and one.code for one in problems)
        return

    final = ended(case, moved(state, standing, graph, walked))

    assert final.status in ("COMPLETED", "FAILED")
    assert not {str(step.status) for step in final.steps.values()} & {"QUEUED", "RUNNING", "WAITING"}
    if final.status == "COMPLETED":
        # A join that is decided early leaves nodes before it undecided.
        assert final.steps.keys() >= set(graph.sinks)


def chain(*nodes, **extra):
    made = [
        {"type": "noop", **node} if isinstance(node, dict) else {"id": node, "type": "noop"} for node in nodes
    ]
    edges = [{"from": a["id"], "to": b["id"]} for a, b in pairwise(made)]
    return {"name": "w", "nodes": made, "edges": edges, **extra}


A = {"id": "a", "type": "noop"}
DECIDE = {"id": "b", "type": "approval", "params": {"title": "Well?"}}
SIGNAL = {"id": "b", "type": "signal", "params": {"name": "paid"}}


@pytest.mark.parametrize(
    ("old", "new", "step", "codes"),
    [
        (chain("a", "b"), chain("a", "c"), InHand("QUEUED"), ["step_gone"]),
        (chain("a", "b"), chain("b"), InHand("QUEUED"), ["step_gone"]),
        (chain("a", "b"), chain("c"), InHand("QUEUED"), ["step_gone", "step_gone"]),
        (
            chain("a", "b"),
            chain("a", {"id": "b", "type": "job", "queue": "q"}),
            InHand("QUEUED"),
            ["step_changed"],
        ),
        (chain("a", "b"), chain("a", "n", "b"), InHand("QUEUED"), ["not_reached"]),
        (chain("a", "b"), chain("a", "b"), InHand("RUNNING", busy=True), ["being_worked_on"]),
        (
            chain("a", SIGNAL),
            chain("a", {**SIGNAL, "params": {"name": "sent"}}),
            InHand("WAITING", "signal"),
            ["wait_changed"],
        ),
        (chain("a", SIGNAL), chain("a", SIGNAL, "c"), InHand("WAITING", "signal"), []),
        (
            chain("a", {**SIGNAL, "boundary_timers": [{"after_seconds": 9, "to": "c"}]}, "c"),
            chain("a", SIGNAL, "c"),
            InHand("WAITING", "signal"),
            ["timer_gone"],
        ),
        (
            chain({**A, "compensate": {"type": "noop"}}, "b"),
            chain("a", "b"),
            InHand("QUEUED"),
            ["compensation_gone"],
        ),
        (
            chain("a", "b"),
            chain("a", "b", input_schema={"type": "array"}),
            InHand("QUEUED"),
            ["input_invalid"],
        ),
        (chain("a", "b"), chain("a", "b", "c"), InHand("QUEUED"), []),
    ],
)
def test_what_stands_against_a_version(old, new, step, codes):
    standing = Standing({"n": 1}, {"a": KeepResult(Completed({"n": 1}), row="a")}, {"b": step})
    versions = [Version(compile_graph(one, EXECUTABLE), one) for one in (old, new)]

    problems, _ = misfits(*versions, standing, {"input": {"n": 1}}, problem_of)

    assert [one.code for one in problems] == codes


def test_a_step_beside_what_is_in_hand_begins_at_once():
    old, new = chain("a", "b"), chain("a", "b")
    new["nodes"].append({"id": "n", "type": "noop"})
    new["edges"].append({"from": "a", "to": "n"})
    standing = Standing(None, {"a": KeepResult(Completed(None), row="a")}, {"b": InHand("WAITING", "timer")})
    versions = [Version(compile_graph(one, EXECUTABLE), one) for one in (old, new)]

    problems, walked = misfits(*versions, standing, {"input": None}, problem_of)

    assert (problems, walked.begins) == ([], ["n"])
