"""Test cases in memory: what is expected of a definition against what it does, with stand-ins for all that is outside.

Nothing here knows a database. Text steps and what the engine does itself really happen, in this process, within a time.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import orjson

from engine import children
from engine.bodies import steps_within
from engine.canonical import canonical_bytes
from engine.catalogue import Json
from engine.decide import describe
from engine.errors import ExpressionError, StepError, failure_of
from engine.graph import Graph, Node, compile_graph
from engine.outcomes import Completed, Failed, Outcome
from engine.problems import Problem
from engine.simulate import FinalState, simulate
from engine.statuses import StepStatus
from engine.validate import validate
from lib.refusals import Invalid
from steps.base import execute, storable
from steps.catalogue import ALL_TYPES, CATALOGUE, EXECUTABLE
from steps.limits import MAX_OUTPUT_BYTES
from steps.schema import problem_of
from workflows.limits import CASE_OUTPUT_BYTES, CASE_VALUES_BYTES
from workflows.trials.rewrite import IN_MEMORY, Stubbed, TrialOptions, trial_definition

Status = Literal["COMPLETED", "FAILED"]

SECONDS = 5.0
NOW = "2026-01-01T00:00:00+00:00"
"""The time in every test case: what reads it gives the same each time."""
RUN_ID = "00000000-0000-7000-8000-000000000000"
STARTED_BY = "somebody"


@dataclass(frozen=True, slots=True)
class Case:
    """What is put in, what the outside answers, and what is expected: `{status, path?, output?}`."""

    id: int
    name: str
    input: Json
    stubs: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    expect: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """The definition, in our own dialect and sound, of which the cases are; `pins` are its pinned outputs.

    `is_valid`: it has no errors at all, so it need not be looked through again.
    """

    definition: Mapping[str, Json]
    workflow: str
    tenant: str
    pins: Mapping[str, Json]
    is_valid: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """What is not as expected: `status`, `path`, `output`, `input`, `stubs`, `problems`, `time` or `size`."""

    what: str
    expected: Json
    got: Json


@dataclass(slots=True)
class Result:
    """What became of a case."""

    id: int
    name: str
    status: Status | None = None
    path: list[str] = field(default_factory=list)
    output: Json = None
    error: Json = None
    differences: list[Difference] = field(default_factory=list)
    stubbed: tuple[Stubbed, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all is as expected."""
        return not self.differences

    def as_dict(self) -> dict[str, Json]:
        """As the API gives it."""
        return {
            "id": self.id,
            "name": self.name,
            "passed": self.passed,
            "status": self.status,
            "path": self.path,
            "output": self.output,
            "error": self.error,
            "differences": [
                {"what": one.what, "expected": one.expected, "got": one.got} for one in self.differences
            ],
            "stubbed": [one.as_dict() for one in self.stubbed],
        }


class _TooMuch(Exception):
    """A case takes more than there is: `what` is `time` or `size`."""

    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what = what
        self.message = message


@dataclass(slots=True)
class _Room:
    """What a case may still take."""

    until: float
    seconds: float
    left: int = CASE_VALUES_BYTES

    def in_time(self) -> None:
        if time.monotonic() >= self.until:
            message = f"All cases together may take {self.seconds:g} seconds, and took longer."
            raise _TooMuch("time", message)

    def take(self, value: Json) -> Json:
        self.left -= len(orjson.dumps(value))
        if self.left < 0:
            raise _TooMuch("size", f"The values of a case may have {CASE_VALUES_BYTES:,} bytes in all.")
        return value


def run_cases(subject: Subject, cases: Sequence[Case], *, seconds: float = SECONDS) -> list[Result]:
    """What becomes of each case, in their order; those for which no time is left fail by saying so."""
    until = time.monotonic() + seconds
    return [_run(subject, case, _Room(until, seconds)) for case in cases]


def _run(subject: Subject, case: Case, room: _Room) -> Result:
    result = Result(case.id, case.name)
    try:
        room.in_time()
        _play(subject, case, room, result)
        if len(orjson.dumps(result.output)) > CASE_OUTPUT_BYTES:
            result.output = None
            raise _TooMuch("size", f"The output of a case may have {CASE_OUTPUT_BYTES:,} bytes.")
    except _TooMuch as excess:
        result.differences = [Difference(excess.what, None, excess.message)]
    return result


def _play(subject: Subject, case: Case, room: _Room, result: Result) -> None:
    trial = trial_definition(subject.definition, options_of(case.stubs, subject.pins))
    result.stubbed = trial.stubbed
    if not subject.is_valid and (errors := _errors(validate(trial.definition, ALL_TYPES))):
        problems = [trial.in_the_original(one).as_dict() for one in errors]
        result.differences = [Difference("problems", [], problems)]
        return
    graph = _timed(compile_graph(trial.definition, EXECUTABLE), room)
    try:
        facts = _facts(subject, graph, case.input)
    except Invalid as refusal:
        result.differences = [Difference("input", None, refusal.message)]
        return
    state = simulate(graph, case.input, partial(_work, room), facts=facts)
    result.status = "COMPLETED" if state.status == "COMPLETED" else "FAILED"
    result.path = [name for name in graph.nodes if _is_completed(state, name)]
    result.output, result.error = state.output, dict(state.error) if state.error else None
    result.differences = list(_differences(case.expect, result))
    if unknown_steps := sorted(case.stubs.keys() - _ids(subject.definition)):
        # A step that got another id would go on with a sample, and nobody would know.
        result.differences.append(Difference("stubs", unknown_steps, []))


