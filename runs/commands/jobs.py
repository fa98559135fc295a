"""Jobs: steps that external workers poll for. A token per lease fences them (`job_leases.py`)."""

import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import NamedTuple, TypeVar

from django.db import transaction

from accounts.principal import EVERY_JOB, JobReach
from engine.catalogue import Json
from engine.errors import ExpressionError, NotEvaluated, StepError, failure_of
from engine.graph import Node
from engine.statuses import StepStatus
from lib.gathering import BY_ITSELF, Gathered
from lib.waiting import Attempt
from runs.commands import contacts
from runs.commands.job_leases import hash_of, lease_token
from runs.commands.job_reports import end
from runs.files.links import JobFile, NamedBy, files_of_jobs
from runs.kernel import dispatch, live
from runs.kernel.graphs import BrokenVersion, compiled
from runs.kernel.hand_back import hand_back
from runs.kernel.transition import Result
from runs.limits import NOTED_QUEUES, POLLED_JOBS
from runs.store import findings, payloads
from runs.store import jobs as store
from runs.store.attempts import ClaimedStep
from runs.store.jobs import Asked, Leased, Offer, claim_jobs
from runs.store.leases import set_leases
from runs.workers.beginning import load_to_begin
from runs.workers.execute import broken, idempotency_key

R = TypeVar("R")

RESERVED_QUEUES = (*dispatch.BUILT_IN_QUEUES, "ticks")
ALONE_FIRST = 0.1
NOTE_SECONDS = 20.0
_noted: dict[tuple[int, str], float] = {}


