"""The list of runs: which of them its address asks for, as rows with the columns that its reader has chosen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.http import QueryDict

from accounts.access import PageRequest
from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, TASKS_ASSIGN
from engine.catalogue import Json
from lib.api.pagination import Page
from lib.clock import now_here
from lib.refusals import Missing
from runs.access import readable_runs
from runs.limits import WORKFLOW_NAMES
from runs.reading import brief, presentation, queries
from runs.reading.filters import COLUMNS, FilterForm
from runs.reading.lists import page_of_runs
from runs.reading.orders import NEWEST, ORDERS
from runs.reading.searched import Searched
from runs.reading.stored import Bounds
from runs.reading.task_dues import dues_of
from workflows import titles
from workflows.access import may_anywhere, sees_nothing

ON_A_PAGE = 50
NO_PAGE = Page([], None, None)
IN_BRIEF = Bounds(2 * 1024, 0, 0)
"""Of what a run was given, gave and failed with so much is read to tell it by; nothing of its steps."""
USUAL = ("status", "now", "started", "by", "took", "deadline", "version")
COOKIE = "runs_list"
STEPS_SHOWN = 40
"""So many steps of a run are in its preview."""
SCROLL, PAGES = "scroll", "pages"


@dataclass(frozen=True, slots=True)
class Shown:
    """How somebody has the list shown: which columns, and whether more is loaded where it ends."""

    columns: tuple[str, ...] = USUAL
    scrolls: bool = False

    def also(self, column: str) -> "Shown":
        """The same with this column."""
        return replace(self, columns=tuple(name for name in COLUMNS if name in (*self.columns, column)))

    def written(self) -> str:
        """As the cookie keeps it."""
        return f"{SCROLL if self.scrolls else PAGES}:{'.'.join(self.columns)}"


def shown_for(request: PageRequest, columns: str = "") -> Shown:
    """How the list is shown to whoever asks: as their cookie says, with the columns that the address asks for."""
    way, separator, names = request.COOKIES.get(COOKIE, "")[:200].partition(":")
    usual = columns_of(names) if separator else USUAL
    return Shown(columns_of(columns) if columns else usual, way == SCROLL)


def columns_of(text: str) -> tuple[str, ...]:
    """The columns that a text names, with dots between them, in their order; others are passed over."""
    names = frozenset(text.split("."))
    return tuple(name for name in COLUMNS if name in names)


def list_context(request: PageRequest) -> dict[str, Json]:
    """A page of the runs that fit what the address asks for."""
    form = FilterForm(request.GET)
    filters, cursor = form.asked(request.principal.username), request.GET.get("cursor")
    order = form.chosen_order
    page, searched = _page(request, filters, order, cursor) if form.is_valid() else (NO_PAGE, None)
    workflows = queries.workflow_names(request.principal, WORKFLOW_NAMES)
    titles.learn_titles(workflows)
    layout = shown_for(request, form.cleaned_data.get("columns") or "")
    forecast = ORDERS[order].forecast
    if forecast is not None:
        layout = layout.also("likely")
    rows = brief_rows(request.principal, [run.id for run in page.rows])
    if "deadline" in layout.columns:
        rows = _with_dues(request.principal.tenant_id, rows)
    return {
        "form": form,
        "sees_nothing": sees_nothing(request.principal),
        "filters": form.in_words(),
        "workflows": workflows,
        "runs": rows,
        "is_by_age": order == NEWEST,
        "forecast": forecast,
        "newer": page.previous,
        "older": page.next,
        "searched": searched,
        # A search reads much: once, and not at every change.
        "follows": not cursor and not queries.reads_inputs(filters),
        "is_first": bool(cursor and page.rows) and page.previous is None,
        "shown": layout,
        "headings": [(name, COLUMNS[name]) for name in layout.columns],
        "all_columns": [(name, words, name in layout.columns) for name, words in COLUMNS.items()],
        "may_operate": may_anywhere(request.principal, RUNS_OPERATE),
        "may_assign": TASKS_ASSIGN in request.principal.scopes,
        "keeps": without(request.GET, "cursor"),
    }


def preview_context(principal: Principal, run_id: UUID) -> dict[str, Json]:
    """A run as the panel beside the list shows it: its row, and its steps. Raises Missing."""
    rows = brief_rows(principal, [run_id], whole=True)
    if not rows:
        raise Missing("There is no such run.")
    steps = [step for step in rows[0]["steps"] if step["index"] is None]
    return {"run": rows[0], "steps": steps[:STEPS_SHOWN], "left_out": max(0, len(steps) - STEPS_SHOWN)}


def brief_rows(who: Principal, runs: Sequence[UUID | str], *, whole: bool = False) -> list[dict[str, Json]]:
    """These runs as rows of a list, in their order: each with what tells it, and what it does now; two statements where
    one of them waits for what is below it, else one.

    Of their steps they have those that are open or have failed; all where `whole`.
    """
    return [
        row | {"called": row["business_key"] or brief.peek(row["input"], order), "now": brief.now_of(row)}
        for row, order in presentation.brief_rows(who.tenant_id, runs, IN_BRIEF, whole=whole, who=who)
    ]


def _page(
    request: PageRequest, filters: dict[str, Json], order: str, cursor: str | None
) -> tuple[Page, Searched | None]:
    tenant, mine = request.principal.tenant_id, readable_runs(request.principal)
    return page_of_runs(tenant, request, filters, mine, order=order, limit=ON_A_PAGE, cursor=cursor)


def _with_dues(tenant: int, rows: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """The rows, each with what is due first: an open task of the run, or the run itself."""
    dues = dues_of(tenant, [UUID(row["id"]) for row in rows if row["completed_at"] is None])
    now = now_here()
    return [row | _due(row, dues.get(UUID(row["id"])), now) for row in rows]


def _due(row: dict[str, Json], task: datetime | None, now: datetime) -> dict[str, Json]:
    own = row["sla_deadline"]
    if task is None or (own is not None and own <= task):
        return {"due": own, "is_of_task": False, "is_late": bool(row["sla_breached"])}
    return {"due": task, "is_of_task": True, "is_late": task < now}


def without(query: QueryDict, *names: str) -> str:
    """What a list is asked for, without these."""
    return with_parameters(query, dict.fromkeys(names, ""))


def with_parameters(query: QueryDict, changes: dict[str, str], only: Iterable[str] | None = None) -> str:
    """What a list is asked for, with these instead of what it has; without those that are empty."""
    parameters = query.copy()
    for name in list(parameters):
        if only is not None and name not in only:
            del parameters[name]
    for name, value in changes.items():
        if value:
            parameters[name] = value
        else:
            parameters.pop(name, None)
    return parameters.urlencode()
