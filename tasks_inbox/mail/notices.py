"""Who is told of a task, as things are when the mail is sent, and why somebody is not."""

from collections.abc import Sequence

from accounts.models import MINE, NOTHING, Membership
from accounts.names import key_of
from accounts.principal import Forbidden
from accounts.queries import member_principal
from accounts.roles import SCOPES_OF_ROLE, TASKS_READ
from lib.refusals import Missing
from steps.addresses import is_address
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import electors_of
from tasks_inbox.eligibility.identity import substitutes_of
from tasks_inbox.eligibility.seeing import guard_task
from tasks_inbox.models import (
    ASKED,
    ASSIGNED,
    CANCELS,
    DELEGATED,
    ESCALATED,
    MENTIONED,
    OPEN,
    QUESTION,
    REMINDED,
    SENT_AGAIN,
    SENT_BACK,
    ManualTask,
)

_OF_CLOSED = (MENTIONED, CANCELS)


def people_of(task: ManualTask, kind: str, audience: Sequence[str] | None) -> list[str]:
    """The names of those for whom one for all is meant: who may decide the task now, and has not yet; and substitutes.

    Of a task that somebody has, they alone are reminded or told that it was sent again, and nobody is asked; those to
    whom it is escalated are told all the same.
    """
    if task.status != OPEN or (kind == ASKED and task.assignee):
        return []
    if kind in (REMINDED, SENT_AGAIN) and task.assignee:
        return [task.assignee, *substitutes_of(task, [task.assignee])]
    if audience is not None:
        task.audience = list(audience)
    elector_keys = [one.key for one in electors_of(task) if one.key not in task.voted]
    # Of whom has handed their vote on, who has it is told.
    holders = {
        key: key_of(to)
        for key in elector_keys
        if (to := policies.holder_of(task, key)) and not policies.is_excluded(task, to)
    }
    recipients = list(dict.fromkeys(holders.get(key, key) for key in elector_keys))
    substitutes = substitutes_of(task, recipients)
    return [*recipients, *(name for name in substitutes if name not in recipients)]


def why_not(task: ManualTask, kind: str, member: Membership | None) -> str | None:
    """Why this person gets no mail of it; None where they do."""
    if member is None or TASKS_READ not in SCOPES_OF_ROLE[member.role]:
        return "They are not a member who may see tasks."
    if not _may_see(task, member):
        return "They may not see this task."
    return _why_not_wanted(task, kind, member) or _why_over(task, kind, member.user.username)


def _may_see(task: ManualTask, member: Membership) -> bool:
    """Whether they could open it, too: a mail says what it is called and what of."""
    try:
        principal = member_principal(member.tenant_id, member.user.username, "session")
        guard_task(principal, TASKS_READ, task.pk)
    except (Missing, Forbidden):
        return False
    return True


def _why_not_wanted(task: ManualTask, kind: str, member: Membership) -> str | None:
    is_theirs = kind in (QUESTION, SENT_BACK, DELEGATED) or key_of(task.assignee or "") == key_of(
        member.user.username
    )
    if member.user.mail == NOTHING or (member.user.mail == MINE and not is_theirs):
        return "They have turned this mail off."
    return None if is_address(member.user.email) else "They have no e-mail address."


def _why_over(task: ManualTask, kind: str, name: str) -> str | None:
    if task.status != OPEN and kind not in _OF_CLOSED:
        return "The task is closed."
    if kind in (ASSIGNED, DELEGATED) and not _has_it(task, name):
        return "Somebody else has it now."
    if kind == ASKED and task.assignee:
        return "Somebody already has it."
    if kind == SENT_BACK and key_of(task.returned_to or "") != key_of(name):
        return "It is not with them any more."
    if kind in (ASKED, REMINDED, ESCALATED, SENT_AGAIN) and (
        policies.is_excluded(task, name) or policies.has_voted(task, name)
    ):
        return "They have decided it, or may not."
    return None


def _has_it(task: ManualTask, name: str) -> bool:
    """Whether they have it, or a vote of it, or stand in for somebody who does."""
    if task.assignee == name or policies.giver_of(task, name):
        return True
    holders = [task.assignee] if task.assignee else [one["to"] for one in task.proxies]
    return key_of(name) in substitutes_of(task, holders)
