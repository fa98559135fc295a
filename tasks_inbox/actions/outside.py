"""A decision about what no open task asks: a task is opened for it and decided at once, so that it is evidence."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from accounts import audit
from accounts.principal import Principal
from engine.catalogue import Json
from lib.uuid7 import uuid7
from runs.models import StepExecution
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.store import queries, statements


class Question(NamedTuple):
    """What was decided outside any task: a title, facts, and the outcomes among which one was chosen."""

    title: str
    facts: Sequence[Json]
    outcomes: Sequence[Json]


def record_outside(principal: Principal, step: StepExecution, question: Question, decision: Decision) -> None:
    """Write down what somebody decided for a step, whose run is held. Whether they may is the caller's to ask."""
    rows = StepExecution.objects.for_tenant(step.tenant_id)
    # Where it was done anew it is another row.
    step = rows.filter(run_id=step.run_id, node=step.node, index=step.index).first() or step
    id = uuid7()
    row: dict[str, Json] = {"id": id, "run_id": step.run_id, "step_id": step.pk, "node": step.node}
    row |= {"kind": "approval", "title": question.title, "instructions": "", "candidates": {}, "audience": []}
    row |= {"facts": list(question.facts), "outcomes": list(question.outcomes), "exclude": [], "priority": 0}
    statements.open_tasks([row | {"bars_deciders": False}])
    deciding.settle_outside(principal, queries.task_of(step.tenant_id, UUID(str(id))), decision)
    audit.record(principal, f"skip {decision.outcome}", f"task {id}", reason=decision.why)
