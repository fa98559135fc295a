"""Months of simulated claims, for forecasts to be held against: machines at all hours, people by a calendar."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import orjson
from django.db import connection

from lib.uuid7 import uuid7
from lib.workdays import WorkCalendar, add_working_seconds
from tests import factories as make
from workflows.models import WorkflowVersion

OFFICE = WorkCalendar("default", "Europe/Berlin", opens=9 * 60, closes=17 * 60)
CLAIM = make.graph(
    [
        "read",
        {"id": "fraud", "type": "human.form", "params": {"title": "Fraud?"}},
        {"id": "offers", "type": "loop", "params": {"count": 9, "body": {"type": "noop"}}},
        {"id": "approve", "type": "human.approval", "params": {"title": "Pay?"}},
        "pay",
    ],
    [
        {"from": "read", "to": "fraud", "when": "output.large"},
        {"from": "read", "to": "offers", "default": True},
        "fraud>offers",
        "offers>approve",
        "approve>pay",
    ],
)
"""Three of ten claims are looked at for fraud; offers are asked for until one comes; somebody approves."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A run: when the turn of each step came, and when it was over."""

    steps: list[tuple[str, datetime]]
    ended: datetime

    @property
    def began(self) -> datetime:
        """When it was started."""
        return self.steps[0][1]


def claims(first: datetime, days: int, dice: random.Random) -> Iterator[Claim]:
    """Claims that come in over so many days, most of them while people are at work."""
    for day in range(days):
        start = first + timedelta(days=day)
        for _ in range(dice.randint(60, 80) if start.isoweekday() < 6 else dice.randint(5, 15)):
            hour = dice.uniform(7, 18) if dice.random() < 0.8 else dice.uniform(0, 24)
            yield _claim(start + timedelta(hours=hour), dice)


def _claim(began: datetime, dice: random.Random) -> Claim:
    steps, at = [("read", began)], began + _machine(dice, 40)
    if dice.random() < 0.3:
        steps.append(("fraud", at))
        at = _people(at, dice, hours=6)
    steps.append(("offers", at))
    at += _machine(dice, 900)
    while dice.random() < 0.4:
        at += timedelta(minutes=30) + _machine(dice, 900)
    steps.append(("approve", at))
    at = _people(at, dice, hours=2.5)
    steps.append(("pay", at))
    return Claim(steps, at + _machine(dice, 5))


def _machine(dice: random.Random, seconds: float) -> timedelta:
    return timedelta(seconds=seconds * dice.lognormvariate(0, 0.8))


def _people(at: datetime, dice: random.Random, *, hours: float) -> datetime:
    return add_working_seconds(OFFICE, at, round(3600 * hours * dice.lognormvariate(0, 0.9)))


INSERT = """
WITH s AS MATERIALIZED (
    SELECT w.*, w.over <= %(now)s AS is_over
      FROM jsonb_to_recordset(%(steps)s::jsonb)
        AS w(run uuid, id uuid, node text, due timestamptz, over timestamptz, ended timestamptz)
     WHERE w.due <= %(now)s
),
r AS (
    INSERT INTO runs_run (id, root_id, tenant_id, workflow_id, version_id, shard, priority, status, input, open_sinks,
                          created_by, created_at, completed_at)
    SELECT s.run, s.run, %(tenant)s, %(workflow)s, %(version)s, 0, 0,
           CASE WHEN s.ended <= %(now)s THEN 'COMPLETED' ELSE 'RUNNING' END, '{}', 0, 'test', min(s.due),
           CASE WHEN s.ended <= %(now)s THEN s.ended END
      FROM s GROUP BY s.run, s.ended
    RETURNING id, completed_at
),
h AS (
    INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, payload, created_at)
    SELECT %(tenant)s, r.id, 0, 0, 'RUN_COMPLETED', '{}', r.completed_at
      FROM r WHERE r.completed_at IS NOT NULL ORDER BY r.completed_at
)
INSERT INTO runs_stepexecution (id, tenant_id, run_id, version_id, shard, priority, node, type, queue, status,
                                lease_seconds, waiting, available_at, queued_at, started_at, completed_at)
SELECT s.id, %(tenant)s, s.run, %(version)s, 0, 0, s.node, 'noop', 'default',
       CASE WHEN s.is_over THEN 'COMPLETED' ELSE 'WAITING' END, 30,
       CASE WHEN NOT s.is_over THEN '{"kind": "signal", "name": "x"}'::jsonb END, s.due, s.due, s.due,
       CASE WHEN s.is_over THEN s.over END
  FROM s
"""


def insert(version: WorkflowVersion, found: Iterable[Claim], now: datetime) -> dict[str, Claim]:
    """Runs as they stand at a moment, as if Handoff had done them; gives which is which."""
    rows = {uuid7(): claim for claim in found}
    steps = [
        {"run": run, "id": uuid7(), "node": node, "due": due, "over": over, "ended": claim.ended}
        for run, claim in rows.items()
        for (node, due), (_, over) in pairwise([*claim.steps, ("", claim.ended)])
    ]
    named = {"tenant": version.tenant_id, "workflow": version.workflow_id, "version": version.pk}
    with connection.cursor() as cursor:
        cursor.execute(INSERT, {**named, "now": now, "steps": orjson.dumps(steps).decode()})
    return rows


def midnight(text: str) -> datetime:
    """The beginning of a day in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
