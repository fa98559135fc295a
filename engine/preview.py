"""What an expression, or a value with holes, gives with a sample: what an editor shows beside it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json, Keys
from engine.cel_reads import Path
from engine.checks.nodes import params_problems
from engine.checks.outline import OutlineNode
from engine.checks.references import Check
from engine.entries import kind_of, path_of
from engine.errors import ExpressionError, ExpressionInvalid, OutOfTime, TooMuchWork
from engine.expressions import compile_expression
from engine.holes import field_at, has_holes, split_holes, strings_with_holes
from engine.problems import Problem
from engine.surroundings import BeforeEach, Spot, Surroundings
from engine.templates import compile_template
from engine.typed_texts import FACTS
from engine.work import EXPRESSIONS_UNITS, sharing_at

CONDITIONS = ("when", "round")

_COLUMN = re.compile(r"\(at (?:line (\d+), )?column (\d+)\)")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no value: `code` is bad_expression, no_sample, failed or too_much_work; `at` where to look."""

    code: str
    message: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """The value, or the fault instead; what is read; what `validate` says of it; why the value doesn't belong there."""

    value: Json = None
    fault: Fault | None = None
    reads: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    mismatch: str | None = None

    @property
    def type(self) -> str:
        """The JSON type of the value."""
        return kind_of(self.value)


def preview(around: Surroundings, spot: Spot, text: Json) -> Shown:
    """What `text` gives at a place. Raises NoSuchPlace."""
    place = around.place(spot)
    check = Check(around.outline, around.flow)
    is_condition = spot.place in CONDITIONS
    found_problems = check.condition(text, place) if is_condition else check.value(text, place)
    problems = list(dict.fromkeys(found_problems))
    paths, reason = _read(text, is_condition)
    reads = [path_of(path) for path in paths]
    if reason is not None:
        return Shown(None, reason, reads, problems)
    try:
        with sharing_at("", EXPRESSIONS_UNITS):
            scope = around.scope(spot)
            value = _evaluated(text, is_condition, scope, around.before_each)
    except (OutOfTime, TooMuchWork) as failure:
        code = "too_much_work" if isinstance(failure, TooMuchWork) else "failed"
        return Shown(None, Fault(code, str(failure)), reads, problems)
    except ExpressionError as failure:
        missing = _unsampled(paths, scope, around)
        fault = Fault("no_sample", missing) if missing else Fault("failed", str(failure))
        return Shown(None, fault, reads, problems)
    return Shown(value, None, reads, problems, _mismatch(around, spot, value))


def _read(text: Json, is_condition: bool) -> tuple[list[Path], Fault | None]:
    """The paths that are read, and what can't be compiled."""
    sources = [(0, text)] if is_condition and isinstance(text, str) else []
    paths: dict[Path, None] = {}
    try:
        if not is_condition:
            sources = list(_holes(text))
    except ExpressionInvalid as failure:
        return [], Fault("bad_expression", str(failure))
    for offset, source in sources:
        try:
            paths |= dict.fromkeys(compile_expression(source).paths)
        except ExpressionInvalid as failure:
            at = _column(str(failure), source)
            place = offset + at if at is not None and (is_condition or isinstance(text, str)) else None
            return list(paths), Fault("bad_expression", str(failure), place)
    return list(paths), None


def _holes(value: Json) -> list[tuple[int, str]]:
    """(where it begins in its string, source) of every hole."""
    holes: list[tuple[int, str]] = []
    for _, text in strings_with_holes(value, ""):
        at = 0
        for is_hole, source in split_holes(text):
            at = text.index(source, at)
            if is_hole:
                holes.append((at, source))
            at += len(source)
    return holes


def _column(message: str, source: str) -> int | None:
    """The character that a compiler's message points at."""
    match = _COLUMN.search(message)
    if match is None:
        return None
    before = source.split("\n")[: int(match[1] or 1) - 1]
    return sum(len(line) + 1 for line in before) + int(match[2]) - 1


def _evaluated(text: Json, is_condition: bool, scope: Mapping[str, Json], before_each: BeforeEach) -> Json:
    if not is_condition:
        return compile_template(text).render(scope, before_each)
    if before_each is not None:
        before_each()
    return compile_expression(text).evaluate(scope)


def _unsampled(paths: list[Path], scope: Mapping[str, Json], around: Surroundings) -> str | None:
    """A sentence on the first thing that is read and of which no value is known."""
    for path in paths:
        if path[0] == "steps" and len(path) > 1 and path[1] not in scope["steps"]:
            item = around.outline.by_id.get(path[1])
            if item is not None:
                return (
                    f"There is no value of {item.title} yet: run the workflow, or pin an output to that step."
                )
        elif path[0] in ("prev", "output") and path[0] not in scope:
            return "The steps before it have no values yet: run the workflow, or pin an output to that step."
        elif path[0] == FACTS and path[1:2] and path[1] not in scope.get(FACTS, {}):
            return (
                f"There is no value of the fact {path[1]} yet: run the workflow, or give it a sample input."
            )
        elif path[0] == "item" and "item" not in scope:
            return "There is no sample of the items yet: run the workflow, or give it a sample input."
        elif path[0] == "input" and "input" not in scope:
            return "There is no sample of the input yet: run the workflow, or give it a sample input."
    return None


def _mismatch(around: Surroundings, spot: Spot, value: Json) -> str | None:
    """Why the value doesn't belong there, as the schemas say."""
    if spot.place in CONDITIONS:
        return (
            None
            if isinstance(value, bool)
            else f"A condition must be true or false, but this is {_a(value)}."
        )
    if spot.place == "input" and not spot.keys and not isinstance(value, dict):
        return f"A step's input is an object here, but this is {_a(value)}."
    item = around.outline.by_id.get(spot.node or "")
    if spot.place != "params" or item is None or has_holes(value):
        return None
    return _unfit(item, value, spot.keys)


def _unfit(item: OutlineNode, value: Json, keys: Keys) -> str | None:
    if item.spec is None:
        return None
    params = _with(item.node.params or {}, keys, value)
    if not isinstance(params, dict):
        return f"The params are an object, but this is {_a(value)}."
    field = field_at("params", keys)
    for problem in params_problems(item.spec, params, "params", item.id):
        if problem.field == field or problem.field.startswith((f"{field}.", f"{field}[")):
            return problem.message
    return None


def _with(within: Json, keys: Keys, value: Json) -> Json:
    """A copy of `within` with the value at these keys."""
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if isinstance(key, int):
        items = list(within) if isinstance(within, list) else []
        items += [None] * (key + 1 - len(items)) if key < 1000 else []
        if key < len(items):
            items[key] = _with(items[key], rest, value)
        return items
    members = within if isinstance(within, dict) else {}
    return {**members, key: _with(members.get(key), rest, value)}


def _a(value: Json) -> str:
    return {"null": "nothing", "object": "an object", "array": "a list", "string": "a text"}.get(
        kind_of(value), "true or false" if isinstance(value, bool) else "a number"
    )
