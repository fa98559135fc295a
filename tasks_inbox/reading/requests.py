"""What people are asked for runs, and what they decided, as whoever asked for these runs is told; told to `runs`.

They see what the inbox shows them of these tasks as it is: who started a run may open its tasks
(`eligibility/seeing.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from accounts import people
from accounts.people import name_of
from accounts.principal import Principal
from engine.catalogue import Json
from engine.graph import Graph
from lib.typed_values import differences_text
from runs.kernel import graphs
from runs.models import HistoryEvent, Run
from runs.reading import places
from runs.reading.people_asked import Milestone, OpenTask, Standing
from runs.reading.stored import LOOPS
from tasks_inbox.eligibility.identity import Who, who_is
from tasks_inbox.eligibility.standing import standing_in_list
from tasks_inbox.forms.texts import title_of
from tasks_inbox.lifecycle.waits import people_in, whom
from tasks_inbox.limits import REQUEST_MILESTONES, REQUEST_REMINDERS, REQUEST_TASKS
from tasks_inbox.models import (
    APPROVE,
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
from tasks_inbox.models.comments import ANSWERED, ASKED, CORRECTED, SENT_AGAIN, SENT_BACK
from tasks_inbox.reading.changes import rounds_of
from tasks_inbox.reading.corrections import corrections_of
from tasks_inbox.store.queries import LARGE, placed, runs_of_trees
from tasks_inbox.store.trees import LastDecision, last_decisions

_KINDS = {APPROVE: "good", REJECT: "bad", NEUTRAL: "info"}
_SAID = {
    ASKED: "asked about {}",
    ANSWERED: "answered about {}",
    SENT_BACK: "returned {} for changes",
    SENT_AGAIN: "sent {} again",
}


def standings(who: Principal, trees: Mapping[UUID, UUID]) -> Mapping[UUID, Standing]:
    """How people stand to each of these runs (by the id of its tree), in as many statements for one as for many."""
    tasks = _open_of_each(who.tenant_id, trees)
    refusals = _refusals(who.tenant_id, trees.values())
    corrected = corrections_of(who.tenant_id, trees)
    people.learn(who.tenant_id, [name for task in tasks for name in _names(task)])
    by_run: dict[UUID, list[OpenTask]] = {}
    if tasks:
        me = who_is(who)
        for task in tasks:
            by_run.setdefault(trees[task.tree], []).append(_open_task(me, task))
    return {
        run: Standing(
            sorted(by_run.get(run, ()), key=lambda one: not one.is_yours),
            *refusals.get(run, (0, 0)),
            corrected.get(run, {}),
        )
        for run in {*by_run, *refusals, *corrected}
    }


def _open_of_each(tenant: int, trees: Mapping[UUID, UUID]) -> list[Any]:
    """The open tasks of these trees, at most `REQUEST_TASKS` of each, the oldest ones."""
    runs = Run.objects.for_tenant(tenant).order_by()
    below = runs.filter(tree_id__in=trees, completed_at__isnull=True).values("pk")
    members = runs.filter(pk__in=trees.values()).values("pk").union(below, all=True)
    tree = runs.filter(pk=OuterRef("run_id")).values(tree=Coalesce("tree_id", "root_id"))
    tasks = placed(tenant, ManualTask.objects.for_tenant(tenant).filter(run_id__in=members, status=OPEN))
    rows = tasks.exclude(kind__in=FOR_OPERATORS).defer(*LARGE).annotate(tree=Subquery(tree))
    place = Window(RowNumber(), partition_by=[F("tree")], order_by="id")
    return list(rows.annotate(place=place).filter(place__lte=REQUEST_TASKS).order_by("id"))


def _refusals(tenant: int, runs: Iterable[UUID]) -> dict[UUID, tuple[int, int]]:
    """How many of the decisions that ended the path of each of these runs said no, of how many."""
    by_run: dict[str, list[LastDecision]] = {}
    for one in last_decisions(tenant, [str(run) for run in runs], FOR_OPERATORS):
        by_run.setdefault(one.run, []).append(one)
    return {UUID(run): _refused(decisions) for run, decisions in by_run.items()}


def _refused(decisions: Sequence[LastDecision]) -> tuple[int, int]:
    """How many of the decisions that ended the path of a run said no, of how many.

    The last one counts. If that was made below a step that runs others, each such step behind which nobody decided
    counts, and of a map each item.
    """
    last = max(decisions, key=lambda one: one.decided_at)
    if not last.is_below:
        return int(_says_no(last)), 1
    graph = graphs.shown(last.version_id).graph
    nodes = {one.node for one in decisions}
    refused = total = 0
    for node in sorted(nodes):
        here = [one for one in decisions if one.node == node]
        if not here[0].is_below or _leads_to(graph, node, nodes - {node}):
            continue
        if here[0].item is None or graph.nodes[node].type in LOOPS:
            here = [max(here, key=lambda one: one.decided_at)]
            total += 1
        else:
            total += max(len(here), here[0].total or 0)
        refused += sum(map(_says_no, here))
    return refused, total


def _says_no(decision: LastDecision) -> bool:
    return meaning_of(decision.outcomes, decision.outcome) == REJECT


def _leads_to(graph: Graph, node: str, others: Collection[str]) -> bool:
    """Whether one of the other steps is behind this one."""
    behind, queue = set[str](), [node]
    while queue:
        step = graph.nodes.get(queue.pop())
        targets = {edge.target for edge in step.edges} - behind if step else set()
        behind |= targets
        queue += targets
    return not behind.isdisjoint(others)


def milestones(who: Principal, run_id: UUID) -> list[Milestone]:
    """What people decided, asked and returned for a run, with what they wrote, oldest first."""
    runs = Run.objects.for_tenant(who.tenant_id)
    members = _members(who.tenant_id, runs.filter(pk=run_id))
    rows = ManualTask.objects.for_tenant(who.tenant_id).filter(run_id__in=members)
    rows = rows.exclude(kind__in=FOR_OPERATORS).annotate(
        place=Subquery(runs.filter(pk=OuterRef("run_id")).values("place")),
        version=Subquery(runs.filter(pk=run_id).values("version_id")),
    )
    tasks = {
        task.pk: task
        for task in rows.only("id", "title", "title_parts", "outcomes", "kind").order_by("id")[
            :REQUEST_MILESTONES
        ]
    }
    decisions = TaskDecision.objects.for_tenant(who.tenant_id).filter(run_id__in=members, task_id__in=tasks)
    comments = TaskComment.objects.for_tenant(who.tenant_id).filter(task_id__in=tasks, kind__in=_SAID)
    entries = [
        _decided(tasks[one.task_id], one)
        for one in decisions.defer("record").order_by("seq")[:REQUEST_MILESTONES]
    ]
    remarks = list(comments.order_by("id")[:REQUEST_MILESTONES])
    corrections = _corrections(who.tenant_id, {one.task_id for one in remarks if one.kind == SENT_AGAIN})
    entries += [
        Milestone(
            one.at,
            _SAID[one.kind].format(_called(tasks[one.task_id])),
            one.by,
            _remark(one, corrections),
            "wait",
        )
        for one in remarks
    ]
    entries += _reminders(who.tenant_id, members, tasks)
    people.learn(who.tenant_id, [one.by for one in entries])
    return sorted(entries, key=lambda one: one.at)


def _corrections(tenant: int, tasks: Collection[UUID]) -> dict[UUID, Iterator[list[Json]]]:
    """What was corrected of each of these tasks, round by round."""
    if not tasks:
        return {}
    rows = ManualTask.objects.for_tenant(tenant).filter(pk__in=tasks).only("facts", "earlier")
    return {task.pk: iter(rounds_of(task)) for task in rows}


def _remark(comment: TaskComment, corrections: Mapping[UUID, Iterator[list[Json]]]) -> str:
    """What somebody wrote, and what they corrected."""
    differences = next(corrections[comment.task_id], []) if comment.kind == SENT_AGAIN else []
    if not differences:
        return comment.text
    words = differences_text(differences)
    return words if comment.text.startswith(CORRECTED) else f"{comment.text}\n{words}"


def _reminders(tenant: int, runs: QuerySet[Run, Any], tasks: Mapping[UUID, Any]) -> list[Milestone]:
    """What the requester reminded people of; of the reminders of a task's clock nothing is told."""
    events = HistoryEvent.objects.for_tenant(tenant).filter(
        run_id__in=runs, type="TASK_REMINDED", payload__has_key="by"
    )
    rows = events.order_by("-id").values_list("created_at", "payload")[:REQUEST_REMINDERS]
    return [
        Milestone(at, f"reminded people of {_called(tasks[task])}", payload["by"])
        for at, payload in rows
        if (task := UUID(payload["task"])) in tasks
    ]


