"""What people are asked for runs, and what they decided, as whoever asked for these runs is told; told to `runs`.

They see what the inbox shows them of these tasks as it is: who started a run may open its tasks
(`eligibility/seeing.py`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import F, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber

from accounts import people
from accounts.people import name_of
from accounts.principal import Principal
from engine.catalogue import Json
from runs.models import Run
from runs.reading.people_asked import Milestone, OpenTask, Standing
from tasks_inbox.eligibility.identity import Who, who_is
from tasks_inbox.eligibility.standing import standing_in_list
from tasks_inbox.lifecycle.waits import people_in, whom
from tasks_inbox.models import (
    APPROVE,
    COMPLETED,
    FOR_OPERATORS,
    NEUTRAL,
    OPEN,
    REJECT,
    ManualTask,
    TaskComment,
    TaskDecision,
    label_of,
    meaning_of,
)
from tasks_inbox.models.comments import ANSWERED, ASKED, SENT_AGAIN, SENT_BACK
from tasks_inbox.store.queries import LARGE

MOST = 500
"""So many milestones of one run are looked at."""
MOST_OF_EACH = 25
"""So many open tasks of each run, the oldest ones: who has many takes nothing from the others on a page."""
_KINDS = {APPROVE: "good", REJECT: "bad", NEUTRAL: "info"}
_SAID = {
    ASKED: "asked about “{}”",
    ANSWERED: "answered about “{}”",
    SENT_BACK: "returned “{}” for changes",
    SENT_AGAIN: "sent “{}” again",
}


def standings(who: Principal, runs: Sequence[UUID]) -> Mapping[UUID, Standing]:
    """How people stand to each of these runs, in as many statements for one as for many."""
    tasks = ManualTask.objects.for_tenant(who.tenant_id).filter(run_id__in=runs)
    tasks = tasks.exclude(kind__in=FOR_OPERATORS)
    open_tasks = _open_of_each(tasks)
    refused = _refused(who.tenant_id, runs)
    people.learn(who.tenant_id, [name for task in open_tasks for name in _names(task)])
    by_run: dict[UUID, list[OpenTask]] = {}
    if open_tasks:
        me = who_is(who)
        for task in open_tasks:
            by_run.setdefault(task.run_id, []).append(_open_task(me, task))
    return {
        run: Standing(sorted(by_run.get(run, ()), key=lambda one: not one.is_yours), run in refused)
        for run in {*by_run, *refused}
    }


def _open_of_each(tasks: QuerySet[ManualTask]) -> list[ManualTask]:
    """Of these tasks those that are open, at most `MOST_OF_EACH` of each run."""
    place = Window(RowNumber(), partition_by=[F("run_id")], order_by="id")
    rows = tasks.filter(status=OPEN).defer(*LARGE).annotate(place=place)
    return list(rows.filter(place__lte=MOST_OF_EACH).order_by("id"))


def _refused(tenant: int, runs: Sequence[UUID]) -> set[UUID]:
    """Those of the runs whose last decision said no: for each the last one is looked up by itself."""
    ended = ManualTask.objects.for_tenant(tenant).filter(run_id=OuterRef("pk"), status=COMPLETED)
    last = ended.exclude(kind__in=FOR_OPERATORS).order_by("-decided_at").values("pk")[:1]
    newest = Run.objects.for_tenant(tenant).filter(pk__in=runs).annotate(last=Subquery(last))
    decided = ManualTask.objects.for_tenant(tenant).filter(pk__in=newest.values("last"))
    rows = decided.values_list("run_id", "outcomes", "outcome")
    return {run for run, outcomes, outcome in rows if meaning_of(outcomes, outcome) == REJECT}


def milestones(who: Principal, run_id: UUID) -> list[Milestone]:
    """What people decided, asked and returned for a run, with what they wrote, oldest first."""
    rows = ManualTask.objects.for_tenant(who.tenant_id).filter(run_id=run_id).exclude(kind__in=FOR_OPERATORS)
    tasks = {task.pk: task for task in rows.only("id", "title", "outcomes", "kind").order_by("id")[:MOST]}
    decisions = TaskDecision.objects.for_tenant(who.tenant_id).filter(run_id=run_id, task_id__in=tasks)
    comments = TaskComment.objects.for_tenant(who.tenant_id).filter(task_id__in=tasks, kind__in=_SAID)
    entries = [_decided(tasks[one.task_id], one) for one in decisions.defer("record").order_by("seq")[:MOST]]
    entries += [
        Milestone(one.at, _SAID[one.kind].format(tasks[one.task_id].title), one.by, one.text, "wait")
        for one in comments.order_by("id")[:MOST]
    ]
    people.learn(who.tenant_id, [one.by for one in entries])
    return sorted(entries, key=lambda one: one.at)


def decided_since(who: Principal, runs: Sequence[UUID], since: datetime) -> set[UUID]:
    """Those of these runs for which somebody decided, asked or returned something since."""
    decisions = TaskDecision.objects.for_tenant(who.tenant_id).filter(run_id__in=runs, at__gt=since)
    tasks = ManualTask.objects.for_tenant(who.tenant_id).filter(run_id__in=runs)
    comments = TaskComment.objects.for_tenant(who.tenant_id).filter(kind__in=_SAID, at__gt=since)
    tasks_with_comments = tasks.filter(
        pk__in=comments.filter(task_id__in=tasks.values("pk")).values("task_id")
    )
    return {
        *decisions.values_list("run_id", flat=True),
        *tasks_with_comments.values_list("run_id", flat=True),
    }


def _decided(task: ManualTask, decision: TaskDecision) -> Milestone:
    label = label_of(task.outcomes, decision.outcome) or decision.outcome
    words = f"filled in “{task.title}”" if task.kind == "form" else f"decided “{task.title}”: {label}"
    kind = _KINDS[meaning_of(task.outcomes, decision.outcome)]
    return Milestone(decision.at, words, decision.by, decision.comment, kind)


def _open_task(me: Who, task: ManualTask) -> OpenTask:
    waits_for = task.returned_to or task.asked_of or task.assignee
    is_yours = waits_for == me.username if waits_for else standing_in_list(me, task).may_decide
    holder = name_of(waits_for) if waits_for else whom(task.candidates, "somebody")
    since = task.stopped_at or task.created_at
    return OpenTask(task.pk, task.title, holder, is_yours, task.due_at, since)


def _names(task: ManualTask) -> list[Json]:
    return [task.returned_to, task.asked_of, task.assignee, *people_in(task.candidates)]