@dataclass(frozen=True, slots=True)
class Job:
    """A job as its worker gets it."""

    step: ClaimedStep
    workflow: str
    type: str
    params: Json
    max_attempts: int
    lease_token: str
    lease_expires_at: str
    progress: Json
    """How far the attempt before it came, as its worker said."""
    files: Sequence[JobFile] = ()
    """The files of the run that its input or params name."""

    @property
    def activity(self) -> str:
        """What its definition calls what is to be done: the step, or the name of what undoes one."""
        return self._node.activity or self.step.node

    @property
    def queue(self) -> str:
        """Where it was polled for."""
        return self._node.queue

    @property
    def _node(self) -> Node:
        return compiled(self.step.version_id).graph.step(self.step.node, self.step.index)

    @property
    def retries_remaining(self) -> int:
        """How many attempts there may be after this one."""
        return max(0, self.max_attempts - self.step.attempt)

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this step with the same input."""
        return idempotency_key(self.step.run_id, self.step.node, self.step.index, self.step.revision)

    @property
    def approval(self) -> dict[str, Json] | None:
        """The newest decision of people that covers it: its id, and the digest of what was decided."""
        return (
            None
            if self.step.approval is None
            else dict(zip(("id", "digest"), self.step.approval, strict=True))
        )


def poll(
    *,
    tenant: int,
    worker: str,
    queues: Sequence[str],
    max_jobs: int,
    weights: Mapping[str, int] | None = None,
    version: str | None = None,
    slots: int | None = None,
    reach: JobReach = EVERY_JOB,
) -> list[Job]:
    """Lease up to `max_jobs` jobs of the queues: those of the first ones first, or, where queues have `weights`, of
    each in that share of the polls before the others. Polls for the same queues that come together are one statement.

    `version` and `slots` (how many jobs it does at once) are what the worker tells of itself; `reach`: the jobs that
    its token is for. Raises Forbidden for another queue.
    """
    reach.require(queues)
    kind = _Kind(tenant, tuple(queues), tuple(sorted((weights or {}).items())), reach.folders)
    claims = _polled_together(kind, _Poll(worker, max_jobs, version, slots))
    return jobs_of(claims)


class _Kind(NamedTuple):
    """Whose polls can be done together."""

    tenant: int
    queues: tuple[str, ...]
    weights: tuple[tuple[str, int], ...]
    folders: tuple[int, ...] | None = None

    def in_order(self) -> list[str]:
        """The queues as they are asked this time: with weights each is the first in its share of the times."""
        weights = dict(self.weights)
        if not weights:
            return list(self.queues)
        # The smallest of exponential times with these rates.
        return sorted(self.queues, key=lambda queue: random.expovariate(weights.get(queue, 1)))


class _Poll(NamedTuple):
    worker: str
    max_jobs: int
    version: str | None
    slots: int | None


_Claims = list[tuple[str, Leased]]


def _poll_each(kind: _Kind, polls: Sequence[_Poll]) -> list[_Claims]:
    """For each of the polls its jobs, with the secrets of their tokens."""
    note_workers(kind.tenant, kind.queues, [(one.worker, one.version, one.slots) for one in polls])
    together = _first_together(polls)
    if together == 1:
        dealt = _dealt(kind, polls[:1])
    else:
        # Where anything of it fails nobody has anything, and each polls by itself.
        with transaction.atomic():
            dealt = _dealt(kind, polls[:together])
    live.tell_steps((leased.step for claims in dealt for _, leased in claims), StepStatus.RUNNING)
    return [*dealt, *([BY_ITSELF] * (len(polls) - together))]


def _first_together(polls: Sequence[_Poll]) -> int:
    """How many of the polls have room in one statement."""
    totals = accumulate(one.max_jobs for one in polls)
    return max(1, sum(total <= POLLED_JOBS for total in totals))


def _dealt(kind: _Kind, polls: Sequence[_Poll]) -> list[_Claims]:
    dealt: list[_Claims] = [[] for _ in polls]
    queues = kind.in_order()
    # Those that must run alone go when nothing else waits, and now and then before all else: they must not starve.
    for alone in (True, False) if random.random() < ALONE_FIRST else (False, True):  # noqa: S311
        rooms = [
            0 if claims else 1 if alone else one.max_jobs for one, claims in zip(polls, dealt, strict=True)
        ]
        places = list(_in_turn(rooms))
        if not places:
            break
        tokens = [secrets.token_urlsafe(16) for _ in places]
        offers = [
            Offer(polls[place].worker, place, hash_of(token))
            for place, token in zip(places, tokens, strict=True)
        ]
        rows = claim_jobs(tenant=kind.tenant, queues=queues, offers=offers, alone=alone, folders=kind.folders)
        for leased in rows:
            dealt[places[leased.place]].append((tokens[leased.place], leased))
    load_to_begin([leased.step for claims in dealt for _, leased in claims])
    return dealt


def _in_turn(rooms: Sequence[int]) -> Iterator[int]:
    """Who is dealt one after another, each as often as there is room."""
    for turn in range(max(rooms, default=0)):
        yield from (place for place, room in enumerate(rooms) if room > turn)


_polled_together: Gathered[_Kind, _Poll, _Claims] = Gathered(_poll_each)


def note_workers(
    tenant: int, queues: Sequence[str], workers: Sequence[tuple[str, str | None, int | None]]
) -> None:
    """Remember now and then that these workers (name, version, slots) are there for jobs of these queues: pages say of
    others that nobody is.
    """
    now = time.monotonic()
    unnoted = {queue for queue in queues if now - _noted.get((tenant, queue), -NOTE_SECONDS) >= NOTE_SECONDS}
    if unnoted:
        if len(_noted) > NOTED_QUEUES:
            _noted.clear()
        findings.queues_polled(tenant, unnoted)
        _noted.update(dict.fromkeys(((tenant, queue) for queue in unnoted), now))
    contacts.note(tenant, queues, workers)


def ready_jobs(most: Mapping[Asked, int]) -> Mapping[Asked, int]:
    """How many jobs could be leased now of each of these queues (tenant, name, folders), up to so many; not those of
    none.
    """
    return store.ready_jobs(most) if most else {}


def jobs_of(claims: Iterable[tuple[str, Leased]]) -> list[Job]:
    """What was leased, each with the secret of its token, as their workers get it; what nobody can do has failed."""
    jobs = [_job(secret, leased) for secret, leased in claims]
    return _with_files([job for job in jobs if job is not None])


def _with_files(jobs: list[Job]) -> list[Job]:
    """The jobs with the files that they name, where their version, or one around it, takes files."""
    tenants: dict[int, dict[str, NamedBy]] = {}
    for job in jobs:
        version = compiled(job.step.version_id)
        if version.has_files or version.graph.is_part:
            values = NamedBy(job.step.run_id, (job.step.input, job.params))
            tenants.setdefault(job.step.tenant_id, {})[job.step.id] = values
    files: dict[str, list[JobFile]] = {}
    for tenant, names in tenants.items():
        files |= files_of_jobs(tenant, names)
    return [replace(job, files=files[job.step.id]) if job.step.id in files else job for job in jobs]


def take_back(claimed: Sequence[Job]) -> None:
    """Queue jobs again whose worker had left before it could be told of them; that costs them no attempt."""
    dispatch.wake(hand_back([job.step for job in claimed]))


def with_leases(claimed: Sequence[Job], seconds: int) -> list[Job]:
    """The jobs with leases of so many seconds, but for those whose definition says how long theirs last. One statement
    for all of them.
    """
    silent = [job for job in claimed if not _says_lease(job.step)]
    leases = set_leases([job.step for job in silent], seconds) if silent else {}
    return [
        replace(job, step=replace(job.step, lease_seconds=seconds), lease_expires_at=leases[job.step.id])
        if job.step.id in leases
        else job
        for job in claimed
    ]


def _says_lease(step: ClaimedStep) -> bool:
    return compiled(step.version_id).graph.step(step.node, step.index).own_lease_seconds is not None


def told_fitting(
    claimed: Sequence[Job], tell: Callable[[Job], R], fitting: Callable[[list[R]], int], attempt: Attempt
) -> list[R]:
    """What is told of the jobs: of as many as `fitting` says that the answer has room for, and the others go back.

    `attempt` learns how to undo it.
    """
    attempt.undo = partial(take_back, claimed)
    rows = [tell(job) for job in claimed]
    if (count := fitting(rows)) < len(claimed):
        take_back(claimed[count:])
        attempt.undo = partial(take_back, claimed[:count])
    return rows[:count]


def _job(token: str, leased: Leased) -> Job | None:
    step = leased.step
    if (why := step.unreadable) is not None:
        end([(step, payloads.unread(why))], Result())
        return None
    if step.withheld is not None:
        end([(step, step.withheld)], Result())
        return None
    try:
        version = compiled(step.version_id)
        node = version.graph.step(step.node, step.index)
        params = node.params.render(step.scope)
    except BrokenVersion as error:
        end([(step, broken(StepError("BrokenVersion", str(error), retryable=False)))], Result())
        return None
    except ExpressionError as error:
        message = f"A param of {step.node} can't be computed: {error}"
        failure = failure_of(error, message, retryable=isinstance(error, NotEvaluated))
        end([(step, broken(failure))], Result())
        return None
    most = node.retry.max_retries + 1
    token = lease_token(step, token)
    return Job(step, version.workflow, node.type, params, most, token, leased.expires, leased.progress)
