"""Jobs: steps that external workers poll for. A token per lease fences them; what comes too late is told so."""

import hmac
import random
import secrets
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import sha256

from django.core.signing import Signer
from django.utils.crypto import constant_time_compare

from engine.catalogue import Json
from engine.errors import ExpressionError, NotEvaluated, StepError
from engine.statuses import RUN_CLOSING, StepStatus
from engine.variables import MAX_VARIABLES_BYTES
from lib.strict_json import BadJson, strict_dumps
from runs.kernel import dispatch, late, live, scopes
from runs.kernel.advance import advance
from runs.kernel.graphs import compiled
from runs.kernel.hand_back import hand_back
from runs.kernel.refused import RunRefused, storable
from runs.store import findings, hot
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded, claimed_of
from runs.store.variables import count_variables
from runs.workers.execute import MAX_ERROR_BYTES, broken, idempotency_key
from steps.base import MAX_OUTPUT_BYTES

RESERVED_QUEUES = (*dispatch.BUILT_IN_QUEUES, "ticks")
MAX_ERROR_CODE = 100
MAX_ERROR_MESSAGE = 10_000
ALONE_FIRST = 0.1
NO_VARIABLES: Mapping[str, Json] = {}
NOTE_SECONDS = 20.0
MOST_NOTED = 10_000
MOST_OF_A_RUN = 1_000
"""So many variables a run may have: names that workers make up are not bounded by its definition."""
_noted: dict[tuple[int, str], float] = {}


class UnknownJob(Exception):
    """The tenant has no such job."""


class StaleToken(Exception):
    """The lease of this token is over for good; the message says how."""


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

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this step."""
        return idempotency_key(self.step.run_id, self.step.node, self.step.index)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a worker's word. `reason` says why it was not applied."""

    applied: bool
    reason: str | None = None
    duplicate: bool = False
    lease_expires_at: str | None = None
    cancel_requested: bool = False
    cut: tuple[str, ...] = ()
    """Which fields of an error were too long, and were kept in part."""


def poll(*, tenant: int, worker: str, queues: Sequence[str], max_jobs: int) -> list[Job]:
    """Lease up to `max_jobs` jobs of the queues."""
    _note(tenant, queues)
    tokens = [secrets.token_urlsafe(16) for _ in range(max_jobs)]
    # Those that must run alone go when nothing else waits, and now and then before all else: they must not starve.
    for alone in (True, False) if random.random() < ALONE_FIRST else (False, True):  # noqa: S311
        claims = hot.claim_jobs(
            tenant=tenant,
            queues=queues,
            worker=worker,
            limit=1 if alone else max_jobs,
            token_hashes=[_hash(token) for token in tokens],
            alone=alone,
        )
        if claims:
            break
    live.tell_steps((step for step, _, _ in claims), StepStatus.RUNNING)
    scopes.load(step for step, _, _ in claims)
    jobs = [_job(step, tokens[place - 1], expires) for step, expires, place in claims]
    return [job for job in jobs if job is not None]


def _note(tenant: int, queues: Sequence[str]) -> None:
    """Remember now and then that somebody asks for jobs of these queues: pages say of others that nobody does."""
    now = time.monotonic()
    unnoted = {queue for queue in queues if now - _noted.get((tenant, queue), -NOTE_SECONDS) >= NOTE_SECONDS}
    if unnoted:
        if len(_noted) > MOST_NOTED:
            _noted.clear()
        findings.queues_polled(tenant, unnoted)
        _noted.update(dict.fromkeys(((tenant, queue) for queue in unnoted), now))


def queues_with_jobs(queues: Set[tuple[int, str]]) -> frozenset[tuple[int, str]]:
    """Those of the queues (tenant, name) that have a job which could be leased now."""
    return frozenset(hot.queues_with_jobs(queues))


def take_back(claimed: Sequence[Job]) -> None:
    """Queue jobs again whose worker had left before it could be told of them; that costs them no attempt."""
    dispatch.wake(hand_back([job.step for job in claimed]))