def _ids(definition: Mapping[str, Json]) -> set[str]:
    """Its steps, those of containers among them."""
    nodes = definition["nodes"]
    return {step["id"] for node in nodes for step in (node, *steps_within(node, CATALOGUE))}


def options_of(stubs: Mapping[str, Mapping[str, Json]], pins: Mapping[str, Json]) -> TrialOptions:
    """How a case is run: its stubs (`{output}` or `{error}` by step), and the pins of the draft for the rest."""
    return TrialOptions(
        pins={node: stub["output"] for node, stub in stubs.items() if "output" in stub},
        errors={node: stub["error"] for node, stub in stubs.items() if "error" in stub},
        spares=pins,
        in_memory=True,
    )


def _errors(problems: Sequence[Problem]) -> list[Problem]:
    return [one for one in problems if one.severity == "error"]


def _facts(subject: Subject, graph: Graph, input: Json) -> dict[str, Json]:
    """What expressions see as `run`. Raises Invalid where no run can be started with this input."""
    if graph.input_schema is not None and (problem := problem_of(graph.input_schema, input)):
        raise Invalid(f"input{problem[0]}: {problem[1]}")
    key = None
    if graph.business_key is not None:
        try:
            key = str(graph.business_key.render({"input": input, "run": {}, "vars": {}}))
        except ExpressionError as error:
            raise Invalid(f"The business key can't be made: {error}") from None
    return {
        "id": RUN_ID,
        "workflow": subject.workflow,
        "business_key": key,
        "created_by": STARTED_BY,
        "tenant": subject.tenant,
        "now": NOW,
    }


def _work(room: _Room, node: Node, scope: Mapping[str, Json]) -> Outcome:
    """Do a step that asks nobody outside."""
    room.in_time()
    step_type = EXECUTABLE[node.type]
    try:
        if node.spec.asks_people:
            raise StepError("NotInMemory", f"{node.title} asks others: give the case a stub of it.")
        params = node.params.render(scope)
        if node.literal:
            params = {**params, **node.literal}
        if step_type.with_params(params).kind not in IN_MEMORY and step_type.collects is None:
            raise StepError("NotInMemory", f"{node.title} asks others: give the case a stub of it.")
        key = f"{RUN_ID}/{node.id}"
        output = execute(
            step_type, params, scope["prev"], run_id=RUN_ID, node=node.id, attempt=1, idempotency_key=key
        )
        if step_type.collects is not None:
            return children.outcome_of(node, output, scope, partial(_work, room))
        storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES)
    except ExpressionError as error:
        message = f"A param of {node.id} can't be computed: {error}"
        return Failed(describe(failure_of(error, message)))
    except StepError as error:
        return Failed(describe(error))
    return Completed(output)


class _Timed:
    """A template or a condition that is evaluated only while there is room."""

    __slots__ = ("_inner", "_room")

    def __init__(self, inner: Any, room: _Room) -> None:
        self._inner = inner
        self._room = room

    def render(self, scope: Mapping[str, Json]) -> Json:
        self._room.in_time()
        return self._room.take(self._inner.render(scope))

    def is_true(self, scope: Mapping[str, Json]) -> bool:
        self._room.in_time()
        return bool(self._inner.is_true(scope))


def _timed(graph: Graph, room: _Room) -> Graph:
    """The graph; whatever an author wrote in it is evaluated only while there is room."""

    def timed(inner: Any) -> Any:
        return None if inner is None else _Timed(inner, room)

    def timed_node(node: Node) -> Node:
        return replace(
            node,
            params=timed(node.params),
            mapping=timed(node.mapping),
            sets=timed(node.sets),
            edges=tuple(replace(edge, when=timed(edge.when)) for edge in node.edges),
            conditions={name: timed(condition) for name, condition in node.conditions.items()},
            body=None if node.body is None else timed_node(node.body),
            part=None if node.part is None else _timed(node.part, room),
        )

    nodes = {name: timed_node(node) for name, node in graph.nodes.items()}
    return replace(graph, nodes=nodes, output=timed(graph.output))


def _is_completed(state: FinalState, name: str) -> bool:
    return name in state.steps and state.steps[name].status == StepStatus.COMPLETED


def _differences(expect: Mapping[str, Json], result: Result) -> list[Difference]:
    differences = []
    if result.status != expect.get("status", "COMPLETED"):
        differences.append(Difference("status", expect.get("status", "COMPLETED"), result.status))
    path = expect.get("path")
    if path is not None and set(path) != set(result.path):
        differences.append(Difference("path", path, result.path))
    if "output" in expect and canonical_bytes(expect["output"]) != canonical_bytes(result.output):
        differences.append(Difference("output", expect["output"], result.output))
    return differences
