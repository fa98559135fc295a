"""Whether anybody, or enough people, can decide a task as things are."""

from collections.abc import Sequence

from accounts.names import key_of
from tasks_inbox.eligibility import policies, votes
from tasks_inbox.eligibility.electors import Member, electors_among, members_of
from tasks_inbox.eligibility.quorum import Elector, needs_several
from tasks_inbox.models import FOR_OPERATORS, ManualTask, TaskDecision


def is_undecidable(
    task: ManualTask,
    members: Sequence[Member] | None = None,
    rows: Sequence[TaskDecision] | None = None,
) -> bool:
    """Whether nobody, or not enough people, can decide an open task as the members of its tenant are now, or would be.
    `rows` as in `votes.standing`.
    """
    if task.kind in FOR_OPERATORS or task.returned_to is not None:
        return False
    able = members_of(task.tenant_id) if members is None else members
    electors = electors_among(task, able)
    if needs_several(task.quorum):
        stands = votes.standing(task, electors, rows)
        # Who has agreed presses nothing again: where nobody else is left, nothing counts what may be enough by now.
        return not stands.is_possible or not stands.voters_left
    return not electors and not (task.delegated_by is not None and _is_able(task, able, electors))


def has_lost_holder(task: ManualTask, members: Sequence[Member]) -> bool:
    """Whether an open task is with somebody who can't decide it as the members of its tenant are now."""
    if task.assignee is None or task.kind in FOR_OPERATORS or task.returned_to is not None:
        return False
    return not _is_able(task, members, electors_among(task, members))


def _is_able(task: ManualTask, members: Sequence[Member], electors: Sequence[Elector]) -> bool:
    """Whether the one who has it can decide it: it asks them or, where it was handed to them, their role decides."""
    name = task.assignee or ""
    if policies.is_excluded(task, name):
        return False
    able = [*electors, *(one.elector for one in members if task.delegated_by is not None)]
    return any(one.key == key_of(name) for one in able)