def decided_since(who: Principal, runs: Sequence[UUID], since: datetime) -> set[UUID]:
    """Those of these runs for which somebody decided, asked or returned something since, also in runs below them."""
    decisions = TaskDecision.objects.for_tenant(who.tenant_id).filter(at__gt=since)
    tasks = ManualTask.objects.for_tenant(who.tenant_id)
    comments = TaskComment.objects.for_tenant(who.tenant_id).filter(kind__in=_SAID, at__gt=since)
    own = Run.objects.for_tenant(who.tenant_id).filter(pk__in=runs)
    members = _members(who.tenant_id, own)
    with_comments = tasks.filter(pk__in=comments.values("task_id"), run_id__in=members)
    busy = {
        *decisions.filter(run_id__in=members).values_list("run_id", flat=True),
        *with_comments.values_list("run_id", flat=True),
    }
    if not busy:
        return set()
    trees = (
        Run.objects.for_tenant(who.tenant_id).filter(pk__in=busy).values(tree=Coalesce("tree_id", "root_id"))
    )
    return set(own.filter(root_id__in=trees).values_list("pk", flat=True))


def _members(tenant: int, tops: QuerySet[Run]) -> QuerySet[Run, Any]:
    """The ids of these runs, which no step started, of those that they continue, and of all below them."""
    return runs_of_trees(tenant, tops.filter(tree_id=None).values("root_id"))


