"""What holds now of all that rules are about, by statements that are each bounded."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from engine.catalogue import Json
from operations.alerts import store
from operations.alerts.deciding import Finding
from operations.alerts.kinds import KINDS
from operations.alerts.limits import (
    COUNTED_ROWS,
    COUNTED_SCHEDULES,
    EVALUATED_DEFINITIONS,
    LATE_SCHEDULE_SECONDS,
    LATE_TIMERS,
    MESSAGE_CHARACTERS,
    OPEN_STEP_ALERTS,
    READ_RUNS,
    RULE_FINDINGS,
    SUBJECT_CHARACTERS,
)
from operations.alerts.models import QUEUE_KINDS
from operations.alerts.store import KeyRow
from runs.kernel import graphs
from runs.reading import carried_runs, mails
from runs.reading.workers import STALE
from workflows.models import WorkflowVersion

GIVEN_UP = timedelta(hours=1)
"""A mail that was given up counts for so long."""
_OF_DEADLINES = ("sla_warning", "sla_breached")


@dataclass(frozen=True, slots=True)
class Found:
    """What holds, by rule; what was looked at and is `over`; and the kinds and rules that are `kept`: not all was
    looked at.
    """

    findings: Mapping[int, Sequence[Finding]]
    over: Sequence[KeyRow]
    kept: frozenset[str]
    kept_rules: frozenset[int]

    @property
    def keys(self) -> list[KeyRow]:
        """What tells apart that which holds."""
        return [{"rule": rule, "key": one.key} for rule, some in self.findings.items() for one in some]


def find(free: float | None) -> Found:
    """What holds now; `free`: how much of the disk is, in per cent, None where nobody knows."""
    rows: list[dict[str, Any]] = []
    kept_kinds = set(_OF_DEADLINES)

    def take(kinds: Sequence[str], some: list[dict[str, Any]]) -> None:
        rows.extend(some)
        # More may hold than was found: nothing says of the rest that it is over.
        if len(some) >= RULE_FINDINGS:
            kept_kinds.update(kinds)

    take(QUEUE_KINDS, store.found_in_queues(QUEUE_KINDS, STALE.total_seconds()))
    for kind, (condition, params) in _conditions().items():
        take([kind], store.found(condition, [kind], **params))
    take(["owner_gone"], store.found_in_owners(["owner_gone"]))
    failing, is_cut = mails.failing(GIVEN_UP, LATE_TIMERS)
    take(["mail_failing"], store.found_in_mails(["mail_failing"], failing))
    if is_cut:
        kept_kinds.add("mail_failing")
    versions, is_cut = carried_runs.in_use(EVALUATED_DEFINITIONS)
    take(["refusal_ignored"], store.found_in_versions(["refusal_ignored"], carried_runs.rows_of(versions)))
    if is_cut:
        kept_kinds.add("refusal_ignored")
    if free is None:
        kept_kinds.add("disk")
    else:
        take(["disk"], store.found("alerts_of_disk", ["disk"], free=free))
    take(_OF_DEADLINES, store.found("alerts_of_deadlines", _OF_DEADLINES, most=RULE_FINDINGS))
    return _sorted_out(rows, kept_kinds)


def _conditions() -> Mapping[str, tuple[str, Mapping[str, int]]]:
    most, counted = {"most": RULE_FINDINGS}, {"most": COUNTED_ROWS}
    return {
        "failure_rate": ("alerts_of_failures", most | {"most_read": READ_RUNS}),
        "step_exhausted": ("alerts_of_steps", most | {"most_standing": OPEN_STEP_ALERTS}),
        "compensation_failed": ("alerts_of_compensations", most),
        "timer_late": ("alerts_of_timers", {"most": LATE_TIMERS}),
        "run_stuck": ("alerts_of_repairs", {}),
        "history_differs": ("alerts_of_history", {}),
        "webhook_off": ("alerts_of_webhooks", {}),
        "schedule_stopped": (
            "alerts_of_schedules",
            {"most": COUNTED_SCHEDULES, "late": LATE_SCHEDULE_SECONDS},
        ),
        "task_undecidable": ("alerts_of_undecidable_tasks", counted),
        "task_overdue": ("alerts_of_overdue_tasks", counted),
        "dead_letters": ("alerts_of_dead_letters", counted),
        "outbox": ("alerts_of_outbox", counted),
        "relay_leader": ("alerts_of_relay", counted),
    }


def _sorted_out(rows: Sequence[Mapping[str, Any]], kept_kinds: set[str]) -> Found:
    findings: dict[int, list[Finding]] = defaultdict(list)
    over: list[KeyRow] = []
    kept_rules: set[int] = set()
    for row in rows:
        # A statement says of a rule that it has not read all that the rule is about.
        if row.get("cut"):
            kept_rules.add(row["rule"])
        elif row.get("over"):
            over.append({"rule": row["rule"], "key": str(row["key"])})
        else:
            findings[row["rule"]].append(_finding(row))
    return Found(findings, over, frozenset(kept_kinds), frozenset(kept_rules))


def _finding(row: Mapping[str, Any]) -> Finding:
    words = KINDS[row["kind"]].words(_titled(row["facts"]), row["run"])
    return Finding(
        key=str(row["key"]),
        subject=words.subject[:SUBJECT_CHARACTERS],
        message=words.message[:MESSAGE_CHARACTERS],
        value=row["value"],
        advice=words.advice,
        link=words.link,
        workflow=row["workflow"],
        run=row["run"] and UUID(row["run"]),
    )


def _titled(facts: Mapping[str, Json]) -> Mapping[str, Json]:
    """With what the step is called on pages, where it is about one."""
    if "node" not in facts:
        return facts
    try:
        step = graphs.shown(facts["version"]).graph.steps.get(facts["node"])
    except (graphs.BrokenVersion, WorkflowVersion.DoesNotExist):
        return facts
    return {**facts, "node": step.title} if step else facts
