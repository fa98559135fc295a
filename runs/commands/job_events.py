"""Jobs of which a broker tells: the id in the event, and what consumers do with it (R-170, R-179).

The id names the step and the epoch of a lease that nobody has yet, with a secret that can be computed anew: nothing of
it is kept, and the step isn't touched before somebody receives it. A consumer either claims the job by the id and works
under a lease of its own, or says at once what became of the job, as rochallor's do; whoever is late gets nothing.
"""

import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from django.core.signing import Signer
from django.utils.crypto import constant_time_compare

from accounts.principal import EVERY_JOB, JobReach
from engine.statuses import StepStatus
from lib.gathering import Gathered
from runs.commands.job_leases import hash_of, parts_of, token_of
from runs.commands.jobs import Job, jobs_of, note_workers
from runs.kernel import live
from runs.limits import JOB_EVENT_ID_CHARACTERS
from runs.store.job_events import WantedRow, receive_done_jobs, receive_jobs
from runs.workers.beginning import load_to_begin

log = logging.getLogger(__name__)

BETWEEN = "."
_MARK = "~"
"""What no secret of a lease begins with."""
GONE, LEASED = "gone", "leased"
_NOT_BEGUN: Mapping[str, str] = {GONE: "is done, or waits for a later attempt", LEASED: "has been started"}
"""What is logged of a step that is not begun again (R-105)."""


class _JobId(NamedTuple):
    """What the id of a job in an event says."""

    step: str
    epoch: int


def event_id(step: str, epoch: int) -> str:
    """The id of the job at this step that the next lease is for, where `epoch` is that of the step now."""
    return f"{step}{BETWEEN}{token_of(step, epoch + 1, _secret(step, epoch + 1))}"


def is_told(token: str) -> bool:
    """Whether a lease token is that of an event, by its look."""
    return token.startswith(_MARK)


def claim(
    tenant: int,
    worker: str,
    ids: Sequence[str],
    *,
    queues: Sequence[str] = (),
    version: str | None = None,
    slots: int | None = None,
    reach: JobReach = EVERY_JOB,
) -> tuple[list[Job], Mapping[str, str]]:
    """Lease the jobs that events named so; gives them in the order of the ids, and of the other ids why not: `gone`,
    `leased` (by another), `held` or `later`. Of one that comes to be free again consumers are told anew.

    `queues`, `version` and `slots` (how many jobs it does at once) are what the consumer tells of itself; `reach`: the
    jobs that its token is for, beyond which all are `gone`. Raises Forbidden for another queue.
    """
    reach.require(queues)
    if queues:
        note_workers(tenant, queues, [(worker, version, slots)])
    job_ids = [_job_id(one) for one in ids]
    tokens = [secrets.token_urlsafe(16) for _ in ids]
    rows = [
        _wanted(place, worker, one, tokens[place]) for place, one in enumerate(job_ids) if one is not None
    ]
    leased, reasons = receive_jobs(tenant, rows, reach) if rows else ([], {})
    load_to_begin([one.step for one in leased])
    live.tell_steps((one.step for one in leased), StepStatus.RUNNING)
    leased.sort(key=lambda one: one.place)
    jobs = jobs_of((tokens[one.place], one) for one in leased)
    for place, why in sorted(reasons.items()):
        if (job_id := job_ids[place]) is not None and why in _NOT_BEGUN:
            log.info("The step %s %s: %s does not begin it again", job_id.step, _NOT_BEGUN[why], worker)
    refused = {ids[place]: why for place, why in sorted(reasons.items())}
    refused |= {ids[place]: GONE for place, one in enumerate(job_ids) if one is None}
    return jobs, refused


def take(tenant: int, worker: str, step: str, token: str, reach: JobReach = EVERY_JOB) -> None:
    """Have the lease that the token of an event is for begin, unless it did: whoever shows it is done with the job.

    A run that is paused meanwhile is no hindrance, nor is who has hold of the step for a moment. Nothing happens where
    the job can't be had or is beyond their `reach`; what is said of it next is then heard as of a lease that is over.
    """
    if (job_id := _job_id(f"{step}{BETWEEN}{token}")) is not None:
        _taken_together((tenant, reach), (worker, job_id))


def _take_each(whose: tuple[int, JobReach], takes: Sequence[tuple[str, _JobId]]) -> list[None]:
    tenant, reach = whose
    rows = [_wanted(place, worker, one, _secret(*one)) for place, (worker, one) in enumerate(takes)]
    receive_done_jobs(tenant, rows, reach)
    return [None] * len(takes)


def _wanted(place: int, worker: str, job_id: _JobId, secret: str) -> WantedRow:
    return {
        "place": place,
        "worker": worker,
        "step": job_id.step,
        "epoch": job_id.epoch,
        "token_hash": hash_of(secret).hex(),
    }


_taken_together: Gathered[tuple[int, JobReach], tuple[str, _JobId], None] = Gathered(_take_each)


def _job_id(text: str) -> _JobId | None:
    """None for what no event has said."""
    if len(text) > JOB_EVENT_ID_CHARACTERS or not text.isascii():
        return None
    step, _, token = text.partition(BETWEEN)
    _, epoch, _ = parts_of(token)
    if epoch is None:
        return None
    try:
        is_step = str(UUID(step)) == step
    except ValueError:
        return None
    is_ours = is_step and constant_time_compare(text, event_id(step, epoch - 1))
    return _JobId(step, epoch) if is_ours else None


def _secret(step: str, epoch: int) -> str:
    return _MARK + Signer(salt="runs.job_events").signature(f"{step}/{epoch}")
