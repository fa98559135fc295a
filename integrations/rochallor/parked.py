"""Steps that stand still until somebody says so: user tasks and waits, by the id of their step (R-128, R-144)."""

from collections.abc import Mapping
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_SIGNAL, TASKS_DECIDE
from engine.catalogue import Json
from engine.statuses import StepStatus
from integrations.rochallor.errors import BAD_REQUEST, CONFLICT, NOT_FOUND, RochallorError, in_rochallor_words
from integrations.rochallor.instances import run_id_of, standing
from integrations.rochallor.limits import COMPLETED_BY_CHARACTERS
from integrations.rochallor.naming import USER_TASK, WAIT, names_of
from lib.refusals import Conflict, Missing
from lib.uuid7 import uuid7
from runs.access import guard_run
from runs.commands.signals import NewSignal, send_signals
from runs.kernel.refused import RunRefused
from runs.reading.stored import StepRead
from tasks_inbox.actions.deciding import complete_task
from tasks_inbox.actions.decision import Decision
from tasks_inbox.models import OPEN, ManualTask

_GONE = frozenset({"decided_already", "task_cancelled"})


@in_rochallor_words
def complete_user_task(
    principal: Principal,
    instance_id: str | UUID,
    step_id: str,
    variables: Mapping[str, Json] | None = None,
    completed_by: str = "",
) -> None:
    """Complete the open user task of a step, with what sets variables; `completed_by` is kept as its comment.

    Who asks decides it, so it must ask them. Raises RochallorError: not-found for an unknown step or one that was
    completed before, conflict where the instance has ended, bad-request where the step is no user task.
    """
    principal.require(TASKS_DECIDE)
    guard_run(principal, TASKS_DECIDE, run_id_of(instance_id))
    run, status = standing(principal, instance_id)
    kind = names_of(run.version_id).type_named(step_id)
    if kind is None:
        raise _no_task()
    if kind != USER_TASK:
        raise RochallorError(BAD_REQUEST, "step is not a USER_TASK")
    if status not in ("ACTIVE", "WAITING"):
        raise RochallorError(CONFLICT, f"workflow instance is {status}")
    step = _waiting_step(run.version_id, run.steps, step_id)
    tasks = ManualTask.objects.for_tenant(principal.tenant_id).filter(status=OPEN)
    task = tasks.filter(step_id=step.id).first() if step else None
    if task is None:
        raise _no_task()
    _complete(principal, task, variables, completed_by)


@in_rochallor_words
def complete_user_task_by_id(
    principal: Principal,
    task_id: str | UUID,
    variables: Mapping[str, Json] | None = None,
    completed_by: str = "",
) -> None:
    """As `complete_user_task`, of a task by its own id, as `/api/v1/tasks` shows it."""
    principal.require(TASKS_DECIDE)
    try:
        key = task_id if isinstance(task_id, UUID) else UUID(task_id)
    except ValueError:
        raise _no_task() from None
    task = ManualTask.objects.for_tenant(principal.tenant_id).filter(pk=key, status=OPEN).first()
    if task is None:
        raise _no_task()
    _complete(principal, task, variables, completed_by)


def _complete(
    principal: Principal, task: ManualTask, variables: Mapping[str, Json] | None, completed_by: str
) -> None:
    if len(task.outcomes) != 1 or task.form is None:
        message = "the task asks for a decision and not only for data: decide it in the inbox"
        raise RochallorError(CONFLICT, message)
    if len(completed_by) > COMPLETED_BY_CHARACTERS:
        raise RochallorError(BAD_REQUEST, f"completedBy has at most {COMPLETED_BY_CHARACTERS} characters")
    comment = f"Completed by {completed_by}" if completed_by else ""
    decision = Decision(task.outcomes[0]["name"], dict(variables or {}), comment)
    try:
        complete_task(principal, task.pk, decision, confirms=False)
    except Missing:
        raise _no_task() from None
    except Conflict as conflict:
        if conflict.code in _GONE:
            raise _no_task() from None
        raise


def _no_task() -> RochallorError:
    return RochallorError(NOT_FOUND, "user task not found")


@in_rochallor_words
def signal_wait(
    principal: Principal, instance_id: str | UUID, step_id: str, variables: Mapping[str, Json] | None = None
) -> None:
    """Have a WAIT go on with these variables; nothing is kept for one that isn't there yet.

    Raises RochallorError: not-found for an unknown instance, conflict where it has ended or the step doesn't wait,
    bad-request where the step is no WAIT.
    """
    principal.require(RUNS_SIGNAL)
    guard_run(principal, RUNS_SIGNAL, run_id_of(instance_id))
    run, status = standing(principal, instance_id)
    kind = names_of(run.version_id).type_named(step_id)
    if kind not in (None, WAIT):
        raise RochallorError(BAD_REQUEST, "step is not a WAIT")
    if status not in ("ACTIVE", "WAITING"):
        raise RochallorError(CONFLICT, f"workflow instance is {status}")
    step = _waiting_step(run.version_id, run.steps, step_id)
    if step is None or not step.waiting:
        raise _not_parked()
    signal = NewSignal(uuid7(), step.waiting["name"], dict(variables or {}))
    try:
        send_signals(principal.tenant_id, [(run.id, signal)], by=principal.username, awaited=True)
    except RunRefused as refusal:
        if refusal.code == "not_awaited":
            raise _not_parked() from refusal
        raise


def _not_parked() -> RochallorError:
    return RochallorError(CONFLICT, "wait step is not parked")


def _waiting_step(version_id: int, steps: list[StepRead], step_id: str) -> StepRead | None:
    """The step of this id that waits; None where it doesn't."""
    names = names_of(version_id)
    return next(
        (
            step
            for step in steps
            if names.step_of.get(step.node) == step_id and step.status == StepStatus.WAITING
        ),
        None,
    )
