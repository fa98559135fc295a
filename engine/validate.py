"""All that is wrong with a definition, at once (R-023, R-027). Codes: docs/validation.md."""

import re
from collections.abc import Iterator
from dataclasses import replace

from pydantic import ValidationError

from engine.bodies import every_step
from engine.catalogue import Catalogue, Json
from engine.checks import bodies, fields, graph, nodes, not_yet, references, schemas, variables
from engine.checks.exclusion import strict_joins
from engine.checks.flow import Flow
from engine.checks.outline import Limits, Outline, outline_of
from engine.definition import Definition
from engine.errors import TooMuchWork
from engine.limits import REPORTED_PROBLEMS, TEMPLATE_LEVELS
from engine.problems import Problem, error, shape_problems
from engine.work import Sharing, Work

# With more steps than so many times the limit, those of containers included, a definition isn't looked into further.
HOPELESS = 4

__all__ = ["Limits", "Problem", "validate"]

_NODE_FIELD = re.compile(r"nodes\[(\d+)\]")


def validate(document: object, catalogue: Catalogue, limits: Limits | None = None) -> list[Problem]:
    """Every problem of a definition in the native dialect, errors first; none: it can be published.

    Takes any JSON and never raises on it.
    """
    limits = limits or Limits()
    if not isinstance(document, dict):
        return [error("not_an_object", "", "A definition is a JSON object with name, nodes and edges.")]
    if _too_deep(document):
        return [
            error(
                "too_deep", "", f"The definition is nested deeper than {TEMPLATE_LEVELS} levels: flatten it."
            )
        ]
    count = sum(1 for _ in every_step(document.get("nodes"), catalogue))
    if count > HOPELESS * limits.max_nodes:
        return [bodies.too_many_nodes(count, limits.max_nodes)]
    try:
        with Sharing(Work("", limits.units)):
            outline = outline_of(document, catalogue, limits)
            problems = list(dict.fromkeys([*_shape(outline), *_rules(outline)]))
    except TooMuchWork as exc:
        return [error("too_much_work", exc.place, f"The definition can't be checked: {exc}; simplify it.")]
    problems.sort(key=lambda problem: problem.severity)
    return problems[:REPORTED_PROBLEMS]


def _rules(outline: Outline) -> Iterator[Problem]:
    flow = Flow(outline)
    yield from bodies.ids(outline)
    yield from graph.ends(outline)
    yield from graph.apart(outline, flow)
    yield from graph.cycles(flow)
    yield from bodies.size(outline)
    yield from graph.chains(outline, flow)
    yield from graph.conditions(outline)
    yield from graph.ports(outline)
    yield from graph.covered(outline, flow)
    yield from graph.joins(outline, flow)
    yield from graph.partings(outline, flow)
    yield from strict_joins(outline, flow)
    yield from nodes.types(outline)
    yield from nodes.params(outline)
    yield from nodes.queues(outline)
    yield from nodes.times(outline)
    yield from schemas.input_schema(outline)
    yield from schemas.inputs(outline, flow)
    yield from schemas.inputs_of_undoing(outline)
    yield from references.expressions(outline, flow)
    yield from fields.optional_facts(outline)
    yield from variables.overlaps(outline, flow)
    yield from graph.branches(outline)
    yield from nodes.deadlines(outline)
    yield from not_yet.fields(outline)
    yield from bodies.single(outline)
    for inner in bodies.inside(outline, flow):
        yield from map(inner.in_place, (*_shape(inner.outline), *_rules(inner.outline)))


def _shape(outline: Outline) -> Iterator[Problem]:
    try:
        Definition.model_validate(outline.document)
    except ValidationError as failure:
        ids = {item.index: item.id for item in outline.nodes}
        for problem in shape_problems(failure, outline.document, ""):
            match = _NODE_FIELD.match(problem.field)
            yield replace(problem, node=ids.get(int(match[1])) if match else None)


def _too_deep(document: Json) -> bool:
    level = [document]
    for _ in range(TEMPLATE_LEVELS):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
