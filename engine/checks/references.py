"""Rules about expressions: they compile, and what they read can be there."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace

from engine.bodies import body_of
from engine.catalogue import BODY, Catalogue, Json
from engine.checks.corrections import Corrections
from engine.checks.fields import unknown_fields
from engine.checks.flow import Flow
from engine.checks.outline import Outer, Outline, OutlineNode, did_you_mean
from engine.checks.places import Place, Places
from engine.checks.variables import known_in
from engine.errors import ExpressionInvalid
from engine.expressions import Expression, compile_expression
from engine.holes import split_holes, strings_with_holes
from engine.plain import body_in_holes, in_holes
from engine.problems import Problem, error, quoted, warning
from engine.typed_texts import FACTS


def expressions(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """All expressions of the definition: in nodes, on edges, in `business_key`, `output` and `request`."""
    check = Check(outline, flow)
    places = check.places
    document = outline.document
    yield from check.value(document.get("business_key"), places.business_key())
    for item in outline.nodes:
        yield from check.value(item.node.input, places.step(item, "input"))
        yield from _params(check, item)
        yield from check.value(item.node.set_vars, places.sets(item))
        if item.node.compensate:
            undo = body_in_holes(item.node.compensate.model_dump(), outline.catalogue)
            yield from check.value(undo["params"], places.undo(item))
    for edge in outline.edges:
        if edge.edge.when is not None:
            yield from check.condition(edge.edge.when, places.edge(edge))
    yield from check.value(document.get("output"), places.output())
    if isinstance(request := document.get("request"), Mapping):
        yield from check.value(request.get("result"), places.result())


def _params(check: "Check", item: OutlineNode) -> Iterator[Problem]:
    """A container's steps are judged apart, and the conditions of a loop are expressions as they stand."""
    params, places = dict(item.node.params or {}), check.places
    if item.spec is not None:
        body = item.spec.body(params)
        if isinstance(body, dict):
            params.pop(BODY, None)
            own = body_in_holes(_without_steps(body, check.outline.catalogue), check.outline.catalogue)
            yield from check.value(own, places.body(item))
        for name in sorted(item.spec.conditions & params.keys()):
            if isinstance(condition := params.pop(name), str):
                yield from check.condition(condition, places.round(item, name))
    yield from check.value(in_holes(item.spec, params), places.step(item, "params"))


def _without_steps(body: Mapping[str, Json], catalogue: Catalogue) -> dict[str, Json]:
    """A body, and where that is a container itself the body of it, without steps of its own."""
    own = {key: value for key, value in body.items() if key not in ("steps", "edges")}
    if (inner := body_of(own, catalogue)) is not None and BODY in own["params"]:
        own["params"] = {**own["params"], BODY: _without_steps(inner, catalogue)}
    return own


class Check:
    """Applies the rules to single expressions, with the flow at hand."""

    def __init__(self, outline: Outline, flow: Flow) -> None:
        self.outline = outline
        self.flow = flow
        self.places = Places(outline, flow)
        self.variables = known_in(outline)
        self.corrections = Corrections(outline, flow)

    def value(self, value: Json, place: Place) -> Iterator[Problem]:
        """A JSON value with holes in its strings."""
        for field, text in strings_with_holes(value, place.field):
            here = self.places.texts.get(field) or replace(place, field=field)
            try:
                holes = [source for hole, source in split_holes(text) if hole]
            except ExpressionInvalid as exc:
                yield error("bad_expression", field, f"{quoted(field)}: {exc}.", place.node)
                continue
            for source in holes:
                yield from self._expression(source, here)

    def condition(self, source: str, place: Place) -> Iterator[Problem]:
        """A bare expression that must be true or false."""
        if "{{" in source:
            message = f"{quoted(place.field)} is already an expression: leave out the braces."
            yield error("bad_expression", place.field, message, place.node)
            return
        expression = yield from self._expression(source, place)
        if expression and not expression.returns_bool:
            message = f"{quoted(place.field)} is never true or false: write a condition."
            yield error("not_a_condition", place.field, message, place.node)

    def _expression(self, source: str, place: Place) -> Generator[Problem, None, Expression | None]:
        try:
            expression = compile_expression(source)
        except ExpressionInvalid as exc:
            yield error("bad_expression", place.field, f"{quoted(place.field)}: {exc}.", place.node)
            return None
        for name in sorted(expression.refs.names - place.names):
            names = ", ".join(sorted(place.names))
            label = "now()" if name == "run" and expression.refs.tells_time else name
            message = f"{quoted(label)} cannot be read here: names in scope are {names}."
            yield error("name_not_in_scope", place.field, message, place.node)
        if "vars" in place.names and self.variables is not None:
            for name in sorted(expression.refs.variables - self.variables):
                message = f"No step sets the variable {quoted(name)}{did_you_mean(name, self.variables)}."
                yield warning("unknown_variable", place.field, message, place.node)
        yield from unknown_fields(self.outline, expression, place)
        yield from self.corrections.later(expression, place)
        if FACTS in place.names:
            yield from self.corrections.own(expression, place)
        if "steps" in place.names:
            for step in sorted(expression.refs.steps):
                yield from self._step(step, expression, place)
        return expression

    def _step(self, step: str, expression: Expression, place: Place) -> Iterator[Problem]:
        if step not in self.outline.by_id and self.outline.outer and step in self.outline.outer.steps:
            yield from self._outer_step(step, self.outline.outer, expression, place)
        elif step not in self.outline.by_id:
            message = f"There is no step {quoted(step)} to read{did_you_mean(step, self.outline.by_id)}."
            yield error("unknown_step", place.field, message, place.node)
        elif not self.flow.order:
            return
        elif not place.possible & self.flow.bits[step]:
            yield _never_there(step, place)
        elif not place.certain & self.flow.bits[step] and step not in expression.refs.tested:
            yield _not_on_every_path(step, place)

    def _outer_step(self, step: str, outer: Outer, expression: Expression, place: Place) -> Iterator[Problem]:
        """A step around the container whose steps these are."""
        if step not in outer.possible:
            yield _never_there(step, place)
        elif step not in outer.certain and step not in expression.refs.tested:
            yield _not_on_every_path(step, place)


def _never_there(step: str, place: Place) -> Problem:
    message = (
        f"The output of {quoted(step)} is never available here: add a path from it or read another step."
    )
    return error("value_never_there", place.field, message, place.node)


def _not_on_every_path(step: str, place: Place) -> Problem:
    asking = f"has(steps.{step})" if "-" not in step else f'"{step}" in steps'
    message = f"The output of {quoted(step)} is not available on every path: check {asking} first."
    return warning("value_not_on_every_path", place.field, message, place.node)
