"""The panes of the inbox: which list one stands in, its rows, what is to be known about a task's run and deciders."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from accounts import people
from accounts.access import PageRequest
from accounts.roles import TASKS_ASSIGN
from engine.catalogue import Json
from lib.api.pagination import Page
from lib.clock import now_here
from lib.counts import up_to
from lib.reader import reader
from lib.refusals import Invalid
from lib.typed_values import text_of
from runs.kernel.graphs import BrokenVersion, shown
from runs.models import Run
from tasks_inbox.eligibility import votes
from tasks_inbox.eligibility.electors import electors_of
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.evidence import ledger
from tasks_inbox.forms import texts
from tasks_inbox.lifecycle.consequences import consequences
from tasks_inbox.lifecycle.waits import people_in, whom
from tasks_inbox.lifecycle.working_time import SAYS_HOW
from tasks_inbox.limits import PANE_VALUES, SEARCH_CHARACTERS
from tasks_inbox.models import COMPLETED, FOR_OPERATORS, INCIDENT, OPEN, ManualTask, label_of
from tasks_inbox.reading import listing, sources, task_rows
from tasks_inbox.reading.sources import DUE_SOON, Parts, View, parts_of
from tasks_inbox.store import queries
from tasks_inbox.web.asking import know_waiting
from workflows.access import may_anywhere

ON_A_PAGE = 50
TABS: tuple[tuple[View, str], ...] = (
    ("mine", "Mine"),
    ("teams", "My teams"),
    ("due", "Due"),
    ("snoozed", "Snoozed"),
    ("delegated", "Delegated"),
    ("done", "Done"),
    ("watching", "Watching"),
)
IN_LINE = 4
"""So many views stand beside each other; the rest, and those that one has kept, are behind "More"."""
UNDECIDABLE: tuple[tuple[View, str], ...] = (("undecidable", "Nobody can decide"),)
"""A view for those who may say whom tasks ask."""
SNOOZES = (("1", "For an hour"), ("24", "For a day"), ("72", "For three days"), ("168", "For a week"))
_UNSORTED = ("done", "watching")
"""Of what is decided the newest stand first, unless something else is asked."""
SORT_WORDS = {
    "sla": "Due first",
    "risk": "At risk first",
    "priority": "Urgent first",
    "newest": "Newest",
    "oldest": "Oldest",
}


@dataclass(frozen=True, slots=True)
class Place:
    """The list in which somebody stands: all that its address says, so that acting on a task keeps it."""

    view: View | None
    sort: str
    text: str
    run: UUID | None
    cursor: str | None
    saved: int | None = None

    @classmethod
    def of(cls, request: PageRequest) -> "Place":
        """As the address says; what it says wrongly is left out. No `view`: none was asked for."""
        query = request.GET
        view_name = "teams" if query.get("view") == "open" else query.get("view")
        offered = TABS + (UNDECIDABLE if may_anywhere(request.principal, TASKS_ASSIGN) else ())
        view = next((name for name, _ in offered if name == view_name), None)
        run, usual = id_of(query.get("run", "")), _usual(view, bool(query.get("run")))
        sort = query.get("sort", "")
        sort = sort if listing.order_of(sort) else usual
        text = query.get("filter", query.get("query", "")).replace("\x00", "").strip()[:SEARCH_CHARACTERS]
        saved_text = query.get("saved", "")
        saved_id = (
            int(saved_text)
            if saved_text.isascii() and saved_text.isdigit() and len(saved_text) < 16
            else None
        )
        return cls(view, sort, text, run, query.get("cursor") or None, saved_id)

    def usual(self) -> str:
        """The order of this list where none is asked for."""
        return _usual(self.view, self.run is not None)

    def address(self, *, cursor: bool = True, **other: Json) -> str:
        """The query string of this list, or of one that differs in `other`."""
        fields = {
            "view": self.view,
            "sort": self.sort,
            "filter": self.text,
            "run": self.run,
            "saved": self.saved,
        }
        fields |= {"cursor": self.cursor if cursor else None} | other
        return urlencode({key: str(value) for key, value in fields.items() if value})

    def parts(self, who: Who) -> Parts:
        """What the list is of. Raises Invalid for a search that says nothing."""
        parts = parts_of(who, run=self.run) if self.run else parts_of(who, view=self.view)
        return listing.found(who, parts, self.text)

    def leads_on(self) -> bool:
        """Whether deciding a task leads to the next one."""
        return self.view in ("mine", "teams", "due") and self.run is None


def list_pane(request: PageRequest, who: Who, place: Place, at: UUID | None = None) -> dict[str, Json]:
    """The list with its views; `at` is the task that is open. Raises Invalid for a cursor of another list."""
    counts, waiting = listing.counts(who)
    know_waiting(request, waiting)
    if place.view is None and place.run is None:
        place = _first(place, counts)
    fault = ""
    try:
        page = _page(request, who, place)
    except Invalid as error:
        if error.field != "filter":
            raise
        page, fault = Page((), None, None), error.message
    workflows = queries.workflows_of(who.tenant_id, page.rows)
    people.learn(
        who.tenant_id, [name for task in page.rows for name in (*named_in(task), *texts.people_in(task))]
    )
    now = now_here()
    by = listing.told_of(place.sort)
    types = queries.types_told([task.pk for task in page.rows], by) if by else {}
    rows = [
        _row(row, now)
        | {"by_value": _by_value(task, by, types), "workflow_title": workflows[task.workflow_id].title}
        for task, row in zip(page.rows, task_rows.list_rows(page.rows, workflows, who), strict=True)
    ]
    rarer = TABS[IN_LINE:] + (UNDECIDABLE if who.assigns else ())
    return {
        "tasks": rows,
        "place": place,
        "view": place.view,
        "at": at,
        "keeps": place.address(),
        "fault": fault,
        "tabs": _tabs(place, counts, TABS[:IN_LINE]),
        "more_tabs": _tabs(place, counts, rarer),
        "more_shown": next((words for name, words in rarer if name == place.view), ""),
        "sorts": list(SORT_WORDS.items()),
        "value_sorts": _value_sorts(page.rows, by),
        "counts": {view: up_to(count, sources.COUNTED) for view, count in counts.items()},
        "cleared": place.address(cursor=False, filter=None, saved=None),
        "from_start": place.address(cursor=False),
        "decides": who.decides,
        "snoozes": SNOOZES,
        "may_select": who.decides and any(row["status"] == OPEN for row in rows),
        "may_assign": may_anywhere(request.principal, TASKS_ASSIGN),
        "newer": _query(page.previous),
        "older": _query(page.next),
    }


def _tabs(
    place: Place, counts: Mapping[str, int], views: Sequence[tuple[View, str]]
) -> list[dict[str, Json]]:
    """Views with how many tasks each has, and their addresses from here."""
    return [
        {
            "view": name,
            "words": words,
            "count": up_to(counts[name], sources.COUNTED),
            "address": place.address(cursor=False, view=name, sort=None, run=None, saved=None),
        }
        for name, words in views
    ]


def _usual(view: View | None, of_run: bool) -> str:
    return "newest" if view in _UNSORTED or of_run else "sla"


def _first(place: Place, counts: dict[str, int]) -> Place:
    """Where somebody comes in who asked for no view: at what they have taken, otherwise at what they may take."""
    view: View = "mine" if counts["mine"] else "teams"
    return Place(view, place.sort, place.text, None, place.cursor, place.saved)


def _page(request: PageRequest, who: Who, place: Place) -> Page:
    # A cursor is of the list's own address, wherever the list is shown.
    of_list = copy.copy(request)
    of_list.path, of_list.GET = reverse("inbox"), QueryDict(place.address())
    parts = place.parts(who)
    return listing.page(who.tenant_id, parts, of_list, place.sort, limit=ON_A_PAGE, cursor=place.cursor)


def decider_pane(task: ManualTask) -> dict[str, Json]:
    """Of a task that several decide: how it stands, in words, and who has decided what."""
    if not needs_several(task.quorum):
        return {"several": False, "electors": ()}
    labels = {one["name"]: one["label"] for one in task.outcomes}
    electors = electors_of(task)
    stands = votes.standing(task, electors)
    state = stands.state
    groups = [f"{one['name']} {one['have']} of {one['need']}" for one in state.get("groups", ())]
    return {
        "several": True,
        "electors": [one.key for one in electors],
        "standing": " · ".join(
            part for part in (f"{state['have']} of {state['need']} agree", ", ".join(groups)) if part
        ),
        "first_outcome": task.outcomes[0]["label"],
        "is_veto": state["rule"] == "veto",
        "is_possible": stands.is_possible,
        "proxies": [one for one in task.proxies if one["by_key"] not in task.voted],
        "decided": [one | {"label": labels.get(one["outcome"], one["outcome"])} for one in _decisions(task)],
    }


def _decisions(task: ManualTask) -> list[dict[str, Json]]:
    rows = votes.rows_of(task)
    return [
        {
            "by": row.by,
            "on_behalf_of": row.on_behalf_of,
            "outcome": row.outcome,
            "at": row.at,
            "comment": row.comment,
            "is_unseen": ledger.is_unseen(row.record),
        }
        for row in rows
    ]


def was_unseen(task: ManualTask) -> bool:
    """Whether the one who decided this task alone had not seen it."""
    is_one = task.status == COMPLETED and task.kind not in FOR_OPERATORS and not needs_several(task.quorum)
    return is_one and any(ledger.is_unseen(row.record) for row in votes.rows_of(task)[-1:])


def run_pane(task: ManualTask) -> dict[str, Json]:
    """The run's facts, how the step is called, and what happens by each outcome as the run's own version says."""
    run = Run.objects.for_tenant(task.tenant_id).filter(pk=task.run_id).only(
        "version_id", "created_by", "created_at", "status", "business_key", "is_test"
    ).first()  # fmt: skip
    if run is None:
        return {"run_facts": None, "step_title": task.node, "then": {}}
    try:
        version = shown(run.version_id)
    except BrokenVersion:
        return {"run_facts": run, "version": None, "step_title": task.node, "then": {}}
    then = consequences(version.graph, task.node, task.outcomes) if _asks_of_step(task) else {}
    step = version.graph.nodes.get(task.node)
    title = step.title if step else task.node
    return {
        "run_facts": run,
        "version": version.number,
        "step_title": title,
        "then": then,
    }


def _asks_of_step(task: ManualTask) -> bool:
    return task.status == OPEN and task.kind != INCIDENT


def due_words(due: datetime | None, now: datetime) -> str:
    """When something is due, as people say it; the day where it is further away than a week."""
    if due is None:
        return ""
    away = abs(due - now)
    if is_far(due, now):
        day = reader().day(due)
        return f"overdue since {day}" if due < now else f"due {day}"
    span = _span(away)
    return f"overdue by {span}" if due < now else f"due in {span}"


def due_pane(task: ManualTask, now: datetime) -> dict[str, Json]:
    """When a task is due, in words, and whether that is over or far away."""
    due = task.due_at
    return {
        "due": due_words(due, now) if task.status == OPEN else "",
        "is_due_far": due is not None and is_far(due, now),
        "is_overdue": task.status == OPEN and due is not None and due < now,
    }


def is_far(due: datetime, now: datetime) -> bool:
    """Whether something is due so far away that its day says more than how long that is."""
    return abs(due - now) > timedelta(days=7)


def _span(away: timedelta) -> str:
    minutes = int(away.total_seconds() // 60)
    if minutes < 60:
        return f"{max(minutes, 1)} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"


def named_in(task: ManualTask) -> list[str | None]:
    """Whose names are shown with a task, by username."""
    who = (task.assignee, task.delegated_by, task.decided_by, task.decided_for)
    proxies = (name for one in task.proxies for name in (one["by"], one["to"]))
    return [*who, task.stopped_by, task.asked_of, task.returned_to, *proxies, *people_in(task.candidates)]


def voters(
    deciders: dict[str, Json], row: dict[str, Json], level: Mapping[str, Json] | None
) -> list[str | None]:
    """Who has voted on a task, is about to decide it, or will be asked next, by username."""
    votes_of = [name for one in deciders.get("decided", ()) for name in (one["by"], one["on_behalf_of"])]
    return [*votes_of, row["held"] and row["held"]["by"], *(people_in(level["to"]) if level else ())]


def in_words(row: dict[str, Json]) -> dict[str, Json]:
    """A task's row with whom it asks and how it was decided, in words."""
    return row | {
        "whom": whom(row["candidates"], "everybody who may decide tasks"),
        "decision": label_of(row["outcomes"], row["outcome"]),
    }


