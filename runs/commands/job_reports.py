"""What workers say of jobs that they hold, many at once or one by one: done, failed, still at it.

Single ones that come together are dealt with in one transaction, as those that one call names.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import orjson
from django.db import transaction

from accounts.principal import EVERY_JOB, JobReach
from engine.catalogue import Json
from engine.limits import VARIABLES_BYTES
from engine.statuses import RUN_CLOSING, StepStatus
from lib import tracing
from lib.database_errors import is_away, log_database_error
from lib.gathering import BY_ITSELF, Gathered
from runs.commands.job_errors import Beat, Completion, Failure, fitting, too_much
from runs.commands.job_leases import Facts, OutOfReach, StaleToken, UnknownJob, facts_of, with_lost_leases
from runs.commands.job_log import hear
from runs.kernel import dispatch, late, live, scopes, step_logs
from runs.kernel.advance import advance
from runs.kernel.hand_back import hand_back
from runs.kernel.refused import RunRefused, storable
from runs.kernel.transition import Result
from runs.limits import RUN_VARIABLES
from runs.store import hot, payloads
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded
from runs.store.rows import BeatRow
from runs.store.variables import count_variables
from runs.workers.attempt_spans import tell_jobs
from steps.attempt_log import LogLine
from steps.limits import MAX_OUTPUT_BYTES

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a worker's word. `reason` says why it was not applied."""

    applied: bool
    reason: str | None = None
    duplicate: bool = False
    lease_expires_at: str | None = None
    cancel_requested: bool = False
    cut: tuple[str, ...] = ()
    """What was too long: fields of an error that were kept in part, or progress that was not kept."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Nothing was done about a job: the database refused its batch, after it had committed others."""

    error: Exception


A = TypeVar("A", Completion, Failure)
Refused = UnknownJob | StaleToken | RunRefused
Reply = Answer | Refused | Fault
"""What is said to a worker of one job among many: an answer, or why there is none."""


def complete_all(tenant: int, done: Sequence[Completion]) -> list[Reply]:
    """These jobs are done, each by itself. A late completion counts while nobody else was given the step (C-5), or,
    where it says so (`counts_late`), until somebody else completes it.

    StaleToken: the job was given up or has failed for good; RunRefused: it can't be stored, the lease goes on, and the
    worker may complete the job with less, or fail it. As many statements for many as for one.
    """
    replies: dict[int, Reply] = {}
    facts = _known(tenant, done, replies)
    facts |= with_lost_leases({place: one for place, one in facts.items() if done[place].counts_late})
    replies |= _said_already({place: (one, done[place].output) for place, one in facts.items()})
    ended = {}
    counts = _variables_of(facts[place] for place in facts.keys() - replies.keys() if done[place].variables)
    for place in sorted(facts.keys() - replies.keys()):
        run = facts[place].step.run_id
        try:
            ended[place] = _success(done[place], counts.get(run, 0))
            counts[run] = counts.get(run, 0) + len(done[place].variables)
        except RunRefused as refusal:
            replies[place] = refusal
    hear((facts[place].step, done[place].log) for place in ended)
    applied, faults = _ended({place: (facts[place].step, result) for place, result in ended.items()})
    replies |= dict.fromkeys(applied, Answer(True))
    replies |= faults
    if left := ended.keys() - applied - faults.keys():
        # Something was first: the same word at the same time, the sweep, a cancel.
        again: dict[int, Reply] = dict.fromkeys(left, Answer(False, "lease_lost"))
        now = facts_of(tenant, [(done[place].job, done[place].lease_token) for place in sorted(left)])
        cases = {
            place: (one, done[place].output) for place, one in zip(sorted(left), now, strict=True) if one
        }
        replies |= again | _said_already(cases)
    _keep_as_evidence(
        (facts[place], _why_not(replies[place]), done[place].output, None) for place in sorted(facts)
    )
    return [replies[place] for place in range(len(done))]


def fail_all(tenant: int, failed: Sequence[Failure]) -> list[Reply]:
    """These attempts failed; a late one has no effect (H-17). What is too long of an error is cut."""
    replies: dict[int, Reply] = {}
    facts = _known(tenant, failed, replies)
    errors = {place: fitting(failed[place]) for place in facts}
    ended: dict[int, tuple[ClaimedStep, AttemptResult]] = {
        place: (
            one.step,
            Errored(errors[place][0] | {"retryable": failed[place].retryable}, failed[place].retryable),
        )
        for place, one in facts.items()
        if one.is_running
    }
    hear((facts[place].step, failed[place].log) for place in ended)
    applied, faults = _ended(ended)
    lost = Answer(False, "lease_lost")
    replies |= {place: Answer(True, cut=errors[place][1]) if place in applied else lost for place in facts}
    replies |= faults
    _keep_as_evidence((one, _why_not(replies[place]), None, errors[place][0]) for place, one in facts.items())
    return [replies[place] for place in range(len(failed))]


