"""Where time goes and what fails, as people and programs are shown it (docs/telemetry.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from accounts.principal import Principal
from accounts.roles import READ
from engine.catalogue import Json
from lib.clock import now_here
from lib.refusals import Invalid
from operations.telemetry import store
from operations.telemetry.limits import FIGURE_GROUPS
from operations.telemetry.models import HOUR
from operations.telemetry.periods import Period, period
from operations.telemetry.store import Moment, RunCounts, Scope, StepCounts, bounds, milliseconds
from workflows.access import open_to
from workflows.models import Workflow, WorkflowVersion

TARGETS: Final[Mapping[str, float]] = {
    "completion_rate": 0.999,
    "failed_rate": 0.001,
    "interventions_per_day": 0.0,
}
"""What is aimed at (R-217, R-232): at least the first, at most the others."""
TIMES = ("queue", "machine", "human", "waiting")


@dataclass(frozen=True, slots=True)
class Selection:
    """What somebody asks for, within what they may read; `workflow`: one alone, `version`: of it one alone."""

    tenant: int
    period: Period
    workflows: Sequence[int] | None
    workflow: Workflow | None
    version: WorkflowVersion | None

    @property
    def scope(self) -> Scope:
        """As the statements take it."""
        version = None if self.version is None else self.version.pk
        return Scope(self.tenant, self.workflows, version, self.period.spans)


def select(
    who: Principal,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    workflow: str | None = None,
    version: int | None = None,
) -> Selection:
    """What is asked for; the last seven days where nothing is said. Raises Invalid, which names the parameter."""
    within = period(since, until, now_here())
    if workflow is None:
        if version is not None:
            raise Invalid("Name the workflow that this is a version of.", field="version")
        everywhere = who.reach.is_everywhere
        ids = None if everywhere else list(open_to(who, READ).values_list("pk", flat=True))
        return Selection(who.tenant_id, within, ids, None, None)
    one = open_to(who, READ).filter(name=workflow.replace("\x00", "")).first()
    if one is None:
        raise Invalid("There is no such workflow.", field="workflow")
    return Selection(
        who.tenant_id, within, [one.pk], one, None if version is None else _version(one, version)
    )


def _version(workflow: Workflow, number: int) -> WorkflowVersion:
    rows = WorkflowVersion.objects.for_tenant(workflow.tenant_id)
    version = rows.filter(workflow=workflow, number=number).defer("definition", "layout").first()
    if version is None:
        raise Invalid("The workflow has no such version.", field="version")
    return version


def summary(selection: Selection) -> dict[str, Json]:
    """The scoreboard of a period, by workflow (or of one workflow by version), and by the hour or day."""
    by: Literal["workflow", "version"] = "workflow" if selection.workflow is None else "version"
    step: Literal["hour", "day"] = "hour" if selection.period.step == HOUR else "day"
    groups, moments = store.runs_in(selection.scope, by=by, step=step)
    total = next((one for one in groups if one.key is None), _NONE)
    rows = sorted((one for one in groups if one.key is not None), key=_size, reverse=True)[:FIGURE_GROUPS]
    names = _names(selection, by, [one.key for one in rows if one.key is not None])
    group_rows = [{**names[one.key], **_row(one)} for one in rows if one.key in names]
    standing = store.standing()
    return {
        "from": selection.period.since,
        "to": selection.period.until,
        **_row(total),
        "interventions_per_day": total.interventions / selection.period.days,
        "targets": dict(TARGETS),
        "by_workflow": group_rows if by == "workflow" else [],
        "by_version": group_rows if by == "version" else [],
        "by_day": _moments(selection.period, moments),
        "step": selection.period.step,
        "counted_at": standing.counted_at,
        "behind": standing.is_behind,
    }


_NONE = RunCounts(None, 0, 0, 0, 0, 0, 0, 0, 0, None, None)


def _size(one: RunCounts) -> tuple[int, int]:
    return one.completed + one.failed + one.cancelled, one.started


def _row(one: RunCounts) -> dict[str, Json]:
    ended = one.completed + one.failed
    return {
        "runs": ended + one.cancelled,
        "started": one.started,
        "completed": one.completed,
        "failed": one.failed,
        "cancelled": one.cancelled,
        "resumed": one.resumed,
        "endings": ended + one.cancelled + one.resumed,
        "completion_rate": one.completed / ended if ended else None,
        "failed_rate": one.failed / ended if ended else None,
        "average_seconds": one.duration_ms / one.timed / 1000 if one.timed else None,
        "p50_seconds": _seconds(one.p50),
        "p95_seconds": _seconds(one.p95),
        "p50_range_seconds": _range(one.p50, 1000),
        "p95_range_seconds": _range(one.p95, 1000),
        "interventions": one.interventions,
    }


def _seconds(bucket: int | None) -> float | None:
    middle = milliseconds(bucket)
    return None if middle is None else round(middle / 1000, 4)


def _range(bucket: int | None, unit_ms: int) -> list[float] | None:
    """Between which times a percentile is, in units of so many milliseconds."""
    ends = bounds(bucket)
    return None if ends is None else [round(end / unit_ms, 4) for end in ends]


def _names(selection: Selection, by: str, keys: Sequence[int]) -> dict[int | None, dict[str, Json]]:
    """What the groups are called; one statement."""
    if by == "workflow":
        workflows = Workflow.objects.for_tenant(selection.tenant).filter(pk__in=keys)
        rows = workflows.values_list("pk", "name", "title")
        return {key: {"workflow": name, "title": title or name} for key, name, title in rows}
    versions = WorkflowVersion.objects.for_tenant(selection.tenant).filter(pk__in=keys)
    return {key: {"version": number} for key, number in versions.values_list("pk", "number")}


def _moments(within: Period, rows: Sequence[Moment]) -> list[dict[str, Json]]:
    """Every hour or day of the period, those without runs too."""
    by_moment = {one.at: one for one in rows}
    moments = (by_moment.get(at) or Moment(at, 0, 0, 0, 0, 0, 0) for at in within.moments)
    return [
        {
            "at": one.at,
            "started": one.started,
            "completed": one.completed,
            "failed": one.failed,
            "cancelled": one.cancelled,
            "resumed": one.resumed,
            "interventions": one.interventions,
        }
        for one in moments
    ]


def step_rows(selection: Selection, *, by: Literal["type", "node"] = "type") -> list[dict[str, Json]]:
    """How long steps took and how often they failed, by type or by node and type (R-202); the longest first."""
    rows = store.steps_in(selection.scope, by=by, limit=FIGURE_GROUPS)
    spent, failed = sum(map(_spent, rows)), sum(one.failed for one in rows)
    return [_step_row(one, spent, failed) for one in rows]


def _spent(one: StepCounts) -> int:
    return one.queue_ms + one.machine_ms + one.human_ms + one.waiting_ms + one.lost_ms


def _step_row(one: StepCounts, spent: int, failed: int) -> dict[str, Json]:
    count = one.completed + one.failed
    sums = {name: getattr(one, f"{name}_ms") for name in TIMES}
    took = one.machine_ms + one.human_ms + one.waiting_ms
    return {
        "step_type": one.type,
        "node": one.node or None,
        "count": count,
        "completed": one.completed,
        "failed": one.failed,
        "skipped": one.skipped,
        "cancelled": one.cancelled,
        "retried": one.retried,
        "failure_share": one.failed / count if count else None,
        "share_of_failures": one.failed / failed if failed else 0.0,
        "average_ms": took / one.completed if one.completed else None,
        "total_ms": _spent(one),
        "share_of_time": _spent(one) / spent if spent else 0.0,
        "lost_ms": one.lost_ms,
        **{name: _time(one, name, sums[name]) for name in TIMES},
    }


def _time(one: StepCounts, name: str, total: int) -> dict[str, Json]:
    """Of queue, machine, human or waiting time: p50, p95 and the sum, in milliseconds."""
    p50, p95 = one.ends.get(name, (None, None))
    return {
        "p50": _rounded(p50),
        "p95": _rounded(p95),
        "p50_range": _range(p50, 1),
        "p95_range": _range(p95, 1),
        "total_ms": total,
    }


def _rounded(bucket: int | None) -> float | None:
    middle = milliseconds(bucket)
    return None if middle is None else round(middle, 1)
