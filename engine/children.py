"""What becomes of a container in memory: its children one after another, for trying things and for property tests."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.catalogue import Json
from engine.containers import is_empty_loop, is_last_round, items_failed, round_failed, too_many_rounds
from engine.decide import describe
from engine.errors import ExpressionError, StepError, failure_of
from engine.graph import Node
from engine.outcomes import Completed, Failed, Outcome, output_of
from engine.simulate import simulate
from engine.statuses import RunStatus

Scope = Mapping[str, Json]
Work = Callable[[Node, Scope], Outcome]


def outcome_of(node: Node, wait: Mapping[str, Json], scope: Scope, work: Work) -> Outcome:
    """How a container ends that waits so (`steps.waiting`), and whose children `work` does."""
    children = _Children(node, scope, work)
    try:
        results = [_rounds(children, wait)] if "rounds" in wait else _items(children, wait)
        return Completed(node.spec.collect(results), children.variables)
    except ExpressionError as error:
        return Failed(describe(failure_of(error, str(error))), children.variables)
    except StepError as error:
        return Failed(describe(error), children.variables)


class _Children:
    """The children of a container; each sees what those before it set of the run's variables."""

    def __init__(self, node: Node, scope: Scope, work: Work) -> None:
        self.node = node
        self.work = work
        self.variables: dict[str, Json] = {}
        self._scope = scope

    @property
    def scope(self) -> Scope:
        """What they see of the run by now."""
        return {**self._scope, "vars": {**self._scope.get("vars", {}), **self.variables}}

    def do(self, index: int, item: Json) -> Outcome:
        """How the child ends that is given this item."""
        outcome = _child(self.node, index, item, self.scope, self.work)
        if isinstance(outcome, Completed):
            self.variables |= outcome.variables
        return outcome


def _items(children: _Children, wait: Mapping[str, Json]) -> list[Json]:
    results: list[Json] = []
    failed: list[tuple[int, Mapping[str, Json]]] = []
    for index, item in enumerate(wait["items"]):
        outcome = children.do(index, item)
        if isinstance(outcome, Failed):
            failed.append((index, outcome.error))
            if len(failed) > wait["tolerated"]:
                raise items_failed(len(failed), wait["total"], failed[0])
        results.append(output_of(outcome))
    return results


def _rounds(children: _Children, wait: Mapping[str, Json]) -> Json:
    value = wait["items"][0]
    if is_empty_loop(wait):
        return value
    for index in range(wait["rounds"]):
        outcome = children.do(index, value)
        if isinstance(outcome, Failed):
            raise round_failed(index + 1, outcome.error)
        value = output_of(outcome)
        conditions = children.node.conditions
        if is_last_round(conditions, value, index + 1, wait.get("count"), children.scope):
            return value
    raise too_many_rounds(wait["rounds"])


def _child(node: Node, index: int, item: Json, scope: Scope, work: Work) -> Outcome:
    body = node.body
    if body is None:
        raise TypeError(f"{node.id} has no body.")
    inner: dict[str, Any] = {**scope, "prev": item, "item": item, "index": index}
    if body.part is None:
        return work(body, inner)
    state = simulate(body.part, body.params.render(inner)["given"], work, facts=scope.get("run", {}))
    if state.status == RunStatus.COMPLETED:
        return Completed(state.output, state.variables)
    error = dict(state.error or {})
    message = f"The run failed with: {error.get('message')}"
    return Failed(describe(StepError("ChildFailed", message, details={"error": error})))
