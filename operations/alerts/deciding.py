"""What becomes of alerts, decided from what a look has found: pure, no clock and no database.

An alert is open from the look that finds its condition to the first one that does not. Its channels are told once, and
not while it is muted, nor of what comes back before the rule's cooldown is over: then they are told as soon as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from operations.alerts.limits import NOTIFIED_ALERTS


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition that holds: `key` tells it apart from others of its rule, the rest is what people are told."""

    key: str
    subject: str
    message: str
    value: float | None = None
    advice: str = ""
    link: str = ""
    workflow: int | None = None
    run: UUID | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule says of telling."""

    id: int
    cooldown_seconds: int = 0
    muted_until: datetime | None = None
    escalate_minutes: int | None = None


@dataclass(frozen=True, slots=True)
class OpenAlert:
    """An alert that is not over, as it stands."""

    id: int
    key: str
    status: str = "open"
    quiet_until: datetime | None = None
    muted_until: datetime | None = None
    told_at: datetime | None = None
    escalated: bool = False


@dataclass(frozen=True, slots=True)
class FormerAlert:
    """The last alert of a key that is over: when it was told, and whether somebody said that it is over."""

    key: str
    resolved_at: datetime
    told_at: datetime | None = None
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class NewAlert:
    """An alert to be raised: told at once, or after `quiet_until`."""

    finding: Finding
    quiet_until: datetime | None
    tells: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done to the alerts of a rule; what is told or goes to the next ones is seen or raised, too."""

    raised: tuple[NewAlert, ...] = ()
    seen: tuple[tuple[int, Finding], ...] = ()
    told: tuple[int, ...] = ()
    escalated: tuple[int, ...] = ()
    resolved: tuple[int, ...] = ()

    @property
    def changes_alerts(self) -> bool:
        """Whether an alert is raised, escalated or resolved."""
        return bool(self.raised or self.escalated or self.resolved)


def decide(
    rule: Rule,
    findings: Sequence[Finding],
    alerts: Sequence[OpenAlert],
    former: Mapping[str, FormerAlert],
    now: datetime,
) -> Decision:
    """What becomes of the open `alerts` of a rule, now that these `findings` hold; `former`: the last ones by key.

    Of two findings of a key the first counts.
    """
    by_key: dict[str, Finding] = {}
    for one in findings:
        by_key.setdefault(one.key, one)
    open_keys = {one.key for one in alerts}
    ongoing = [one for one in alerts if one.key in by_key]
    to_tell = [one.id for one in ongoing if _is_told(one, rule, now)][:NOTIFIED_ALERTS]
    raised: list[NewAlert] = []
    for key, finding in by_key.items():
        before = former.get(key)
        if key in open_keys or _is_settled(before, rule, now):
            continue
        quiet = _quiet_until(before, rule, now)
        tells = quiet is None and not _lasts(rule.muted_until, now)
        tells = tells and len(to_tell) + sum(one.tells for one in raised) < NOTIFIED_ALERTS
        raised.append(NewAlert(finding, quiet, tells))
    return Decision(
        raised=tuple(raised),
        seen=tuple((one.id, by_key[one.key]) for one in ongoing),
        told=tuple(to_tell),
        escalated=tuple(one.id for one in ongoing if _is_escalated(one, rule, now)),
        resolved=tuple(one.id for one in alerts if one.key not in by_key),
    )


def _is_told(alert: OpenAlert, rule: Rule, now: datetime) -> bool:
    """Whether its channels are told now: nobody has, nobody knows of it, and nothing keeps it quiet any more."""
    quiet = (alert.quiet_until, alert.muted_until, rule.muted_until)
    return alert.status == "open" and alert.told_at is None and not any(_lasts(one, now) for one in quiet)


def _is_escalated(alert: OpenAlert, rule: Rule, now: datetime) -> bool:
    """Whether those who come next are told: it was told, and nobody has acknowledged it in time."""
    if rule.escalate_minutes is None or alert.told_at is None or alert.escalated or alert.status != "open":
        return False
    waited = now - alert.told_at >= timedelta(minutes=rule.escalate_minutes)
    return waited and not (_lasts(alert.muted_until, now) or _lasts(rule.muted_until, now))


def _is_settled(before: FormerAlert | None, rule: Rule, now: datetime) -> bool:
    """Whether somebody has said just now that it is over: they know that it still holds."""
    return before is not None and before.by_hand and _lasts(_cooled(before.resolved_at, rule), now)


def _quiet_until(before: FormerAlert | None, rule: Rule, now: datetime) -> datetime | None:
    if before is None or before.told_at is None:
        return None
    until = _cooled(before.told_at, rule)
    return until if until > now else None


def _cooled(at: datetime, rule: Rule) -> datetime:
    return at + timedelta(seconds=rule.cooldown_seconds)


def _lasts(until: datetime | None, now: datetime) -> bool:
    return until is not None and until > now
