"""The statements of alerts as typed functions (SQL in `sql/alerts.sql` and `sql/conditions.sql`)."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import orjson

from accounts.roles import RUNS_SIGNAL, RUNS_START, roles_with
from engine.catalogue import Json
from lib.clock import now_or_none
from lib.named_sql import Statements
from operations.alerts.limits import (
    DELIVERY_PAUSE_SECONDS,
    EVALUATED_QUEUES,
    EVALUATED_RULES,
    READY_STEPS,
    RESOLVED_ALERTS,
    RULE_FINDINGS,
)
from runs.reading.carried_runs import CarriedRow
from runs.reading.mails import MailsRow
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS
from runs.store.hot import workers_known

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)


KEPT_DAYS = 90
LEASED = 10
"""So many messages are sent at once."""
FIRST_PAUSE_SECONDS = 60
"""Until the second attempt: longer than the first one may take. Doubled each time."""


class RuleRow(TypedDict):
    """A rule that tenants have from the start."""

    kind: str
    name: str
    params: Mapping[str, Json]
    severity: str
    cooldown: int


class RaisedRow(TypedDict):
    """An alert to be raised; times are ISO 8601."""

    rule: int
    key: str
    subject: str
    message: str
    advice: str
    link: str
    workflow: int | None
    run: str | None
    value: float | None
    quiet_until: str | None
    at: str


class SeenRow(TypedDict):
    """An alert whose condition still holds."""

    id: int
    subject: str
    message: str
    value: float | None
    run: str | None
    link: str
    at: str


class KeyRow(TypedDict):
    """What tells an alert apart."""

    rule: int
    key: str


class OutcomeRow(TypedDict):
    """What came of a message."""

    id: int
    state: str
    error: str


def make_rules(defaults: Sequence[RuleRow], tenant: int | None = None) -> int:
    """Give tenants, or this one, the rules that they do not have yet; gives how many were made."""
    params = {"defaults": _document(defaults), "tenant": tenant, "limit": EVALUATED_RULES}
    return SQL.execute("make_alert_rules", params).rowcount


def found(condition: str, kinds: Collection[str], **params: Json) -> list[dict[str, Any]]:
    """What a condition (the name of its statement) finds for the rules of these kinds that are on."""
    every = {"kinds": sorted(kinds), "limit": RULE_FINDINGS, "now": now_or_none()}
    return _rows(condition, every | params)


def found_in_queues(kinds: Collection[str], stale: float) -> list[dict[str, Any]]:
    """As `found`; an external worker of which nothing was heard for `stale` seconds is gone."""
    return found(
        "alerts_of_queues",
        kinds,
        most=READY_STEPS,
        most_queues=EVALUATED_QUEUES,
        stale=stale,
        **workers_known(),
    )


def found_in_owners(kinds: Collection[str]) -> list[dict[str, Any]]:
    """As `found`: what acts for somebody who may not do it any more."""
    roles = {"starters": roles_with(RUNS_START), "signallers": roles_with(RUNS_SIGNAL)}
    return found("alerts_of_owners", kinds, **roles)


def found_in_mails(kinds: Collection[str], mails: Sequence[MailsRow]) -> list[dict[str, Any]]:
    """As `found`; `mails`: those tried in vain."""
    return found("alerts_of_mails", kinds, mails=_document(mails))


def found_in_versions(kinds: Collection[str], versions: Sequence[CarriedRow]) -> list[dict[str, Any]]:
    """As `found`; `versions`: those in which a refusal goes on."""
    return found("alerts_of_versions", kinds, versions=_document(versions))


def open_alerts(
    keys: Sequence[KeyRow], kept_kinds: Collection[str], kept_rules: Collection[int]
) -> list[dict[str, Any]]:
    """The open alerts of these keys, and of the others those that are over: of all rules but those that are kept, by
    their kinds or one by one.
    """
    params = {
        "keys": _document(keys),
        "kept": sorted(kept_kinds),
        "kept_rules": sorted(kept_rules),
        "limit": RESOLVED_ALERTS,
    }
    return _rows("open_alerts", params)


def rules_of(rules: Collection[int]) -> list[dict[str, Any]]:
    """What these rules say of telling, and what time it is."""
    return _rows("rules_of_alerts", {"rules": sorted(rules), "now": now_or_none()})


def former_alerts(keys: Sequence[KeyRow]) -> list[dict[str, Any]]:
    """The last alert of each key that is over."""
    return _rows("former_alerts", {"keys": _document(keys)})


def raise_alerts(raised: Sequence[RaisedRow]) -> dict[tuple[int, str], int]:
    """Raise alerts; gives the ids of those that were not open, by rule and key."""
    rows = _rows("raise_alerts", {"raised": _document(raised)})
    return {(rule, key): id for id, rule, key in rows}


def see_alerts(seen: Sequence[SeenRow]) -> None:
    """Say that these still hold."""
    SQL.execute("see_alerts", {"seen": _document(seen)})


def resolve_alerts(alerts: Collection[int], by: str = "") -> list[int]:
    """Say that these are over, by themselves or because somebody says so; gives those that were not."""
    return SQL.column("resolve_alerts", {"alerts": sorted(alerts), "by": by, "now": now_or_none()})


def tell(alerts: Collection[int], *, escalated: bool = False) -> int:
    """Have the channels of these alerts told, or those who come next; gives how many messages are to be sent."""
    params = {"alerts": sorted(alerts), "escalated": escalated, "now": now_or_none()}
    ids = SQL.column("note_alerts_told", params)
    return _write(ids, "escalated" if escalated else "raised")


def tell_resolved(alerts: Collection[int]) -> int:
    """Have those who were told of these alerts told that they are over; gives how many messages are to be sent."""
    return _write(alerts, "resolved")


def _write(alerts: Collection[int], event: str) -> int:
    if not alerts:
        return 0
    params = {"alerts": sorted(alerts), "event": event, "now": now_or_none()}
    return SQL.execute("write_alert_deliveries", params).rowcount


def lease_deliveries(limit: int = LEASED) -> list[dict[str, Any]]:
    """Messages that are due, nobody else's until their next attempt."""
    params = {
        "limit": limit,
        "first": FIRST_PAUSE_SECONDS,
        "longest": DELIVERY_PAUSE_SECONDS,
        "now": now_or_none(),
    }
    return _rows("lease_alert_deliveries", params)


def read_messages(deliveries: Collection[int]) -> dict[int, dict[str, Any]]:
    """What is to be said in these, and to whom, by id; without those whose channel is gone or off."""
    rows = _rows("read_alert_messages", {"deliveries": sorted(deliveries)})
    return {row["id"]: row | {"sealed": bytes.fromhex(row["sealed"])} for row in rows}


def note_deliveries(outcomes: Sequence[OutcomeRow]) -> None:
    """Write down what came of messages."""
    SQL.execute("note_alert_deliveries", {"outcomes": _document(outcomes), "now": now_or_none()})


def forget(limit: int) -> int:
    """Delete what was over long ago; gives how much."""
    return int(SQL.value("forget_alerts", {"days": KEPT_DAYS, "limit": limit, "now": now_or_none()}))


def _rows(name: str, params: Mapping[str, Any]) -> list[Any]:
    return [orjson.loads(row) for row in SQL.column(name, params)]


def _document(rows: Sequence[Mapping[str, Any]]) -> str:
    return orjson.dumps(rows).decode()