def _job(step: ClaimedStep, token: str, expires: str) -> Job | None:
    version = compiled(step.version_id)
    node = version.graph.step(step.node, step.index)
    try:
        params = node.params.render(step.scope)
    except ExpressionError as error:
        message = f"A param of {step.node} can't be computed: {error}"
        _end(step, broken(StepError("ExpressionError", message, retryable=isinstance(error, NotEvaluated))))
        return None
    most = node.retry.max_retries + 1
    return Job(step, version.workflow, node.type, params, most, _lease_token(step, token), expires)


def complete(
    *,
    tenant: int,
    job: str,
    lease_token: str,
    output: Json,
    variables: Mapping[str, Json] = NO_VARIABLES,
) -> Answer:
    """The job is done. A late completion counts while nobody else was given the step (C-5).

    `variables`: those of the run that it sets with it (R-064). Raises UnknownJob, StaleToken where the job was given
    up or has failed for good, and RunRefused for what can't be stored: the lease goes on then, and the worker may
    complete the job with less, or fail it.
    """
    facts = _facts(tenant, job, lease_token)
    try:
        answer = _completed(tenant, facts, lease_token, output, variables)
    except StaleToken:
        _keep_as_evidence(facts, "stale_token", output=output)
        raise
    if not answer.applied:
        _keep_as_evidence(facts, answer.reason or "", output=output)
    return answer


def _completed(
    tenant: int, facts: "_Facts", lease_token: str, output: Json, variables: Mapping[str, Json]
) -> Answer:
    answer = _said_already(facts, output)
    if answer is None:
        encoded = storable(output, "output", max_bytes=MAX_OUTPUT_BYTES)
        _check_variables(facts.step.run_id, variables)
        answer = _end(facts.step, Succeeded(output, encoded, variables))
        if not answer.applied:
            # Something was first: the same word at the same time, the sweep, a cancel.
            answer = _said_already(_facts(tenant, facts.step.id, lease_token), output) or answer
    return answer


def _check_variables(run: str, variables: Mapping[str, Json]) -> None:
    """Raises RunRefused for variables that can't be stored, or that are too many for one run."""
    storable(variables, "variables", max_bytes=MAX_VARIABLES_BYTES)
    if variables and count_variables(run) > MOST_OF_A_RUN - len(variables):
        message = (
            f"A run has {MOST_OF_A_RUN:,} variables at most: set the same ones again, or give it as output."
        )
        raise RunRefused("too_many_variables", message, field="variables")


def _keep_as_evidence(facts: "_Facts", reason: str, *, output: Json = None, error: Json = None) -> None:
    """Keep what a worker says of an attempt that is its no more; of a token that was not made here, nothing."""
    if facts.epoch is not None:
        late.keep([late.LateResult(facts.step.id, facts.epoch, reason, output, error)])


def _said_already(facts: "_Facts", output: Json) -> Answer | None:
    """The answer to a completion that changes nothing, None for one that may. Raises StaleToken."""
    if facts.status == StepStatus.QUEUED and facts.is_nobodys:
        raise StaleToken(
            "The job was given back, its attempt has failed, or its run was resumed: poll for it again."
        )
    if not facts.is_holder:
        return Answer(False, "lease_lost")
    if facts.status == StepStatus.COMPLETED:
        is_same = hot.gave(facts.step.id, storable(output, "output", max_bytes=MAX_OUTPUT_BYTES))
        return Answer(True, duplicate=True) if is_same else Answer(False, "completed_otherwise")
    if facts.status == StepStatus.FAILED:
        error = facts.error or {}
        message = (
            f"The step has failed for good before this came. {error.get('code')}: {error.get('message')}"
        )
        raise StaleToken(message)
    if facts.status in (StepStatus.RUNNING, StepStatus.QUEUED):
        return None
    return Answer(False, f"step_{facts.status.lower()}")


def fail(
    *,
    tenant: int,
    job: str,
    lease_token: str,
    code: str,
    message: str,
    retryable: bool,
    details: Mapping[str, Json] | None = None,
) -> Answer:
    """The attempt failed; a late one has no effect (H-17). What is too long of the error is cut. Raises UnknownJob."""
    facts = _facts(tenant, job, lease_token)
    error, cut = _fitting(code, message, details)
    answer = Answer(False, "lease_lost")
    if facts.is_running:
        answer = _end(facts.step, Errored(error | {"retryable": retryable}, retryable))
    if not answer.applied:
        _keep_as_evidence(facts, "lease_lost", error=error)
    return replace(answer, cut=cut) if answer.applied else answer


