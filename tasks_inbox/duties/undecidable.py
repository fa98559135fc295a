"""Tasks that nobody, or not enough, can decide as things are: found by a tick, told, and repaired by people.

It is not known once and for all: members leave, roles and groups change, four eyes bar somebody. What is with somebody
who can't decide it any more is given back to all whom it asks. Each task that nobody can decide is marked, alerts, and
opens an incident for operators and admins, who say whom it is to ask instead.
"""

import logging
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import transaction

from accounts import audit
from lib.apart import one_by_one
from lib.clock import now_here
from lib.english import counted
from lib.uuid7 import uuid7
from runs.kernel import alerts, live
from runs.store.hot import Row
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import Member, members_of
from tasks_inbox.eligibility.undecidable import has_lost_holder, is_undecidable
from tasks_inbox.lifecycle.compensations import CANDIDATES, DONE
from tasks_inbox.lifecycle.waits import whom
from tasks_inbox.limits import INCIDENT_TITLE_CHARACTERS
from tasks_inbox.models import OPEN, ManualTask
from tasks_inbox.store import holders, queries, statements

log = logging.getLogger("handoff.tasks")

BATCH = 2_000
SEEN = [{"name": DONE, "label": "Seen", "require_comment": False}]
_HELP = (
    "None, or not enough, of the people it asks can decide it, so the run would wait forever. Open the task "
    "and assign it to somebody who may decide, or escalate it to others; this incident then closes by itself."
)


def count() -> int:
    """How many open tasks of all tenants nobody can decide; those of test runs count for nothing."""
    return ManualTask.unsafe_all_tenants.filter(
        status=OPEN, undecidable_since__isnull=False, is_test=False
    ).count()


def tick() -> int:
    """Look at the next open tasks, one batch after another; gives how many nobody can decide any more."""
    tenants = statements.next_open_tasks(BATCH).items()
    total = sum(one_by_one(tenants, lambda one: _look(*one), log, _not_looked_at))
    if closed_tenants := statements.close_undecidable_incidents():
        live.tell_inboxes(closed_tenants)
    return total


def _not_looked_at(batch: tuple[int, Sequence[UUID]]) -> str:
    tenant, tasks = batch
    return f"{counted(len(tasks), 'task')} of tenant {tenant} can't be looked at"


def _look(tenant: int, ids: Sequence[UUID]) -> int:
    members = members_of(tenant)
    tasks = queries.placed(tenant, ManualTask.objects.for_tenant(tenant).filter(pk__in=ids, status=OPEN))
    tasks = tasks.defer(*queries.LARGE)
    verdicts = [(task, is_undecidable(task, members)) for task in _release(tenant, tasks, members)]
    statements.note_undecidable(
        [task.pk for task, bad in verdicts if task.undecidable_since and not bad], since=None
    )
    fresh = [task for task, bad in verdicts if bad and task.undecidable_since is None]
    return _tell(fresh) if fresh else 0


@transaction.atomic
def _release(tenant: int, looked_at: Iterable[ManualTask], members: Sequence[Member]) -> list[ManualTask]:
    """Give what is with somebody who can't decide it back to all whom it asks; gives all tasks as they are then."""
    tasks = list(looked_at)
    lost = {task.pk: task for task in tasks if has_lost_holder(task, members)}
    released_ids = holders.release_tasks({pk: task.assignee or "" for pk, task in lost.items()})
    for pk in released_ids:
        task = lost[pk]
        audit.record_unasked(
            tenant, "unclaim", f"task {pk}", reason=f"{task.assignee} can't decide it any more"
        )
        task.assignee = task.delegated_by = None
    if released_ids:
        live.tell_inboxes([tenant])
    return tasks


@transaction.atomic
def _tell(looked_at: Sequence[ManualTask]) -> int:
    noted_ids = statements.note_undecidable([task.pk for task in looked_at], since=now_here())
    tasks = [task for task in looked_at if task.pk in noted_ids]
    statements.open_incidents([_row(task) for task in tasks if not task.is_test])
    alerts.send(
        [
            alerts.Alert(
                "nobody_may_decide", task.tenant_id, str(task.run_id), task.node, {"task": str(task.pk)}
            )
            for task in tasks
            if not task.is_test
        ]
    )
    live.tell_inboxes({task.tenant_id for task in tasks})
    return len(tasks)


def _row(task: ManualTask) -> Row:
    facts = [("Asks", whom(task.candidates, "everybody who may decide")), ("Task", str(task.pk))]
    return {
        "id": uuid7(),
        "run_id": str(task.run_id),
        "step_id": str(task.pk),
        "node": task.node,
        "title": f"Nobody can decide “{task.title}”"[:INCIDENT_TITLE_CHARACTERS],
        "instructions": _HELP,
        "facts": [{"label": label, "value": value} for label, value in facts],
        "outcomes": SEEN,
        "candidates": CANDIDATES,
        "audience": policies.audience_of(CANDIDATES),
    }
