"""The pages of telemetry: the scoreboard of a period with what is behind it, of all workflows or of one."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from lib.clock import now_here
from lib.reader import reader
from lib.refusals import Invalid, Missing
from operations.telemetry import figures
from operations.telemetry.bars import chart
from operations.telemetry.figures import Selection
from runs.kernel import graphs
from workflows.queries import latest_of

CHOICES = (("1", "24 hours"), ("7", "7 days"), ("30", "30 days"))
USUAL = "7"
WORK = ("machine", "human", "waiting")


@page(RUNS_READ)
def telemetry_page(request: PageRequest) -> HttpResponse:
    """All workflows that one may read; `?days=1`, `7` or `30`, or `?from=&to=` as days."""
    selection, context = _selected(request)
    context |= _figures(selection, figures.step_rows(selection), context["in_runs"])
    return render(request, "telemetry/board.html", context, status=422 if context["refused"] else 200)


@page(RUNS_READ)
def workflow_telemetry(request: PageRequest, name: str) -> HttpResponse:
    """A workflow: its versions side by side, and its steps; with `?version=` of that version alone."""
    selection, context = _selected(request, name)
    titles = _titles(selection)
    rows = [row | {"title": titles.get(row["node"], "")} for row in figures.step_rows(selection, by="node")]
    context |= _figures(selection, rows, context["in_runs"]) | {
        "workflow": selection.workflow,
        "version": selection.version,
    }
    return render(request, "telemetry/workflow.html", context, status=422 if context["refused"] else 200)


def _selected(request: PageRequest, workflow: str | None = None) -> tuple[Selection, dict[str, Json]]:
    """What the address asks for; what can't be read in it is told, and the last seven days are shown then."""
    values = {name: request.GET.get(name, "").strip()[:20] for name in ("days", "from", "to", "version")}
    error = None
    try:
        since, until = _period(values)
        version = _version(values["version"])
        selection = figures.select(
            request.principal, since=since, until=until, workflow=workflow, version=version
        )
    except Invalid as refusal:
        if refusal.field == "workflow":
            raise Missing(refusal.message) from None
        error, values = refusal, values | {"days": USUAL, "version": ""}
        selection = figures.select(request.principal, workflow=workflow)
    is_own = bool(values["from"] or values["to"])
    period = selection.period
    context: dict[str, Json] = {
        "choices": CHOICES,
        "days": "" if is_own and error is None else values["days"] or USUAL,
        "is_own": is_own,
        "typed": values,
        "refused": error,
        "period": period,
        "last_day": period.until - timedelta(microseconds=1),
        "kept": urlencode(
            {name: values[name] for name in ("days", "from", "to") if values[name]} if not error else {}
        ),
        "in_runs": _in_runs(period.since, period.until - timedelta(microseconds=1)),
    }
    return selection, context


def _period(values: dict[str, str]) -> tuple[datetime | None, datetime | None]:
    """The period that the address names. Raises Invalid."""
    if values["from"] or values["to"]:
        since, until = (_day(values[name], name) for name in ("from", "to"))
        # The last day counts, too.
        return since, until and until + timedelta(days=1)
    days = values["days"] or USUAL
    if days not in dict(CHOICES):
        raise Invalid("Choose 24 hours, 7 days, 30 days, or a period of your own.", field="days")
    return now_here() - timedelta(days=int(days)), None


def _day(text: str, field: str) -> datetime | None:
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
        return datetime.combine(day, time(), UTC) if day < date.max else None
    except ValueError:
        raise Invalid("Write a day such as 2026-01-31.", field=field) from None


def _version(text: str) -> int | None:
    if text and not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Invalid("The workflow has no such version.", field="version")
    return int(text) if text else None


def _in_runs(since: datetime, until: datetime) -> str:
    """What the address of the list of runs has for this period, by days where the reader is."""
    clock = reader().clock
    days = {"since": since.astimezone(clock).date(), "until": until.astimezone(clock).date()}
    return urlencode(days)


def _titles(selection: Selection) -> dict[str, str]:
    """What the steps of the version that is shown are called, or those of the latest one."""
    version = selection.version or (selection.workflow and latest_of(selection.workflow))
    if not version:
        return {}
    return {name: node.title for name, node in graphs.shown(version.pk).graph.nodes.items() if node.title}


def _figures(selection: Selection, rows: list[dict[str, Json]], in_runs: str) -> dict[str, Json]:
    """The scoreboard with its chart, of all versions, and the steps: `work` is what the time of one was spent on most.

    `address`: the list of the runs that are counted.
    """
    board = figures.summary(replace(selection, version=None))
    address = _address(selection.workflow.name if selection.workflow else None, in_runs)
    for name in ("by_workflow", "by_version"):
        board[name] = [_timed(row) | {"address": _address_of(selection, row, in_runs)} for row in board[name]]
    steps = [row | {"work": max(WORK, key=lambda name: row[name]["total_ms"])} for row in rows]
    return {
        "board": _timed(board) | {"a_day": _rounded(board["interventions_per_day"])},
        "address": address,
        "marks": _marks(board),
        "chart": chart(board["by_day"]),
        "steps": [row | {"time": row[row["work"]]} for row in steps],
        "has_figures": bool(board["started"] or board["runs"] or rows),
    }


def _address(workflow: str | None, in_runs: str, version: int | None = None) -> str:
    """The list of the runs of a period, of a workflow or of all, of one version where it is given."""
    parameters = {"workflow": workflow, "q": version and f"version:{version}"}
    query = urlencode({name: text for name, text in parameters.items() if text})
    return f"{reverse('runs')}?{query}&{in_runs}"


def _address_of(selection: Selection, row: dict[str, Json], in_runs: str) -> str:
    if "workflow" in row:
        return _address(row["workflow"], in_runs)
    return _address(selection.workflow.name if selection.workflow else None, in_runs, row["version"])


def _timed(row: dict[str, Json]) -> dict[str, Json]:
    """The same with its times in milliseconds, too."""
    average = row["average_seconds"]
    ranges = {
        f"{name}_ms": row[f"{name}_seconds"] and [1000 * end for end in row[f"{name}_seconds"]]
        for name in ("p50_range", "p95_range")
    }
    return row | ranges | {"average_ms": None if average is None else 1000 * average}


def _rounded(number: float) -> float | int:
    """A number to the hundredth, whole ones without a point."""
    return int(number) if number == int(number) else round(number, 2)


def _marks(board: dict[str, Json]) -> dict[str, bool | None]:
    """Which targets are met; None where there is nothing to tell by."""
    targets = board["targets"]
    completed, failed = board["completion_rate"], board["failed_rate"]
    return {
        "completion_rate": None if completed is None else completed >= targets["completion_rate"],
        "failed_rate": None if failed is None else failed <= targets["failed_rate"],
        "interventions": board["interventions_per_day"] <= targets["interventions_per_day"],
    }
