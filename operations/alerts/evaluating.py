"""A look at everything that rules are about: what holds is raised, what holds no more is resolved.

One transaction of some statements, however many runs, tenants and rules there are; each is bounded. Two looks at once
do no harm: of a rule and key one alert is open, and each is told once.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from lib.batches import in_bounded_batches
from operations.alerts import store
from operations.alerts.deciding import Decision, Finding, FormerAlert, NewAlert, OpenAlert, Rule, decide
from operations.alerts.disk import free_percent_in_time
from operations.alerts.finding import Found, find
from operations.alerts.kinds import KINDS, default_params
from operations.alerts.models import LIVE_TOPIC
from operations.alerts.store import RaisedRow, RuleRow, SeenRow
from runs.kernel import live

_BATCH, _SECONDS = 1_000, 0.8


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided of a rule's alerts, and when."""

    tenant: int
    rule: int
    now: datetime
    decision: Decision


def look() -> int:
    """Raise, tell of, escalate and resolve alerts as rules say; gives how many were raised or resolved."""
    make_rules()
    # A disk that hangs must hold no transaction open.
    free = free_percent_in_time()
    with transaction.atomic():
        return _applied(_decisions(find(free)))


def make_rules(tenant_id: int | None = None) -> int:
    """Give tenants, or this one, the built-in rules that they do not have; gives how many were made."""
    defaults: list[RuleRow] = [
        {
            "kind": name,
            "name": kind.name,
            "params": default_params(kind),
            "severity": kind.severity,
            "cooldown": kind.cooldown_seconds,
        }
        for name, kind in KINDS.items()
    ]
    return store.make_rules(defaults, tenant_id)


def forget() -> int:
    """Delete what was over long ago; gives how much."""
    return in_bounded_batches(store.forget, _BATCH, _SECONDS)


def _decisions(state: Found) -> list[Decided]:
    """What becomes of the alerts of each rule that has found something, or has some that are over."""
    keys = state.keys
    standing: dict[int, list[OpenAlert]] = defaultdict(list)
    for row in store.open_alerts([*keys, *state.over], state.kept, state.kept_rules):
        standing[row.pop("rule")].append(
            OpenAlert(**row | _times(row, "quiet_until", "muted_until", "told_at"))
        )
    former: dict[int, dict[str, FormerAlert]] = defaultdict(dict)
    for row in store.former_alerts(keys) if keys else []:
        rule_id = row.pop("rule")
        former[rule_id][row["key"]] = FormerAlert(**row | _times(row, "told_at", "resolved_at"))
    decided = []
    for row in store.rules_of({*state.findings, *standing}):
        now = datetime.fromisoformat(row["now"])
        rule = Rule(
            row["id"],
            row["cooldown_seconds"],
            _times(row, "muted_until")["muted_until"],
            row["escalate_minutes"],
        )
        id = rule.id
        decision = decide(rule, state.findings.get(id, ()), standing[id], former[id], now)
        decided.append(Decided(row["tenant_id"], id, now, decision))
    return decided


def _times(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] and datetime.fromisoformat(row[name]) for name in names}


def _applied(decided: Sequence[Decided]) -> int:
    """Do what was decided, each in one statement for all rules."""
    new = {(one.rule, raised.finding.key): raised for one in decided for raised in one.decision.raised}
    rows = [_raised_row(one, raised) for one in decided for raised in one.decision.raised]
    raised = store.raise_alerts(rows) if rows else {}
    if seen := [_seen_row(one, *pair) for one in decided for pair in one.decision.seen]:
        store.see_alerts(seen)
    to_tell = [id for one in decided for id in one.decision.told]
    to_tell += [id for key, id in raised.items() if new[key].tells]
    if to_tell:
        store.tell(to_tell)
    if escalated := [id for one in decided for id in one.decision.escalated]:
        store.tell(escalated, escalated=True)
    resolved = [id for one in decided for id in one.decision.resolved]
    if resolved:
        resolved = store.resolve_alerts(resolved)
        store.tell_resolved(resolved)
    live.tell_about(LIVE_TOPIC, {one.tenant for one in decided if one.decision.changes_alerts})
    return len(raised) + len(resolved)


def _raised_row(of: Decided, one: NewAlert) -> RaisedRow:
    finding = one.finding
    return {
        "rule": of.rule,
        "key": finding.key,
        "subject": finding.subject,
        "message": finding.message,
        "advice": finding.advice,
        "link": finding.link,
        "workflow": finding.workflow,
        "run": str(finding.run) if finding.run else None,
        "value": finding.value,
        "quiet_until": one.quiet_until.isoformat() if one.quiet_until else None,
        "at": of.now.isoformat(),
    }


def _seen_row(of: Decided, id: int, finding: Finding) -> SeenRow:
    return {
        "id": id,
        "subject": finding.subject,
        "message": finding.message,
        "value": finding.value,
        "run": str(finding.run) if finding.run else None,
        "link": finding.link,
        "at": of.now.isoformat(),
    }
