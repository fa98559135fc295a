"""The statements by which consumers of events take jobs, as typed functions (SQL in `sql/job_events.sql`)."""

from collections.abc import Sequence
from typing import TypedDict

from accounts.principal import EVERY_JOB, JobReach
from lib.clock import now_or_none
from runs.store import meters
from runs.store.hot import SQL, claimed_step, document
from runs.store.jobs import Leased


class WantedRow(TypedDict):
    """A job that a consumer has heard of, by its step and the epoch that its lease gets (`receive_jobs`,
    `receive_done_jobs`).
    """

    place: int
    worker: str
    step: str
    epoch: int
    token_hash: str


def receive_jobs(
    tenant: int, jobs: Sequence[WantedRow], reach: JobReach = EVERY_JOB
) -> tuple[list[Leased], dict[int, str]]:
    """Lease these jobs to work on them; gives them, each with its place, and of the other places why not: `gone`,
    `leased` by another, `held`, or `later`. Beyond this reach every job is `gone`.
    """
    return _received("receive_jobs", tenant, jobs, reach)


def receive_done_jobs(tenant: int, jobs: Sequence[WantedRow], reach: JobReach = EVERY_JOB) -> None:
    """As `receive_jobs`, of jobs whose work is done: also where they are held, and who has hold of one is waited for.

    In a transaction it waits for several only if nobody there holds what others of them wait for.
    """
    _received("receive_done_jobs", tenant, jobs, reach)


def _received(
    name: str, tenant: int, jobs: Sequence[WantedRow], reach: JobReach
) -> tuple[list[Leased], dict[int, str]]:
    params = {
        "tenant": tenant,
        "queues": None if reach.queues is None else [*reach.queues],
        "folders": None if reach.folders is None else [*reach.folders],
        "wanted": document(list(jobs)),
        "now": now_or_none(),
    }
    rows, refused = SQL.value(name, params)
    meters.polled(rows, is_contended=False, is_over=False)
    return [Leased(claimed_step(row), row[15], row[16], row[17]) for row in rows], dict(refused)
