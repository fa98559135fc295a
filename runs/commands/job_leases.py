"""Leases of jobs: their tokens, and how jobs stand for workers who show one."""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from django.core.signing import BadSignature, Signer

from accounts.principal import JobReach
from engine.catalogue import Json
from engine.statuses import StepStatus
from runs.store import hot
from runs.store.attempts import ClaimedStep, claimed_of
from runs.store.leases import lost_leases


class UnknownJob(Exception):
    """The tenant has no such job."""


class OutOfReach(UnknownJob):
    """The token that was shown is not for this job: as if there were none."""


class StaleToken(Exception):
    """The lease of this token is over for good; the message says how."""


@dataclass(frozen=True, slots=True)
class Facts:
    """How a job stands: `is_holder`: the whole token is that of its last lease, `is_nobodys`: there is no such token.

    `epoch`: of the attempt that the token was made for, where it was made here. `folder`: where its workflow lies now.
    """

    step: ClaimedStep
    status: str
    error: Json
    is_holder: bool
    is_nobodys: bool
    epoch: int | None
    queue: str
    folder: int | None

    def is_within(self, reach: JobReach) -> bool:
        """Whether somebody may report on it."""
        return reach.holds(self.queue, self.folder)

    @property
    def is_running(self) -> bool:
        """Whether the attempt is the worker's, and goes on."""
        return self.is_holder and self.status == StepStatus.RUNNING


def facts_of(tenant: int, tokens: Sequence[tuple[str, str]]) -> list[Facts | None]:
    """How each job stands for whoever shows this token for it (job, token); None: the tenant has no such job.

    One statement for all of them.
    """
    rows = {}
    for row in hot.job_facts(tenant=tenant, steps={job for job, _ in tokens}):
        step, columns = claimed_of(row)
        rows[step.id] = step, columns
    return [_facts(*rows[job], token) if job in rows else None for job, token in tokens]


def _facts(step: ClaimedStep, columns: Sequence[Json], token: str) -> Facts:
    status, token_hash, error, step.began, queue, folder = columns
    secret, _, _ = parts_of(token)
    epoch = _epoch_of(step.id, token)
    is_holder = epoch is not None and hmac.compare_digest(token_hash or "", hash_of(secret).hex())
    return Facts(step, status, error, is_holder, token_hash is None, epoch, queue, folder)


def with_lost_leases(facts: Mapping[int, Facts]) -> dict[int, Facts]:
    """Those of open steps whose token is of a lost lease, as if it were that of the present one."""
    strangers = {
        place: one
        for place, one in facts.items()
        if not one.is_holder
        and one.epoch is not None
        and one.status in (StepStatus.RUNNING, StepStatus.QUEUED)
    }
    lost = lost_leases({one.step.id for one in strangers.values()})
    return {
        place: replace(one, is_holder=True, is_nobodys=False)
        for place, one in strangers.items()
        if one.epoch in lost.get(one.step.id, {})
    }


def lease_token(step: ClaimedStep, secret: str) -> str:
    """What a worker is given for its lease: the secret of the lease, and proof of whose it was when it is over."""
    return token_of(step.id, step.epoch, secret)


def token_of(step: str, epoch: int, secret: str) -> str:
    """As `lease_token`, of the lease of this step that has this epoch."""
    return f"{secret}.{epoch}.{_proof(step, epoch, secret)}"


def parts_of(token: str) -> tuple[str, int | None, str]:
    """What a token says, whoever made it: a secret, the epoch of a step if it is one, and a proof."""
    secret, _, rest = token.partition(".")
    epoch, _, proof = rest.partition(".")
    is_epoch = epoch.isascii() and epoch.isdigit() and len(epoch) < 10 and str(int(epoch)) == epoch
    return secret, int(epoch) if is_epoch else None, proof


def was_leased(step: str, token: str) -> bool:
    """Whether the token was made here for an attempt at this step, whatever has become of it since."""
    return _epoch_of(step, token) is not None


def _epoch_of(step: str, token: str) -> int | None:
    """The epoch of the step that the token was made for, also by a former key; None where it was not made here."""
    secret, epoch, proof = parts_of(token)
    signed = _signed_text(step, epoch, secret)
    try:
        is_ours = epoch is not None and _signer().unsign(f"{signed}:{proof}") == signed
    except BadSignature:
        return None
    return epoch if is_ours else None


def _proof(step: str, epoch: int, secret: str) -> str:
    return _signer().signature(_signed_text(step, epoch, secret))


def _signed_text(step: str, epoch: int | None, secret: str) -> str:
    return f"{step}/{epoch}/{secret}"


def _signer() -> Signer:
    return Signer(salt="runs.jobs")


def hash_of(secret: str) -> bytes:
    """What is kept of the secret of a lease."""
    return sha256(secret.encode()).digest()