def _row(row: dict[str, Json], now: datetime) -> dict[str, Json]:
    # While it is with somebody for changes, or a question is open, nothing comes nearer.
    due, is_open = row["due_at"], row["status"] == OPEN and not (row["returned_to"] or row["asked_at"])
    return in_words(row) | {
        "due": due_words(due, now) if is_open else "",
        "urgency": "" if not is_open or due is None else _urgency(due - now),
        "several": needs_several(row["quorum"]),
    }


def _by_value(task: ManualTask, by: str | None, types: Mapping[UUID, Json]) -> Json:
    """By what the list is ordered: a value of the task, or how likely its run is late."""
    if by:
        value = task.told.get(by)
        text = text_of(value, types.get(task.pk))
        return value if text is None else text
    safety = getattr(task, "at_safety", listing.UNKNOWN)
    return None if safety > 1 else f"risk {round(100 * (1 - safety))} %"


def _urgency(away: timedelta) -> str:
    if away < timedelta():
        return "overdue"
    return "soon" if away < DUE_SOON else ""


def _value_sorts(tasks: Sequence[ManualTask], by: str | None) -> list[tuple[str, str]]:
    """The orders by a value that these tasks offer: up and down by each that they tell, and by the present one."""
    value_keys = dict.fromkeys([*([by] if by else ()), *(key for task in tasks for key in task.told)])
    keys = [key for key in value_keys if key not in SAYS_HOW and listing.order_of(f"data.{key}")][
        :PANE_VALUES
    ]
    words = {key: key.replace("_", " ").capitalize() for key in keys}
    return [
        (f"{sign}data.{key}", f"{words[key]}, {way}")
        for key in keys
        for sign, way in (("", "smallest first"), ("-", "largest first"))
    ]


def id_of(text: str) -> UUID | None:
    """The id that an address says; None where it is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def _query(address: str | None) -> str | None:
    return f"{reverse('inbox')}?{address.partition('?')[2]}" if address else None