def heartbeat_all(tenant: int, beats: Sequence[Beat]) -> list[Reply]:
    """Renew these leases; each answer says how long it lasts and whether the run wants the job no more (H-4, R-109)."""
    replies: dict[int, Reply] = {}
    facts = _known(tenant, beats, replies)
    # A lease is not lost for a word too many: what is too large is left out.
    overlong = {place: too_much(beats[place].progress) for place in facts}
    rows: dict[str, BeatRow] = {
        one.step.id: {
            "id": one.step.id,
            "epoch": one.step.epoch,
            "progress": None if overlong[place] else beats[place].progress,
        }
        for place, one in facts.items()
        if one.is_running
    }
    speaking = [(one.step, beats[place].log) for place, one in facts.items() if one.is_running]
    leases = _beat([*rows.values()], speaking) if rows else {}
    live.tell_steps(
        facts[place].step
        for place in facts
        if facts[place].step.id in leases and (beats[place].progress is not None or beats[place].log)
    )
    for place, one in facts.items():
        if one.is_running and one.step.id in leases:
            expires, run_status = leases[one.step.id]
            is_cancelled = run_status in RUN_CLOSING
            replies[place] = Answer(
                True,
                lease_expires_at=expires,
                cancel_requested=is_cancelled,
                cut=("progress",) if overlong[place] else (),
            )
        else:
            is_cancelled = one.status == StepStatus.CANCELLED
            replies[place] = Answer(False, "lease_lost", cancel_requested=is_cancelled)
    return [replies[place] for place in range(len(beats))]


def _beat(
    rows: Sequence[BeatRow], speaking: Sequence[tuple[ClaimedStep, Sequence[LogLine]]]
) -> dict[str, tuple[str, str]]:
    """Renew leases and keep what was said of those jobs, which whoever has them may do alone."""
    hear(speaking)
    steps = [step for step, _ in speaking if step.log is not None]
    if not steps:
        return hot.heartbeat(rows)
    with transaction.atomic():
        leases = hot.heartbeat(rows)
        step_logs.write(step for step in steps if step.id in leases)
    return leases


def _apart(do: Callable[[int, Sequence[A]], list[Reply]]) -> Callable[[int, Sequence[A]], list[Reply]]:
    """As `do`, but for those with a fault, which must be done by themselves."""

    def each(tenant: int, words: Sequence[A]) -> list[Reply]:
        return [BY_ITSELF if isinstance(one, Fault) else one for one in do(tenant, words)]

    return each


_completed_together = Gathered(_apart(complete_all))
_failed_together = Gathered(_apart(fail_all))
_beaten_together = Gathered(heartbeat_all)


def complete(
    *,
    tenant: int,
    job: str,
    lease_token: str,
    output: Json,
    variables: Mapping[str, Json] | None = None,
    log: Sequence[LogLine] = (),
    reach: JobReach = EVERY_JOB,
    counts_late: bool = False,
) -> Answer:
    """As `complete_all`, of one job. Raises UnknownJob, StaleToken and RunRefused."""
    done = Completion(job, lease_token, output, variables or {}, log, reach, counts_late)
    return _answer(_completed_together(tenant, done))


def fail(
    *,
    tenant: int,
    job: str,
    lease_token: str,
    code: str,
    message: str,
    retryable: bool,
    details: Mapping[str, Json] | None = None,
    stack: str | None = None,
    log: Sequence[LogLine] = (),
    reach: JobReach = EVERY_JOB,
) -> Answer:
    """As `fail_all`, of one attempt. Raises UnknownJob."""
    failed = Failure(job, lease_token, code, message, retryable, details, stack, log, reach)
    return _answer(_failed_together(tenant, failed))


def heartbeat(
    *,
    tenant: int,
    job: str,
    lease_token: str,
    progress: Json = None,
    log: Sequence[LogLine] = (),
    reach: JobReach = EVERY_JOB,
) -> Answer:
    """As `heartbeat_all`, of one job. Raises UnknownJob."""
    return _answer(_beaten_together(tenant, Beat(job, lease_token, progress, log, reach)))


def release(*, tenant: int, job: str, lease_token: str, reach: JobReach = EVERY_JOB) -> Answer:
    """Give the job back unstarted, without using up its attempt (R-111). Raises UnknownJob."""
    (facts,) = facts_of(tenant, [(job, lease_token)])
    if facts is None or not facts.is_within(reach):
        raise UnknownJob
    if not facts.is_running:
        return Answer(False, "lease_lost")
    dispatch.wake(hand_back([facts.step]))
    return Answer(True)


def _answer(reply: Reply) -> Answer:
    if not isinstance(reply, Answer):
        raise reply.error if isinstance(reply, Fault) else reply
    return reply


