"""Rules about facts that people may correct: what is asked, and what comes later, should read the corrected value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.catalogue import Json
from engine.cel_reads import Path
from engine.checks.flow import Flow
from engine.checks.outline import Outline, OutlineNode, did_you_mean
from engine.checks.places import Place
from engine.errors import ExpressionInvalid
from engine.expressions import Expression
from engine.holes import join_path
from engine.problems import Problem, error, quoted, warning
from engine.templates import compile_template
from engine.typed_texts import FACTS


@dataclass(frozen=True, slots=True)
class Correctable:
    """A fact of a step that people may correct, and the path of the value that it shows."""

    step: str
    label: str
    path: Path

    @property
    def in_step(self) -> str:
        """How an expression of the step reads the fact as it is now."""
        return f'{FACTS}["{self.label}"]'

    @property
    def later(self) -> str:
        """How an expression of a later step reads the fact as it was decided."""
        return f"{join_path('steps', self.step)}.output.{self.in_step}"

    def is_read_by(self, expression: Expression) -> bool:
        """Whether the expression reads the uncorrected value, and not the corrected one beside it."""
        if any(path[-2:] == (FACTS, self.label) for path in expression.paths):
            return False
        return any(path[: len(self.path)] == self.path for path in expression.paths)


def correctable_facts(outline: Outline) -> list[Correctable]:
    """The correctable facts of the steps that ask people, where each shows one value as it is."""
    return [fact for item in outline.nodes for fact in _facts_of(item)]


def _facts_of(item: OutlineNode) -> Iterator[Correctable]:
    params = item.node.params
    if item.spec is None or not item.spec.asks_people or not isinstance(params, Mapping):
        return
    facts, labels = params.get(FACTS), params.get("amendable")
    for label in labels if isinstance(labels, list) else ():
        value = facts.get(label) if isinstance(facts, Mapping) and isinstance(label, str) else None
        path = _path_of(value)
        if path is not None and len(path) > 1 and '"' not in label and "\\" not in label:
            yield Correctable(item.id, label, path)


def _path_of(value: Json) -> Path | None:
    try:
        return compile_template(value).path_at() if isinstance(value, str) else None
    except ExpressionInvalid:
        return None


class Corrections:
    """Applies the rules to single expressions."""

    def __init__(self, outline: Outline, flow: Flow) -> None:
        self._flow = flow
        self._facts = correctable_facts(outline)

    def later(self, expression: Expression, place: Place) -> Iterator[Problem]:
        """An expression behind a step whose correctable fact shows what it reads."""
        for fact in self._facts:
            bit = self._flow.bits.get(fact.step, 0)
            if place.possible & bit and fact.is_read_by(expression):
                message = (
                    f"{quoted(_written(fact.path))} may be corrected at {quoted(fact.step)}: read "
                    f"{quoted(fact.later)} for the value that was decided."
                )
                yield warning("correction_not_used", place.field, message, place.node)

    def own(self, expression: Expression, place: Place) -> Iterator[Problem]:
        """An expression in a text of a step that asks people."""
        labels = None if place.labels is None else sorted(place.labels)
        for path in expression.paths:
            if labels is not None and path[0] == FACTS and len(path) > 1 and path[1] not in labels:
                near = did_you_mean(path[1], labels)
                # The label of the only fact may have been changed to any other.
                near = near or (f" (did you mean {quoted(labels[0])}?)" if len(labels) == 1 else "")
                message = f"The step has no fact {quoted(path[1])} to read{near}."
                yield error("unknown_fact", place.field, message, place.node)
        for fact in self._facts:
            if fact.step == place.node and fact.is_read_by(expression):
                message = (
                    f"{quoted(_written(fact.path))} is shown as it was before a correction: read "
                    f"{quoted(fact.in_step)} instead."
                )
                yield warning("text_not_corrected", place.field, message, place.node)


def _written(path: Path) -> str:
    text = path[0]
    for key in path[1:]:
        text = join_path(text, key)
    return text
