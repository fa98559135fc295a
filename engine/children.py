"""What becomes of a container in memory: its children one after another, for trying things and for property tests."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.catalogue import Json
from engine.containers import is_last_round, items_failed, round_failed, too_many_rounds
from engine.decide import describe
from engine.errors import ExpressionError, StepError
from engine.graph import Node
from engine.outcomes import Completed, Failed, Outcome, failed_output
from engine.simulate import simulate
from engine.statuses import RunStatus

Scope = Mapping[str, Json]
Work = Callable[[Node, Scope], Outcome]


def outcome_of(node: Node, wait: Mapping[str, Json], scope: Scope, work: Work) -> Outcome:
    """How a container ends that waits so (`steps.waiting`), and whose children `work` does."""
    try:
        if "rounds" in wait:
            return Completed(node.spec.collect([_rounds(node, wait, scope, work)]))
        return Completed(node.spec.collect(_items(node, wait, scope, work)))
    except ExpressionError as error:
        return Failed(describe(StepError("ExpressionError", str(error))))
    except StepError as error:
        return Failed(describe(error))


def _items(node: Node, wait: Mapping[str, Json], scope: Scope, work: Work) -> list[Json]:
    results: list[Json] = []
    failed: list[tuple[int, Mapping[str, Json]]] = []
    for index, item in enumerate(wait["items"]):
        outcome = _child(node, index, item, scope, work)
        if isinstance(outcome, Failed):
            failed.append((index, outcome.error))
            if len(failed) > wait["tolerated"]:
                raise items_failed(len(failed), wait["total"], failed[0])
        results.append(_result(outcome))
    return results


def _rounds(node: Node, wait: Mapping[str, Json], scope: Scope, work: Work) -> Json:
    value = wait["items"][0]
    for index in range(wait["rounds"]):
        outcome = _child(node, index, value, scope, work)
        if isinstance(outcome, Failed):
            raise round_failed(index + 1, outcome.error)
        value = _result(outcome)
        if is_last_round(node.conditions, value, index + 1, wait.get("count"), scope):
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
        return Completed(state.output)
    error = dict(state.error or {})
    message = f"The run failed with: {error.get('message')}"
    return Failed(describe(StepError("ChildFailed", message, details={"error": error})))


def _result(outcome: Outcome) -> Json:
    return failed_output(outcome.error) if isinstance(outcome, Failed) else outcome.output
