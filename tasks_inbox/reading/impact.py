"""What a change of members or groups would leave undecidable, told to `accounts` before it is made.

Read of the tasks that the changed people hold or are asked by, in as many statements for one as for many.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.ports import Impact, SeatChange
from tasks_inbox.eligibility import policies, votes
from tasks_inbox.eligibility.electors import Member, members_of
from tasks_inbox.eligibility.identity import DECIDING_ROLES
from tasks_inbox.eligibility.quorum import Elector, needs_several
from tasks_inbox.eligibility.undecidable import is_undecidable
from tasks_inbox.forms.texts import title_of
from tasks_inbox.limits import IMPACT_TASKS
from tasks_inbox.models import FOR_OPERATORS, OPEN, ManualTask, TaskDecision
from tasks_inbox.store import queries


def impact_of(tenant: int, change: SeatChange) -> Impact:
    """The open tasks that somebody can decide now, and nobody, or not enough, could after the change."""
    stuck, is_cut = stuck_by(tenant, change)
    tasks = [(str(task.pk), title_of(task), reverse("task", args=[task.pk])) for task in stuck]
    return Impact(tasks, is_cut)


def stuck_by(tenant: int, change: SeatChange) -> tuple[list[ManualTask], bool]:
    """As `impact_of`, the tasks themselves; and whether not all were looked at."""
    before = members_of(tenant)
    after = [one for member in before if (one := _changed(member, change)) is not None]
    marks_then = {one.elector.key: one.marks for one in after}
    touched = [one for one in before if marks_then.get(one.elector.key) != one.marks]
    if not touched and not change.gone:
        return [], False
    rows = list(_touched(tenant, touched, change)[: IMPACT_TASKS + 1])
    return would_be_stuck(tenant, rows[:IMPACT_TASKS], after, change.gone), len(rows) > IMPACT_TASKS


def would_be_stuck(
    tenant: int, tasks: Sequence[ManualTask], members: Sequence[Member], gone: Iterable[str]
) -> list[ManualTask]:
    """Those of the tasks that could not be decided where these are the members who decide, and some are gone."""
    cast, gone_keys = votes.rows_by_task(tenant, tasks), frozenset(gone)
    return [task for task in tasks if _is_stuck(task, members, gone_keys, cast.get(task.pk, ()))]


def _is_stuck(
    task: ManualTask, members: Sequence[Member], gone: frozenset[str], rows: Sequence[TaskDecision]
) -> bool:
    if not needs_several(task.quorum):
        starter_keys = {*policies.starters_of(task)} - {*task.exclude}
        if starter_keys - gone:
            # It is the form of who started the run, whatever their role.
            return False
        task.exclude = [*task.exclude, *(starter_keys & gone)]
    return is_undecidable(task, members, rows)


def _changed(member: Member, change: SeatChange) -> Member | None:
    """A member as they would be; None for who would decide no tasks."""
    key, role = member.elector.key, change.roles.get(member.elector.key, member.role)
    if key in change.gone or role not in DECIDING_ROLES:
        return None
    others = member.elector.groups - change.groups.keys()
    groups = others | {group for group, keys in change.groups.items() if key in keys}
    marks = frozenset(policies.marks_of(member.username, role, groups))
    # What else a member answers to stays.
    own = member.marks - frozenset(policies.marks_of(member.username, member.role, member.elector.groups))
    return replace(member, elector=Elector(key, groups), role=role, marks=marks | own)


def _touched(tenant: int, members: Sequence[Member], change: SeatChange) -> QuerySet[ManualTask]:
    marks = {mark for one in members for mark in one.marks} | {
        policies.starter_mark(key) for key in change.gone
    }
    names = [one.username for one in members]
    tasks = ManualTask.objects.for_tenant(tenant).filter(
        status=OPEN, undecidable_since=None, returned_to=None, is_test=False
    )
    tasks = tasks.exclude(kind__in=FOR_OPERATORS).filter(
        Q(audience__overlap=list(marks)) | Q(assignee__in=names)
    )
    return tasks.defer(*queries.LARGE).order_by("id")
