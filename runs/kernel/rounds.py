"""Loops: containers whose next child begins when the last one is over, with what that gave, until it is enough."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.conf import settings

from engine.catalogue import Json
from engine.cel_reads import MOMENT
from engine.containers import is_last_round, round_failed, too_many_rounds
from engine.decide import describe
from engine.errors import ExpressionError, StepError, failure_of
from engine.graph import Node
from lib.blobs import BlobError
from runs.kernel import messages, notices, scopes, undo_plans
from runs.kernel.graphs import graph_of
from runs.kernel.opening import opening_of
from runs.store import children, payloads, undo_entries
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded
from runs.store.children import Container, Round
from runs.store.rows import RoundRow

LOOKS_EACH = 20
"""After so many rounds a loop looks how long the history of its run has become."""

Endings = list[tuple[ClaimedStep, AttemptResult]]


class _Next(NamedTuple):
    """A loop that goes on, and with what."""

    round: Round
    node: Node


def endings(containers: Sequence[Container], *, may_continue: bool = True) -> Endings:
    """Of these containers the loops that end now; each of the others begins its next round.

    Where the history of its run is long it asks instead, if it `may_continue`, that the run goes on as a new one.
    """
    over: Endings = []
    going_on: list[_Next] = []
    rounds = children.last_rounds(
        containers, each=LOOKS_EACH, most_events=settings.HANDOFF_CONTINUE_AFTER_EVENTS
    )
    asking: list[str] = []
    scopes.load(one.step for one in rounds)
    for one in rounds:
        node = graph_of(one.step.version_id).nodes[one.step.node]
        result = _judged(one, node)
        if result is None and may_continue and _may_go_on_as_new(one):
            asking.append(one.step.id)
        elif result is None:
            going_on.append(_Next(one, node))
        else:
            over.append((one.step, result))
    if asking:
        children.ask_to_continue(asking)
        notices.after_commit((), [messages.QUEUE])
    if going_on:
        notices.after_commit((), children.open_rounds([*_rows(going_on)]))
    return over


def _may_go_on_as_new(one: Round) -> bool:
    """A run continues as a new one only if nothing in its tree can be undone."""
    if not one.is_long or graph_of(one.step.version_id).compensations:
        return False
    run = one.step.run_id
    return not undo_plans.can_undo(undo_entries.versions_of_trees([run], roots=True))


def _judged(last: Round, node: Node) -> AttemptResult | None:
    """How the loop ends after this round; None: it goes on."""
    done = last.index + 1
    try:
        if last.error is not None:
            raise round_failed(done, last.error)
        output = payloads.whole(last.step.tenant_id, last.output)
        # A loop that goes on until a moment must see the time pass.
        scope = {**last.step.scope, MOMENT: None}
        if is_last_round(node.conditions, output, done, last.count, scope):
            return Succeeded(output)
        if done >= last.most:
            raise too_many_rounds(done)
    except BlobError as error:
        return payloads.lost(error)
    except ExpressionError as error:
        message = f"Whether the loop goes on after round {done:,} can't be computed: {error}"
        return Errored(describe(failure_of(error, message)))
    except StepError as error:
        return Errored(describe(error))
    return None


def _rows(going_on: Iterable[_Next]) -> Iterable[RoundRow]:
    for one, node in going_on:
        if node.body is None:
            continue
        opening = opening_of(one.step.run_id, node.id, node.body, 1)
        yield {**opening, "index": one.index + 1, "input": one.output}


def is_loop(wait: Json) -> bool:
    """Whether a wait for children is a loop's."""
    return "rounds" in wait


def is_loop_node(node: Node) -> bool:
    """Whether a container does its body in rounds: only of those it is asked when they are over."""
    return bool(node.spec.conditions)
