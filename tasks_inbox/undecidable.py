"""Tasks that nobody, or not enough, can decide as things are: found by a tick, told, and repaired by people.

It is not known once and for all: members leave, roles and groups change, four eyes bar somebody. Each task that is
found so is marked, alerts, and opens an incident for operators and admins, who say whom it is to ask instead.
"""

import logging
from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from accounts.queries import find_member
from lib.apart import one_by_one
from lib.clock import now_here
from lib.uuid7 import uuid7
from runs.kernel import alerts, live
from runs.store.hot import Row
from tasks_inbox import policies, queries, store, votes
from tasks_inbox.compensations import CANDIDATES, DONE
from tasks_inbox.electors import Member, electors_among, members_of
from tasks_inbox.models import FOR_OPERATORS, OPEN, ManualTask
from tasks_inbox.quorum import needs_several
from tasks_inbox.waits import whom

log = logging.getLogger("handoff.tasks")

BATCH = 2_000
MAX_TITLE = 300
SEEN = [{"name": DONE, "label": "Seen", "require_comment": False}]
_HELP = (
    "Nobody of those whom it asks can decide it, or not enough of them, so the run would wait for ever. Open the task "
    "and assign it to somebody who may decide, or escalate it to others; this incident closes by itself then."
)


def is_undecidable(task: ManualTask, members: Sequence[Member] | None = None) -> bool:
    """Whether nobody, or not enough people, can decide an open task as the members of its tenant are now."""
    if task.kind in FOR_OPERATORS or task.returned_to is not None:
        return False
    electors = electors_among(task, members_of(task.tenant_id) if members is None else members)
    if needs_several(task.quorum):
        stands = votes.standing(task, electors)
        # Who has agreed presses nothing again: where nobody else is left, nothing counts what may be enough by now.
        return not stands.is_possible or not stands.left
    return not electors and not (task.delegated_by is not None and _is_able(task))


def _is_able(task: ManualTask) -> bool:
    """Whether the one to whom it was handed can decide it."""
    member = find_member(task.tenant_id, task.assignee or "")
    return member is not None and queries.who_is_member(member).may_decide(task)


def count() -> int:
    """How many open tasks of all tenants nobody can decide; those of test runs count for nothing."""
    return ManualTask.unsafe_all_tenants.filter(
        status=OPEN, undecidable_since__isnull=False, is_test=False
    ).count()


def tick() -> int:
    """Look at the next open tasks, one batch after another; gives how many nobody can decide any more."""
    tenants = store.next_open_tasks(BATCH).items()
    found = sum(one_by_one(tenants, lambda one: _look(*one), log, _not_looked_at))
    if closed := store.close_undecidable_incidents():
        live.tell_inboxes(closed)
    return found


def _not_looked_at(batch: tuple[int, Sequence[UUID]]) -> str:
    tenant, tasks = batch
    return f"{len(tasks)} tasks of tenant {tenant} can't be looked at"


def _look(tenant: int, ids: Sequence[UUID]) -> int:
    members = members_of(tenant)
    found = ManualTask.objects.for_tenant(tenant).filter(pk__in=ids, status=OPEN).defer(*queries.LARGE)
    said = [(task, is_undecidable(task, members)) for task in found]
    store.note_undecidable([task.pk for task, bad in said if task.undecidable_since and not bad], since=None)
    fresh = [task for task, bad in said if bad and task.undecidable_since is None]
    return _tell(fresh) if fresh else 0


@transaction.atomic
def _tell(looked_at: Sequence[ManualTask]) -> int:
    noted = store.note_undecidable([task.pk for task in looked_at], since=now_here())
    listed = [task for task in looked_at if task.pk in noted]
    store.open_incidents([_row(task) for task in listed if not task.is_test])
    alerts.send(
        [
            alerts.Alert(
                "nobody_may_decide", task.tenant_id, str(task.run_id), task.node, {"task": str(task.pk)}
            )
            for task in listed
            if not task.is_test
        ]
    )
    live.tell_inboxes({task.tenant_id for task in listed})
    return len(listed)


def _row(task: ManualTask) -> Row:
    facts = [("Asks", whom(task.candidates, "everybody who may decide")), ("Task", str(task.pk))]
    return {
        "id": uuid7(),
        "run_id": str(task.run_id),
        "step_id": str(task.pk),
        "node": task.node,
        "title": f"Nobody can decide “{task.title}”"[:MAX_TITLE],
        "instructions": _HELP,
        "facts": [{"label": label, "value": value} for label, value in facts],
        "outcomes": SEEN,
        "candidates": CANDIDATES,
        "audience": policies.audience_of(CANDIDATES),
    }
