"""What somebody asked for: the runs that they started as a person, told in their words and without what steps hold.

They see these whether or not they may read the workflow; nobody else sees them here, admins neither.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Case, Q, QuerySet, When

from accounts import people
from accounts.names import key_of
from accounts.principal import Principal
from accounts.roles import RUNS_READ, RUNS_START
from engine.catalogue import Json
from engine.statuses import RunStatus
from engine.verbs import run_verbs
from lib.refusals import Missing
from runs.access import folders_of_runs
from runs.kernel import graphs
from runs.limits import REQUEST_REMINDER_SECONDS
from runs.models import HistoryEvent, Request, Run
from runs.reading.leaves import Below, begins_others
from runs.reading.people_asked import Milestone, OpenTask, Standing, milestones, standings
from runs.reading.presentation import read_with_below, view_of
from runs.reading.request_facts import Asked, about, facts_asked
from runs.reading.request_failures import FailedRun, failures_of
from runs.reading.request_results import result_rows
from runs.reading.request_states import (
    Facts,
    OpenStep,
    failed_undo,
    has_failed,
    open_step,
    state_of,
)
from runs.reading.stored import Bounds, RunRead, read_runs
from workflows import titles
from workflows.models import Workflow
from workflows.queries import category_of, startable_workflows

LATELY = 200
_OWN = Bounds(64 * 1024, 0, 0)


def own_runs(who: Principal, which: str = "all") -> QuerySet[Run]:
    """The runs that they asked for, unordered and without payloads; `open`, `done` or all."""
    own = Request.objects.for_tenant(who.tenant_id).filter(user_id=who.user_id)
    runs = Run.objects.for_tenant(who.tenant_id).defer("input", "output", "error")
    runs = runs.filter(pk__in=own.values("run_id"))
    return runs if which == "all" else runs.filter(completed_at__isnull=which == "open")


def changed_since(
    who: Principal, since: datetime, also: Callable[[Sequence[UUID]], Collection[UUID]]
) -> list[Run]:
    """Of their newest requests those that ended since, or are among those that `also` picks; the newest first."""
    newest = Request.objects.for_tenant(who.tenant_id).filter(user_id=who.user_id).order_by("-run_id")
    ids = list(newest.values_list("run_id", flat=True)[:LATELY])
    runs = Run.objects.for_tenant(who.tenant_id).defer("input", "output", "error").filter(pk__in=ids)
    return list(runs.filter(Q(completed_at__gt=since) | Q(pk__in=also(ids))).order_by("-id"))


def is_own(who: Principal, run_id: UUID) -> bool:
    """Whether a run is a request of theirs."""
    rows = Request.objects.for_tenant(who.tenant_id)
    return rows.filter(pk=run_id, user_id=who.user_id).exists()


def is_filed_by(who: Principal, run_id: UUID) -> bool:
    """Whether they filed a request for somebody else."""
    rows = Request.objects.for_tenant(who.tenant_id)
    return rows.filter(pk=run_id, filed_by_id=who.user_id).exists()


def filed_runs(who: Principal) -> QuerySet[Run]:
    """The runs that they filed for others, unordered and without payloads."""
    rows = Request.objects.for_tenant(who.tenant_id).filter(filed_by_id=who.user_id)
    runs = Run.objects.for_tenant(who.tenant_id).defer("input", "output", "error")
    return runs.filter(pk__in=rows.values("run_id"))


def has_requests(who: Principal) -> bool:
    """Whether they ever asked for anything."""
    return Request.objects.for_tenant(who.tenant_id).filter(user_id=who.user_id).exists()


def request_rows(who: Principal, runs: Sequence[Run]) -> list[dict[str, Json]]:
    """Requests as a list shows them, in their order, in as many statements for one as for many."""
    ids = [run.pk for run in runs]
    read = {
        UUID(one.id): (view_of(one, below=below), one, below)
        for one, below in read_with_below(who.tenant_id, read_runs(who.tenant_id, ids, _OWN), who)
    }
    titles.learn(who.tenant_id, {row["workflow"] for row, _, _ in read.values()})
    standing_by_run = standings(who, {run.root_id: run.pk for run in runs})
    may_read = _readable(who, runs)
    own = Request.objects.for_tenant(who.tenant_id).in_bulk(ids)
    ends = _cancellations(who.tenant_id, [run.pk for run in runs if run.cancelled])
    failures = failures_of(
        who.tenant_id,
        [
            FailedRun(run.pk, run.root_id, None, None, run.version_id, read[run.pk][0]["error"])
            for run in runs
            if run.pk in read and has_failed(run.status, has_error=read[run.pk][0]["error"] is not None)
        ],
    )
    asked_at = _beginnings(who.tenant_id, runs)
    details = facts_asked(
        who.tenant_id,
        [
            Asked(
                run.pk,
                run.root_id,
                run.version_id,
                read[run.pk][0]["input"],
                "input" in (read[run.pk][0].get("truncated") or {}),
                standing_by_run.get(run.pk, Standing()).corrected,
            )
            for run in runs
            if run.pk in read
        ],
    )
    return [
        _row(
            who,
            run,
            own.get(run.pk),
            row,
            Facts(
                RunStatus(run.status),
                run.completed_at is not None,
                run.cancelled,
                ends.get(run.pk, {}).get("by") == who.username,
                standing_by_run.get(run.pk, Standing()),
                _open_steps(one, below, may_read=run.pk in may_read),
                failures.get(run.pk),
            ),
            details[run.pk],
            asked_at.get(run.root_id, run.created_at),
        )
        for run in runs
        if run.pk in read
        for row, one, below in [read[run.pk]]
    ]


def request_row(who: Principal, run_id: UUID) -> dict[str, Json]:
    """One request with what was asked, what happened and what waits for an answer of theirs. Raises Missing."""
    run = own_runs(who).filter(pk=run_id).first() or filed_runs(who).filter(pk=run_id).first()
    if run is None:
        raise Missing("There is no such request.")
    (row,) = request_rows(who, [run])
    ends = _cancellations(who.tenant_id, [run.pk] if run.cancelled else [])
    is_filed = bool(row["filed_by"])
    people.learn(who.tenant_id, [end.get("by") for end in ends.values()])
    story = [Milestone(row["created_at"], *_beginning(who, row)), *milestones(who, run.pk)]
    if run.pk in ends:
        end = ends[run.pk]
        is_theirs = end["by"] == who.username
        word = "withdrew it" if is_theirs else "cancelled it"
        # What an operator writes is for the history of the run, which whoever asked may not read.
        story.append(Milestone(end["at"], word, end["by"], end.get("reason", "") if is_theirs else ""))
    if run.completed_at:
        story.append(Milestone(run.completed_at, row["status"], None, row["message"], row["kind"]))
    is_own_run = not is_filed or key_of(row["filed_by"]) != key_of(who.username)
    if not is_own_run:
        # What people write is for the requester.
        story = [replace(one, text="") for one in story]
    own = startable_workflows(who).filter(pk=run.workflow_id) if RUNS_START in who.scopes else None
    is_done = is_own_run and run.status == RunStatus.COMPLETED and row["kind"] != "quiet"
    return row | {
        "result": result_rows(who.tenant_id, str(run.pk), run.version_id) if is_done else [],
        "may_ask_again": is_own_run and own is not None and not run.is_test and own.exists(),
        "milestones": [_milestone(one) for one in sorted(story, key=lambda one: one.at)],
    }


def catalogue(who: Principal, q: str = "") -> QuerySet[Workflow]:
    """What they may start, what they asked for lately first; with `q` in one of its texts."""
    if RUNS_START not in who.scopes:
        return Workflow.objects.for_tenant(who.tenant_id).none()
    own = Request.objects.for_tenant(who.tenant_id).filter(user_id=who.user_id)
    lately = dict.fromkeys(own.order_by("-run_id").values_list("workflow_id", flat=True)[:LATELY])
    places = [When(pk=workflow, then=place) for place, workflow in enumerate(lately)]
    rows = startable_workflows(who).annotate(category=category_of(who.tenant_id))
    if q:
        words = (Q(**{f"{name}__icontains": q}) for name in ("name", "title", "description", "category"))
        rows = rows.filter(reduce(or_, words))
    order = [Case(*places, default=len(places))] if places else []
    return rows.order_by(*order, "title", "name")


def category_name(workflow: Workflow) -> str:
    """The category of a workflow of the catalogue; empty where its author gave none."""
    return str(workflow.category)  # type: ignore[attr-defined]  # as `catalogue` annotates it


def catalogue_row(workflow: Workflow) -> dict[str, Json]:
    """One workflow that may be started, as the API shows it."""
    return {
        "workflow": workflow.name,
        "title": workflow.title or workflow.name,
        "description": workflow.description,
        "folder": workflow.folder.name,
        "category": category_name(workflow),
    }


def _beginning(who: Principal, row: Mapping[str, Json]) -> tuple[str, str]:
    """How a request began, and by whom."""
    if row["filed_by"] is None:
        return "asked", who.username
    return f"filed it for {people.name_of(row['filed_for'])}", row["filed_by"]


def _readable(who: Principal, runs: Sequence[Run]) -> set[UUID]:
    """Those of the runs whose workflows they may read: of these alone steps are named."""
    if RUNS_READ not in who.scopes:
        return set()
    folders = folders_of_runs(who.tenant_id, [run.pk for run in runs])
    return {run for run, folder in folders.items() if who.may_in(RUNS_READ, folder)}


def _row(
    who: Principal,
    run: Run,
    own: Request | None,
    row: Mapping[str, Json],
    facts: Facts,
    details: list[dict[str, Json]],
    asked_at: datetime,
) -> dict[str, Json]:
    state = state_of(facts)
    is_filed = own is not None and own.filed_by_id is not None
    is_own_run = own is None or own.user_id == who.user_id
    open_tasks = facts.standing.open_tasks if run.completed_at is None else ()
    yours = [one for one in open_tasks if one.is_yours]
    return {
        "id": row["id"],
        "workflow": row["workflow"],
        "title": titles.title_of(row["workflow"]),
        "business_key": row["business_key"],
        "about": about(details),
        "status": state.words,
        "kind": state.kind,
        "message": state.text if is_own_run else "",
        "filed_by": run.acts_for if is_filed else None,
        "filed_for": run.created_by if is_filed else None,
        "is_open": run.completed_at is None,
        "holder": state.holder,
        "until": state.until,
        "since": state.since,
        "created_at": asked_at,
        "completed_at": run.completed_at,
        "may_withdraw": is_own_run and "cancel" in run_verbs(run.status),
        **_reminding(run, own, facts.standing.open_tasks, is_own_run=is_own_run),
        "facts": details,
        "questions": [{"task": str(one.task_id), "title": one.title, "until": one.until} for one in yours],
    }


def _beginnings(tenant: int, runs: Sequence[Run]) -> dict[UUID, datetime]:
    """When the first one was begun of the runs that these continue."""
    roots = {run.root_id for run in runs if run.root_id != run.pk}
    rows = Run.objects.for_tenant(tenant).filter(pk__in=roots)
    return dict(rows.values_list("pk", "created_at")) if roots else {}


def _reminding(
    run: Run, own: Request | None, tasks: Sequence[OpenTask], *, is_own_run: bool
) -> dict[str, Json]:
    """Whether there is somebody to remind, when they were reminded last, and when they may be again."""
    last = own.reminded_at if own else None
    return {
        "may_remind": is_own_run
        and run.status == RunStatus.RUNNING
        and any(not task.is_yours for task in tasks),
        "reminded_at": last,
        "remind_again_at": last and last + timedelta(seconds=REQUEST_REMINDER_SECONDS),
    }


def _open_steps(run: RunRead, below: Below, *, may_read: bool) -> list[OpenStep]:
    """What is open in a run and below it; steps are named where their workflows may be read."""
    graph = graphs.shown(run.version_id).graph
    own = [
        open_step(
            step,
            graph.steps[step.node].title if may_read and step.node in graph.steps else None,
            step.started_at or step.queued_at,
        )
        for step in run.steps
        if not (below.groups and begins_others([step.waiting]))
    ]
    inner = [
        failed_undo(leaf.title)
        if leaf.is_failed
        else open_step(leaf.step, leaf.title, leaf.step.started_at or leaf.step.queued_at)
        for leaf in (group.first for group in below.groups)
    ]
    return [step for step in (*own, *inner) if step is not None]


def _cancellations(tenant: int, runs: Sequence[UUID]) -> dict[UUID, dict[str, Json]]:
    """Who cancelled each of these runs, when and why, the last time."""
    if not runs:
        return {}
    events = HistoryEvent.objects.for_tenant(tenant).filter(run_id__in=runs, type="RUN_CANCELLING")
    rows = events.order_by("id").values_list("run_id", "payload", "created_at")
    return {
        run: {"by": payload.get("by", ""), "reason": payload.get("reason", ""), "at": at}
        for run, payload, at in rows
    }


def _milestone(one: Milestone) -> dict[str, Json]:
    return {"at": one.at, "by": one.by, "words": one.words, "text": one.text, "kind": one.kind}