def _decided(task: Any, decision: TaskDecision) -> Milestone:
    label = label_of(task.outcomes, decision.outcome) or decision.outcome
    words = f"filled in {_called(task)}" if task.kind == "form" else f"decided {_called(task)}: {label}"
    kind = _KINDS[meaning_of(task.outcomes, decision.outcome)]
    return Milestone(decision.at, words, decision.by, decision.comment, kind)


def _called(task: Any) -> str:
    """A task by its title, and for which item it was, if for one."""
    place = [{"node": node, "index": index} for node, index in task.place or ()]
    if all(one["index"] is None for one in place):
        return f"“{title_of(task)}”"
    return f"“{title_of(task)}” ({places.in_words(places.titled(graphs.shown(task.version).graph, place))})"


def _open_task(me: Who, task: ManualTask) -> OpenTask:
    waits_for = task.returned_to or task.asked_of or task.assignee
    is_yours = waits_for == me.username if waits_for else standing_in_list(me, task).may_decide
    holder = name_of(waits_for) if waits_for else whom(task.candidates, "somebody")
    since = task.stopped_at or task.created_at
    return OpenTask(task.pk, title_of(task), holder, is_yours, task.due_at, since, task.run_id)


def _names(task: ManualTask) -> list[Json]:
    return [task.returned_to, task.asked_of, task.assignee, *people_in(task.candidates)]
