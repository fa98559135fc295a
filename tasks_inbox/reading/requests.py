"""What people are asked for runs, and what they decided, as whoever asked for these runs is told; told to `runs`.

They see what the inbox shows them of these tasks as it is: who started a run may open its tasks
(`eligibility/seeing.py`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from accounts import people
from accounts.people import name_of
from accounts.principal import Principal
from engine.catalogue import Json
from runs.reading.people_asked import Asked, Milestone, Standing
from tasks_inbox.eligibility.identity import Who, who_is
from tasks_inbox.eligibility.standing import standing_in_list
from tasks_inbox.lifecycle.waits import people_in, whom
from tasks_inbox.models import COMPLETED, FOR_OPERATORS, OPEN, ManualTask, TaskComment, TaskDecision, label_of
from tasks_inbox.models.comments import ANSWERED, ASKED, SENT_AGAIN, SENT_BACK
from tasks_inbox.store.queries import LARGE

MOST = 500
"""So many open tasks of the runs of a page, and milestones of one run, are looked at."""
_REFUSALS = ("reject", "refus", "declin", "den")
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
    asked = list(tasks.filter(status=OPEN).defer(*LARGE).order_by("id")[:MOST])
    ended = tasks.filter(status=COMPLETED).order_by("run_id", "-decided_at").distinct("run_id")
    refused = {run for run, outcome in ended.values_list("run_id", "outcome") if is_refusal(outcome)}
    people.learn(who.tenant_id, [name for task in asked for name in _names(task)])
    by_run: dict[UUID, list[Asked]] = {}
    if asked:
        me = who_is(who)
        for task in asked:
            by_run.setdefault(task.run_id, []).append(_asked(me, task))
    return {
        run: Standing(sorted(by_run.get(run, ()), key=lambda one: not one.is_yours), run in refused)
        for run in {*by_run, *refused}
    }


def is_refusal(outcome: str | None) -> bool:
    """Whether an outcome of this name says no."""
    return (outcome or "").lower().startswith(_REFUSALS)


def milestones(who: Principal, run_id: UUID) -> list[Milestone]:
    """What people decided, asked and returned for a run, with what they wrote, oldest first."""
    rows = ManualTask.objects.for_tenant(who.tenant_id).filter(run_id=run_id).exclude(kind__in=FOR_OPERATORS)
    tasks = {task.pk: task for task in rows.only("id", "title", "outcomes", "kind").order_by("id")[:MOST]}
    decisions = TaskDecision.objects.for_tenant(who.tenant_id).filter(run_id=run_id, task_id__in=tasks)
    said = TaskComment.objects.for_tenant(who.tenant_id).filter(task_id__in=tasks, kind__in=_SAID)
    found = [_decided(tasks[one.task_id], one) for one in decisions.defer("record").order_by("seq")[:MOST]]
    found += [
        Milestone(one.at, _SAID[one.kind].format(tasks[one.task_id].title), one.by, one.text, "wait")
        for one in said.order_by("id")[:MOST]
    ]
    people.learn(who.tenant_id, [one.by for one in found])
    return sorted(found, key=lambda one: one.at)


def decided_since(who: Principal, runs: Sequence[UUID], since: datetime) -> set[UUID]:
    """Those of these runs for which somebody decided, asked or returned something since."""
    decisions = TaskDecision.objects.for_tenant(who.tenant_id).filter(run_id__in=runs, at__gt=since)
    tasks = ManualTask.objects.for_tenant(who.tenant_id).filter(run_id__in=runs)
    said = TaskComment.objects.for_tenant(who.tenant_id).filter(kind__in=_SAID, at__gt=since)
    asked = tasks.filter(pk__in=said.filter(task_id__in=tasks.values("pk")).values("task_id"))
    return {*decisions.values_list("run_id", flat=True), *asked.values_list("run_id", flat=True)}


def _decided(task: ManualTask, decision: TaskDecision) -> Milestone:
    label = label_of(task.outcomes, decision.outcome) or decision.outcome
    words = f"filled in “{task.title}”" if task.kind == "form" else f"decided “{task.title}”: {label}"
    kind = "bad" if is_refusal(decision.outcome) else "good"
    return Milestone(decision.at, words, decision.by, decision.comment, kind)


def _asked(me: Who, task: ManualTask) -> Asked:
    waits_for = task.returned_to or task.asked_of or task.assignee
    is_yours = waits_for == me.username if waits_for else standing_in_list(me, task).may_decide
    holder = name_of(waits_for) if waits_for else whom(task.candidates, "somebody")
    since = task.stopped_at or task.created_at
    return Asked(task.pk, task.title, holder, is_yours, task.due_at, since)


def _names(task: ManualTask) -> list[Json]:
    return [task.returned_to, task.asked_of, task.assignee, *people_in(task.candidates)]