def _fitting(
    code: str, message: str, details: Mapping[str, Json] | None
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """An error as it is kept, and the fields that were too long: an error that is refused would be lost."""
    error: dict[str, Json] = {"code": code[:MAX_ERROR_CODE], "message": message}
    cut = ["error.code"] if len(code) > MAX_ERROR_CODE else []
    if len(message) > MAX_ERROR_MESSAGE:
        note = f"… (cut: the message had {len(message):,} characters)"
        error["message"] = message[: MAX_ERROR_MESSAGE - len(note)] + note
        cut.append("error.message")
    if details:
        try:
            strict_dumps(details, max_bytes=MAX_ERROR_BYTES)
            error["details"] = details
        except BadJson:
            cut.append("error.details")
    if cut:
        error["cut"] = cut
    return error, tuple(cut)


def heartbeat(*, tenant: int, job: str, lease_token: str, progress: Json = None) -> Answer:
    """Renew the lease; the answer says how long it lasts and whether the run wants the job no more (H-4, R-109)."""
    facts = _facts(tenant, job, lease_token)
    step = facts.step
    if facts.is_running:
        leases = hot.heartbeat([{"id": step.id, "epoch": step.epoch, "progress": progress}])
        if step.id in leases:
            expires, run_status = leases[step.id]
            return Answer(True, lease_expires_at=expires, cancel_requested=run_status in RUN_CLOSING)
    return Answer(False, "lease_lost", cancel_requested=facts.status == StepStatus.CANCELLED)


def release(*, tenant: int, job: str, lease_token: str) -> Answer:
    """Give the job back unstarted, without using up its attempt (R-111). Raises UnknownJob."""
    facts = _facts(tenant, job, lease_token)
    if not facts.is_running:
        return Answer(False, "lease_lost")
    dispatch.wake(hand_back([facts.step]))
    return Answer(True)


@dataclass(frozen=True, slots=True)
class _Facts:
    """How a job stands: `is_holder`: the token is that of its last lease, `is_nobodys`: there is no such token.

    `epoch`: of the attempt that the token was made for, where it was made here.
    """

    step: ClaimedStep
    status: str
    error: Json
    is_holder: bool
    is_nobodys: bool
    epoch: int | None

    @property
    def is_running(self) -> bool:
        return self.is_holder and self.status == StepStatus.RUNNING


def _facts(tenant: int, job: str, token: str) -> _Facts:
    row = hot.job_facts(tenant=tenant, step=job)
    if row is None:
        raise UnknownJob
    step, (status, token_hash, error) = claimed_of(row)
    secret, _, _ = token.partition(".")
    is_holder = hmac.compare_digest(token_hash or "", _hash(secret).hex())
    return _Facts(step, status, error, is_holder, token_hash is None, _epoch_of(step.id, token))


def _lease_token(step: ClaimedStep, secret: str) -> str:
    """What a worker is given for its lease: the secret of the lease, and proof of whose it was when it is over."""
    return f"{secret}.{step.epoch}.{_proof(step.id, step.epoch, secret)}"


def _epoch_of(step: str, token: str) -> int | None:
    """The epoch of the step that the token was made for; None where it was not made here."""
    secret, _, rest = token.partition(".")
    epoch, _, proof = rest.partition(".")
    if not (epoch.isascii() and epoch.isdigit() and len(epoch) < 10):
        return None
    is_ours = constant_time_compare(proof, _proof(step, int(epoch), secret))
    return int(epoch) if is_ours else None


def _proof(step: str, epoch: int, secret: str) -> str:
    return Signer(salt="runs.jobs").signature(f"{step}/{epoch}/{secret}")


def _end(step: ClaimedStep, outcome: AttemptResult) -> Answer:
    scopes.load([step])
    result = advance([(step, outcome)])
    dispatch.wake(result.wake)
    return Answer(True) if step.id in result.applied else Answer(False, "lease_lost")


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
