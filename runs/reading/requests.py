"""What somebody asked for: the runs that they started as a person, told in their words and without what steps hold.

They see these whether or not they may read the workflow; nobody else sees them here, admins neither.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Case, Q, QuerySet, When

from accounts import people
from accounts.principal import Principal
from accounts.roles import RUNS_READ, RUNS_START
from engine.catalogue import Json
from engine.statuses import STEP_OPEN
from engine.verbs import run_verbs
from lib.refusals import Missing
from runs.access import folders_of_runs
from runs.kernel import graphs
from runs.limits import REQUEST_FACTS
from runs.models import HistoryEvent, Request, Run
from runs.reading.people_asked import Milestone, OpenTask, Standing, milestones, standings
from runs.reading.presentation import run_rows
from runs.reading.stored import Bounds
from workflows import titles
from workflows.design.start_forms import Start, filled
from workflows.models import Workflow
from workflows.queries import startable_workflows

TELLING = 2
"""So many facts of the input tell one request from another."""
LATELY = 200
_OWN = Bounds(64 * 1024, 0, 0)
_WRONG = "Something went wrong; operators see it"
_A_STEP = "Nobody has to act on it now"
"""What who may not read the workflow is told instead of the title of the step that is open."""


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


def has_requests(who: Principal) -> bool:
    """Whether they ever asked for anything."""
    return Request.objects.for_tenant(who.tenant_id).filter(user_id=who.user_id).exists()


def request_rows(who: Principal, runs: Sequence[Run]) -> list[dict[str, Json]]:
    """Requests as a list shows them, in their order, in as many statements for one as for many."""
    rows = {row["id"]: row for row in run_rows(who.tenant_id, [run.pk for run in runs], _OWN)}
    titles.learn(who.tenant_id, {row["workflow"] for row in rows.values()})
    standing_by_run = standings(who, {run.root_id: run.pk for run in runs})
    may_read = _readable(who, runs)
    ends = _cancellations(who.tenant_id, [run.pk for run in runs if run.cancelled])
    return [
        _row(
            who,
            run,
            rows[str(run.pk)],
            standing_by_run.get(run.pk, Standing()),
            ends.get(run.pk, {}),
            may_read=run.pk in may_read,
        )
        for run in runs
        if str(run.pk) in rows
    ]


def request_row(who: Principal, run_id: UUID) -> dict[str, Json]:
    """One request with what was asked, what happened and what waits for an answer of theirs. Raises Missing."""
    run = own_runs(who).filter(pk=run_id).first()
    if run is None:
        raise Missing("There is no such request.")
    (row,) = request_rows(who, [run])
    ends = _cancellations(who.tenant_id, [run.pk] if run.cancelled else [])
    people.learn(who.tenant_id, [end.get("by") for end in ends.values()])
    story = [Milestone(run.created_at, "asked", who.username), *milestones(who, run.pk)]
    if run.pk in ends:
        end = ends[run.pk]
        is_theirs = end["by"] == who.username
        word = "withdrew it" if is_theirs else "cancelled it"
        # What an operator writes is for the history of the run, which whoever asked may not read.
        story.append(Milestone(end["at"], word, end["by"], end.get("reason", "") if is_theirs else ""))
    if run.completed_at:
        story.append(Milestone(run.completed_at, row["status"], None, "", row["kind"]))
    own = startable_workflows(who).filter(pk=run.workflow_id) if RUNS_START in who.scopes else None
    return row | {
        "may_ask_again": own is not None and not run.is_test and own.exists(),
        "milestones": [_milestone(one) for one in sorted(story, key=lambda one: one.at)],
    }


def catalogue(who: Principal, q: str = "") -> QuerySet[Workflow]:
    """What they may start, what they asked for lately first; with `q` in its title, name or description."""
    if RUNS_START not in who.scopes:
        return Workflow.objects.for_tenant(who.tenant_id).none()
    own = Request.objects.for_tenant(who.tenant_id).filter(user_id=who.user_id)
    lately = dict.fromkeys(own.order_by("-run_id").values_list("workflow_id", flat=True)[:LATELY])
    places = [When(pk=workflow, then=place) for place, workflow in enumerate(lately)]
    rows = startable_workflows(who, q)
    order = [Case(*places, default=len(places))] if places else []
    return rows.order_by(*order, "title", "name")


def catalogue_row(workflow: Workflow) -> dict[str, Json]:
    """One workflow that may be started, as the API shows it."""
    return {
        "workflow": workflow.name,
        "title": workflow.title or workflow.name,
        "description": workflow.description,
        "folder": workflow.folder.name,
    }


def _readable(who: Principal, runs: Sequence[Run]) -> set[UUID]:
    """Those of the runs whose workflows they may read: of these alone steps are named."""
    if RUNS_READ not in who.scopes:
        return set()
    folders = folders_of_runs(who.tenant_id, [run.pk for run in runs])
    return {run for run, folder in folders.items() if who.may_in(RUNS_READ, folder)}


def _row(
    who: Principal,
    run: Run,
    row: Mapping[str, Json],
    standing: Standing,
    end: Mapping[str, Json],
    *,
    may_read: bool,
) -> dict[str, Json]:
    facts = _facts(run.version_id, row["input"], is_cut="input" in (row.get("truncated") or {}))
    now = _now(row, standing, may_read=may_read) if run.completed_at is None else {}
    status, kind = _status(who, run, standing, end, now)
    yours = [one for one in standing.open_tasks if one.is_yours and run.completed_at is None]
    return {
        "id": row["id"],
        "workflow": row["workflow"],
        "title": titles.title_of(row["workflow"]),
        "business_key": row["business_key"],
        "about": " · ".join(f"{fact['label']}: {fact['text']}" for fact in facts[:TELLING]),
        "status": status,
        "kind": kind,
        "is_open": run.completed_at is None,
        "holder": now.get("holder"),
        "until": now.get("until"),
        "since": now.get("since"),
        "created_at": run.created_at,
        "completed_at": run.completed_at,
        "may_withdraw": "cancel" in run_verbs(run.status),
        "facts": facts,
        "questions": [{"task": str(one.task_id), "title": one.title, "until": one.until} for one in yours],
    }


def _now(row: Mapping[str, Json], standing: Standing, *, may_read: bool) -> dict[str, Json]:
    """Who has it now, since and until when: a person where one is asked, else the step that is open, by its title for
    who may read it.
    """
    if standing.open_tasks:
        first: OpenTask = standing.open_tasks[0]
        more = f" and {len(standing.open_tasks) - 1} more" if len(standing.open_tasks) > 1 else ""
        holder = "you" if first.is_yours else f"{first.holder}{more}"
        return {"person": True, "holder": holder, "until": first.until, "since": first.since}
    for step in row["steps"]:
        if step["status"] in STEP_OPEN:
            wait = step["waiting"] or {}
            since = step["started_at"] or step["queued_at"]
            holder = step["title"] if may_read else _A_STEP
            return {"holder": holder, "until": wait.get("until"), "since": since}
    return {}


def _status(
    who: Principal, run: Run, standing: Standing, end: Mapping[str, Json], now: Mapping[str, Json]
) -> tuple[str, str]:
    if run.cancelled or run.status in ("CANCELLING", "CANCELLED"):
        own = end.get("by") == who.username
        over = "Withdrawn" if own else "Cancelled"
        return (
            (over, "quiet") if run.completed_at else ("Being withdrawn" if own else "Being cancelled", "wait")
        )
    match run.status:
        case "COMPLETED":
            return _result(standing)
        case "CONTINUED":
            return "Continued as another run", "info"
        case "PAUSED":
            return "Paused by operators", "wait"
        case "RUNNING":
            if now.get("person"):
                is_yours = now["holder"] == "you"
                return (
                    ("Your answer is needed", "wait")
                    if is_yours
                    else (f"Waiting for {now['holder']}", "wait")
                )
            return "In progress", "info"
    return _WRONG, "bad"


def _result(standing: Standing) -> tuple[str, str]:
    if not standing.refused:
        return "Done", "good"
    if standing.refused >= standing.decided:
        return "Refused", "bad"
    return f"{standing.refused} of {standing.decided} refused", "bad"


def _facts(version_id: int, data: Json, *, is_cut: bool) -> list[dict[str, str]]:
    """An input as the form that starts the workflow calls its fields, what is empty left out."""
    if is_cut:
        return [{"label": "Input", "text": "Too long to be shown here."}]
    schema = graphs.shown(version_id).graph.input_schema
    start = filled({"input_schema": schema, "nodes": []}, Start("form"), data) if schema else None
    if start is not None and start.form is not None:
        fields = [(one.label, one.in_words) for one in start.form.each()]
    elif isinstance(data, dict):
        fields = [(str(key), _text(value)) for key, value in data.items()]
    else:
        fields = [("Input", _text(data))]
    return [{"label": label, "text": text} for label, text in fields if text][:REQUEST_FACTS]


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str | int | float) else ""


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
