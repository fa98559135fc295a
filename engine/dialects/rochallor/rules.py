"""What is wrong with a rochallor document beside its shape: the public engine's rules, and what Handoff can't do."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from engine.catalogue import Json
from engine.definition import NODE_ID, QUEUE_NAME, TEN_YEARS, VARIABLE_NAME, WORKFLOW_NAME
from engine.dialects.base import Document, Finding
from engine.dialects.rochallor.flow import Flow
from engine.dialects.rochallor.grammar import BadText, Tree, parsed
from engine.dialects.rochallor.shape import (
    DECISION,
    END,
    JOIN,
    PARALLEL,
    SERVICE,
    TRANSFORMATION,
    TYPES,
    WAIT,
    WAITING,
    Step,
)
from engine.dialects.rochallor.spelling import cel, may_be_condition, substituted, tree_of
from engine.durations import parse_duration
from engine.errors import ExpressionInvalid
from engine.expressions import compile_expression
from engine.holes import join_path
from engine.limits import IMPORTED_ID_CHARACTERS, STEP_VARIABLES
from engine.problems import quoted

OURS: Final = re.compile(NODE_ID)
_NAME, _QUEUE, _VARIABLE = re.compile(WORKFLOW_NAME), re.compile(QUEUE_NAME), re.compile(VARIABLE_NAME)
_HOLE = re.compile(r"\$\{(.*)\}", re.DOTALL)


def findings(document: Document) -> Iterator[Finding]:
    """All that is wrong with a document in its normal form."""
    yield from _top(document)
    steps: list[Step] = document["steps"]
    if not steps:
        yield Finding("`steps` must not be empty.", "steps")
        return
    by_id: dict[str, Step] = {}
    for at, step in enumerate(steps):
        yield from _named(step, f"steps[{at}]", by_id)
        if step.get("id"):
            by_id.setdefault(step["id"], step)
    for at, step in enumerate(steps):
        yield from _step(step, f"steps[{at}]", by_id)
    if len(by_id) == len(steps):
        yield from _graph(steps, by_id)


def _top(document: Document) -> Iterator[Finding]:
    name = document.get("id")
    if not name:
        yield Finding("`id` is missing: add it.", "id")
    elif not _NAME.fullmatch(name):
        yield Finding("`id` must have 1 to 256 letters, digits, `_`, `:` and `-`.", "id")
    if not str(document.get("name", "")).strip():
        yield Finding("`name` is missing: add it.", "name")
    following = document.get("nextWorkflowId")
    if document.get("autoStartNextWorkflow") and not following:
        message = "`nextWorkflowId` is missing, and autoStartNextWorkflow is true: add it."
        yield Finding(message, "nextWorkflowId")
    elif document.get("autoStartNextWorkflow") and not _NAME.fullmatch(str(following)):
        message = "`nextWorkflowId` must have 1 to 256 letters, digits, `_`, `:` and `-`."
        yield Finding(message, "nextWorkflowId")


def _named(step: Step, place: str, by_id: Mapping[str, Step]) -> Iterator[Finding]:
    name = step.get("id", "")
    if not name.strip():
        yield Finding(f"`{place}.id` is missing: add it.", f"{place}.id")
    elif name in by_id:
        yield Finding(f"The id {quoted(name)} is used twice: change one of them.", f"{place}.id")
    elif len(name) > IMPORTED_ID_CHARACTERS:
        yield Finding(f"`{place}.id` is longer than {IMPORTED_ID_CHARACTERS} characters.", f"{place}.id")
    # A step in the seed's text has none; one that is there says something.
    if "name" in step and not step["name"].strip():
        yield Finding(f"`{place}.name` is empty: fill it in.", f"{place}.name")


def _step(step: Step, place: str, by_id: Mapping[str, Step]) -> Iterator[Finding]:
    kind = step.get("type")
    if kind not in TYPES:
        reason = f"There is no step type {quoted(kind)}" if kind else f"`{place}.type` is missing"
        yield Finding(f"{reason}: types are {', '.join(TYPES)}.", f"{place}.type")
        return
    yield from _own_fields(step, kind, place)
    yield from _ends(step, kind, place, by_id)
    yield from _timers(step, kind, place, by_id)
    if kind == DECISION or kind in WAITING:
        for text in step.get("conditionalNextSteps", ()):
            field = join_path(f"{place}.conditionalNextSteps", text)
            yield from _condition(text, field)
    if kind == TRANSFORMATION:
        yield from _transformations(step, place)


def _own_fields(step: Step, kind: str, place: str) -> Iterator[Finding]:
    required_fields = {
        SERVICE: ("jobType",),
        DECISION: ("conditionalNextSteps",),
        TRANSFORMATION: ("nextStep", "transformations"),
        WAIT: ("nextStep",),
        PARALLEL: ("joinStep",),
        JOIN: ("nextStep",),
    }
    for name in required_fields.get(kind, ()):
        if not step.get(name) or not str(step[name]).strip():
            yield Finding(f"A {kind} needs `{name}`: add it.", f"{place}.{name}")
    if kind == SERVICE and step.get("jobType") and not _QUEUE.fullmatch(step["jobType"]):
        message = "`jobType` must have 1 to 256 letters, digits, `_`, `.`, `:` and `-`."
        yield Finding(message, f"{place}.jobType")
    if kind == PARALLEL and len(set(step.get("parallelNextSteps", ()))) < 2:
        yield Finding(f"A {kind} needs two different `parallelNextSteps`.", f"{place}.parallelNextSteps")


def _ends(step: Step, kind: str, place: str, by_id: Mapping[str, Step]) -> Iterator[Finding]:
    """All steps that one names are there, also where it never leads to them."""
    targets: list[tuple[str, str]] = []
    for key in ("nextStep", "joinStep"):
        targets += [(f"{place}.{key}", step[key])] if step.get(key) else []
    paths = enumerate(step.get("parallelNextSteps", ()))
    targets += [(f"{place}.parallelNextSteps[{at}]", name) for at, name in paths]
    branches = step.get("conditionalNextSteps", {}).items()
    targets += [(join_path(f"{place}.conditionalNextSteps", text), name) for text, name in branches]
    for field, name in targets:
        if name not in by_id:
            yield Finding(f"There is no step {quoted(name)}.", field)
    join = by_id.get(step.get("joinStep", ""))
    if kind == PARALLEL and join is not None and join.get("type") != JOIN:
        message = f"`joinStep` must be a {JOIN}, and {quoted(step['joinStep'])} is none."
        yield Finding(message, f"{place}.joinStep")


def _timers(step: Step, kind: str, place: str, by_id: Mapping[str, Step]) -> Iterator[Finding]:
    timers = step.get("boundaryEvents", ())
    if timers and kind not in WAITING:
        message = f"A {kind} has no boundary events: only {', '.join(WAITING)} have."
        yield Finding(message, f"{place}.boundaryEvents")
    for at, timer in enumerate(timers):
        where = f"{place}.boundaryEvents[{at}]"
        if timer.get("type") != "TIMER":
            yield Finding("The type of a boundary event must be TIMER.", f"{where}.type")
        if fault := _length_fault(timer.get("duration", "")):
            yield Finding(f"`duration` {fault}.", f"{where}.duration")
        target = timer.get("targetStepId", "")
        if target not in by_id:
            reason = f"There is no step {quoted(target)}" if target else "`targetStepId` is missing"
            yield Finding(f"{reason}.", f"{where}.targetStepId")


def _length_fault(text: str) -> str | None:
    try:
        seconds = parse_duration(text).total_seconds()
    except ValueError as fault:
        return str(fault)
    return None if 0 < seconds <= TEN_YEARS else "must be more than zero, and ten years at most"


def _condition(text: str, field: str) -> Iterator[Finding]:
    try:
        tree = parsed(text)
        expression = compile_expression(cel(tree))
    except (BadText, ExpressionInvalid) as fault:
        yield Finding(f"The condition {quoted(text)} can't be read: {fault}.", field)
        return
    if not (may_be_condition(tree) and expression.returns_bool):
        yield Finding(f"The condition {quoted(text)} is never true or false.", field)


def _transformations(step: Step, place: str) -> Iterator[Finding]:
    transformations = step.get("transformations", {})
    if len(transformations) > STEP_VARIABLES:
        message = f"A {TRANSFORMATION} sets {STEP_VARIABLES} variables at most."
        yield Finding(message, f"{place}.transformations")
    for name in transformations:
        if not _VARIABLE.fullmatch(name):
            message = f"{quoted(name)} is not a valid variable name: letters, digits and `_`, up to 64."
            yield Finding(message, join_path(f"{place}.transformations", name))
    for name, fault in transformed(transformations)[1].items():
        message = f"The value of {quoted(name)} can't be read: {fault}."
        yield Finding(message, join_path(f"{place}.transformations", name))


def expression_in(value: Json) -> str | None:
    """What stands in `${…}`, where a value is that and nothing else."""
    match = _HOLE.fullmatch(value) if isinstance(value, str) else None
    return match[1].strip() if match else None


def transformed(transformations: Mapping[str, Json]) -> tuple[dict[str, Tree], dict[str, str]]:
    """The expressions of transformations by variable, and what is wrong with others.

    Each sees what those before it in the text have set, so that is put in its place.
    """
    trees: dict[str, Tree] = {}
    faults: dict[str, str] = {}
    seen: dict[str, Tree | None] = {}
    for name, value in transformations.items():
        text = expression_in(value)
        if text is None:
            seen[name] = tree_of(value)
            continue
        try:
            trees[name] = substituted(parsed(text, may_tell_time=True), seen)
            compile_expression(cel(trees[name]))
        except (BadText, ExpressionInvalid) as fault:
            faults[name] = str(fault)
        else:
            seen[name] = trees[name]
    return trees, faults


def _graph(steps: list[Step], by_id: Mapping[str, Step]) -> Iterator[Finding]:
    flow = Flow(by_id)
    places = {step["id"]: f"steps[{at}]" for at, step in enumerate(steps)}
    reached = {*flow.reach([steps[0]["id"]])}
    for name, place in places.items():
        if name not in reached:
            yield Finding(f"No path leads to the step {quoted(name)}.", place)
    if not any(by_id[name].get("type") == END for name in reached):
        yield Finding(f"No path leads to a step of the type {END}.", "steps")
    if (name := flow.cycle()) is not None:
        message = f"The steps lead back to {quoted(name)}: Handoff runs each step once, so remove that path."
        yield Finding(message, places[name])
        return
    for gateway, inside in flow.within.items():
        yield from _inside(gateway, inside, flow, places)
    for name, parting in flow.meetings():
        message = (
            f"Two ways lead to {quoted(name)} at once from {quoted(parting)}, and Handoff does each step once: "
            f"let them meet in a {JOIN}, or end one of them."
        )
        yield Finding(message, places[name])


def _inside(gateway: str, inside: frozenset[str], flow: Flow, places: Mapping[str, str]) -> Iterator[Finding]:
    for name in places:
        kind = flow.steps[name].get("type")
        if name not in inside or kind == END:
            continue
        if kind == PARALLEL:
            message = f"{quoted(name)} begins parallel paths within those of {quoted(gateway)}."
            yield Finding(message, places[name])
        elif name in flow.outside:
            message = (
                f"{quoted(name)} stands within the parallel paths of {quoted(gateway)} and outside of them, too: "
                "let each of these paths lead to their join, or end."
            )
            yield Finding(message, places[name])
            return