def _known(
    tenant: int, words: Sequence[Completion | Failure | Beat], replies: dict[int, Reply]
) -> dict[int, Facts]:
    """How the jobs stand that there are, by place; of the others `replies` says so."""
    facts: dict[int, Facts] = {}
    for place, one in enumerate(facts_of(tenant, [(one.job, one.lease_token) for one in words])):
        if one is None:
            replies[place] = UnknownJob()
        elif not one.is_within(words[place].reach):
            replies[place] = OutOfReach()
        else:
            facts[place] = one
    return facts


def _ended(
    results: Mapping[int, tuple[ClaimedStep, AttemptResult]],
) -> tuple[set[int], dict[int, Fault]]:
    """End attempts; gives which of them were, and faults of those that were not tried to the end.

    Of several words on one step the first counts. Raises what the database raises where nothing was done, or it is
    away.
    """
    first: dict[str, int] = {}
    for place, (step, _) in results.items():
        first.setdefault(step.id, place)
    done, faults = Result(), dict[int, Fault]()
    try:
        if first:
            end([results[place] for place in first.values()], done)
    except Exception as error:
        if not done.applied or is_away(error):
            raise
        log_database_error(log, "A part of a batch of jobs", error)
        faults = {place: Fault(error) for step, place in first.items() if step not in done.applied}
    return {place for step, place in first.items() if step in done.applied}, faults


def end(results: Sequence[tuple[ClaimedStep, AttemptResult]], done: Result) -> None:
    """End attempts, each step once; `done` has those whose attempt it still was, also where this raises."""
    # What a worker has said, or been given just now, needed it already.
    scopes.load(step for step, _ in results if not (step.scope or step.unreadable))
    if tracing.is_on():
        scopes.load_traces(step for step, _ in results)
    try:
        advance(results, into=done)
    finally:
        dispatch.wake(done.wake)
        if tracing.is_on():
            tell_jobs(results, done.applied)


def _success(done: Completion, count: int) -> Succeeded:
    """What the attempt gave, in a run that has so many variables. Raises RunRefused."""
    encoded = storable(done.output, "output", max_bytes=MAX_OUTPUT_BYTES)
    storable(done.variables, "variables", max_bytes=VARIABLES_BYTES)
    if done.variables and count > RUN_VARIABLES - len(done.variables):
        message = (
            f"A run has {RUN_VARIABLES:,} variables at most: set the same ones again, or give it as output."
        )
        raise RunRefused("too_many_variables", message, field="variables")
    return Succeeded(done.output, encoded, done.variables)


def _variables_of(facts: Iterable[Facts]) -> dict[str, int]:
    runs = {one.step.run_id for one in facts}
    return count_variables(runs) if runs else {}


def _said_already(cases: Mapping[int, tuple[Facts, Json]]) -> dict[int, Reply]:
    """The answers to completions that change nothing; of those that may, none."""
    replies: dict[int, Reply] = {}
    outputs = {}
    for place, (facts, output) in cases.items():
        if (answer := _standing(facts)) is not None:
            replies[place] = answer
        elif facts.status == StepStatus.COMPLETED:
            try:
                outputs[place] = storable(output, "output", max_bytes=MAX_OUTPUT_BYTES)
            except RunRefused as refusal:
                replies[place] = refusal
    if outputs:
        same = hot.gave(
            [
                {
                    "place": place,
                    "step_id": cases[place][0].step.id,
                    "output": orjson.Fragment(encoded),
                    "sha256": payloads.digest_of(encoded),
                }
                for place, encoded in outputs.items()
            ]
        )
        for place in outputs:
            is_same = place in same
            replies[place] = Answer(True, duplicate=True) if is_same else Answer(False, "completed_otherwise")
    return replies


def _standing(facts: Facts) -> Reply | None:
    """What is to be said whatever the output is; None where that depends on it, or the completion may count."""
    if facts.status == StepStatus.QUEUED and facts.is_nobodys:
        return StaleToken(
            "The job was released, its attempt failed, or its run was resumed: poll for it again."
        )
    if not facts.is_holder:
        return Answer(False, "lease_lost")
    if facts.status == StepStatus.FAILED:
        error = facts.error or {}
        return StaleToken(
            f"The step has failed for good before this came. {error.get('code')}: {error.get('message')}"
        )
    if facts.status in (StepStatus.COMPLETED, StepStatus.RUNNING, StepStatus.QUEUED):
        return None
    return Answer(False, f"step_{facts.status.lower()}")


def _why_not(reply: Reply) -> str | None:
    """Why what a worker gave is kept as evidence only; None where it was applied, or may be said again."""
    if isinstance(reply, StaleToken):
        return "stale_token"
    return reply.reason or "" if isinstance(reply, Answer) and not reply.applied else None


def _keep_as_evidence(words: Iterable[tuple[Facts, str | None, Json, Json]]) -> None:
    """Keep what workers say of attempts that are theirs no more; of a token that was not made here, nothing."""
    results = [
        late.LateResult(facts.step.id, facts.epoch, reason, output, error)
        for facts, reason, output, error in words
        if reason is not None and facts.epoch is not None
    ]
    if results:
        late.keep(results)
