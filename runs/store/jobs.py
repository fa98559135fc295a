"""The statements about jobs and who polls for them as typed functions (`sql/claim.sql`, `sql/workers.sql`)."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypedDict
from uuid import UUID

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store import meters
from runs.store.attempts import ClaimedStep
from runs.store.hot import SQL, claimed_step, document, workers_known

Asked = tuple[int, str, tuple[int, ...] | None]
"""A queue of a tenant as somebody asks for its jobs: those of these folders alone, where there are some."""


class Offer(NamedTuple):
    """Room for one job: who would have it, by which of the polls, and the hash of the token that it would have."""

    worker: str
    poll: int
    token_hash: bytes


class Leased(NamedTuple):
    """A job that was leased: until when, for which of the offers (from 0), and how far the attempt before it came."""

    step: ClaimedStep
    expires: str
    place: int
    progress: Json


class ContactRow(TypedDict):
    """What a worker tells of itself when it polls (`workers_polled`)."""

    worker: str
    version: str | None
    slots: int | None


class StepInHand(NamedTuple):
    """A step that a worker has in hand."""

    worker: str
    step_id: UUID
    run_id: UUID
    node: str
    started_at: str
    lease_expires_at: str


def claim_jobs(
    *,
    tenant: int,
    queues: Sequence[str],
    offers: Sequence[Offer],
    alone: bool,
    folders: Sequence[int] | None = None,
) -> list[Leased]:
    """Jobs of these queues for external workers, at most one for each offer, in their order; of workflows that lie in
    these folders alone, where there are some.
    """
    params = {
        "tenant": tenant,
        "queues": list(queues),
        "limit": len(offers),
        "token_hashes": [one.token_hash for one in offers],
        "workers": [one.worker for one in offers],
        "polls": [one.poll for one in offers],
        "alone": alone,
        "folders": None if folders is None else list(folders),
        "now": now_or_none(),
    }
    rows, is_contended = SQL.value("claim_jobs", params)
    meters.polled(rows, is_contended=is_contended, is_over=not alone)
    return [Leased(claimed_step(row), row[15], row[16] - 1, row[17]) for row in rows]


def ready_jobs(most: Mapping[Asked, int]) -> dict[Asked, int]:
    """How many jobs external workers could lease now of each of these queues, up to so many of it; those that have none
    are left out.
    """
    rows = [
        {"tenant_id": tenant, "queue": queue, "folders": folders, "most": many}
        for (tenant, queue, folders), many in most.items()
    ]
    ready = SQL.value("ready_jobs", {"wanted": document(rows), "now": now_or_none()})
    return {
        (tenant, queue, None if folders is None else (*folders,)): jobs
        for tenant, queue, folders, jobs in ready
    }


def workers_polled(tenant: int, queues: Sequence[str], workers: Sequence[ContactRow]) -> None:
    """These workers, each once, have asked just now for jobs of these queues."""
    params = {"tenant": tenant, "queues": list(queues), "workers": document(workers), "now": now_or_none()}
    SQL.execute("workers_polled", params)


def forget_workers() -> None:
    """Forget the workers that have not polled for a day, and those beyond the newest thousand of a tenant."""
    SQL.execute("forget_workers", {"now": now_or_none()})


def count_held(tenant: int, workers: Collection[str], *, jobs: bool) -> dict[str, tuple[int, str | None]]:
    """How many of the tenant's steps each of these workers has in hand, and when it said last that it is at one; of the
    idle nothing. `jobs`: they are external ones; else processes of ours.
    """
    params = {"tenant": tenant, "workers": sorted(workers), "jobs": jobs, **workers_known()}
    rows = SQL.value("count_held", params)
    return {worker: (count, last) for worker, count, last in rows}


def steps_in_hand(tenant: int, workers: Collection[str], each: int, *, jobs: bool) -> list[StepInHand]:
    """What these workers have in hand of the tenant's steps, what each began last first, at most so many of `each`.

    `jobs`: they are external ones; else processes of ours.
    """
    params = {
        "tenant": tenant,
        "workers": sorted(workers),
        "each": each,
        "jobs": jobs,
        **workers_known(),
    }
    return [
        StepInHand(worker, UUID(step), UUID(run), *rest)
        for worker, step, run, *rest in SQL.value("held_by", params)
    ]
