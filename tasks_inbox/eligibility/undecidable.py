"""Whether anybody, or enough people, can decide a task as things are."""

from collections.abc import Sequence

from accounts.queries import find_member
from tasks_inbox.eligibility import votes
from tasks_inbox.eligibility.electors import Member, electors_among, members_of
from tasks_inbox.eligibility.identity import who_is_member
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.standing import is_theirs
from tasks_inbox.models import FOR_OPERATORS, ManualTask


def is_undecidable(task: ManualTask, members: Sequence[Member] | None = None) -> bool:
    """Whether nobody, or not enough people, can decide an open task as the members of its tenant are now."""
    if task.kind in FOR_OPERATORS or task.returned_to is not None:
        return False
    electors = electors_among(task, members_of(task.tenant_id) if members is None else members)
    if needs_several(task.quorum):
        stands = votes.standing(task, electors)
        # Who has agreed presses nothing again: where nobody else is left, nothing counts what may be enough by now.
        return not stands.is_possible or not stands.voters_left
    return not electors and not (task.delegated_by is not None and _is_able(task))


def _is_able(task: ManualTask) -> bool:
    """Whether the one to whom it was handed can decide it."""
    member = find_member(task.tenant_id, task.assignee or "")
    return member is not None and is_theirs(who_is_member(member), task)
