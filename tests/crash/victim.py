"""A worker process that may die at a named point. A fork server keeps it loaded, so that dying is cheap."""

import importlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import django
from django.apps import apps
from django.conf import settings
from django.db import connection

if not apps.ready:
    django.setup()

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from engine.overrides import RerunWith
from lib import crash_points
from lib.clock import set_now
from lib.refusals import Conflict, Refusal
from lib.sealing import Hidden
from runs.commands import job_reports, jobs, lifecycle, operators, replay, starts
from runs.commands.signals import NewSignal, send_signals
from runs.kernel import messages
from runs.kernel.refused import RunRefused
from runs.maintenance import due, leases, seals, sla, stuck, timers
from runs.store import findings, hot
from runs.workers.drain import Drain
from tasks_inbox.actions import assignment, comments, deciding, holding, resolving, rounds
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import clock as tasks_clock
from tasks_inbox.duties import settling
from tasks_inbox.models import OPEN, ManualTask
from tests import of_features
from tests.crash.backends import await_ends
from tests.inbox.asking import read
from tests.webhooks import MASTER_KEY

LATER = 40
"""Seconds: longer than a lease, shorter than a timeout."""
QUEUES = ("default", "engine", "blocking")
OUTSIDE = "outside"

OF_THE_INBOX = (
    "open_compensation_tasks close_compensation_task open_tasks add_comment delegate_task complete_task hold_task "
    "hold_chain add_decision note_vote hold_compensation_task hand_vote take_vote_back return_task send_again "
    "hold_decision due_held drop_held stop_clock start_clock due_tasks moments_due move_clock"
)
"""The statements of the inbox that change something."""
Hit = tuple[str, int]
"""A point that was come by, and in which transaction."""

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__, *of_features.names("crashing")])


def later(turns: int = 1) -> None:
    """Set the clock to when every lease of now is over."""
    set_now(datetime.now(UTC) + timedelta(seconds=LATER * turns))


def drain() -> None:
    """Work until all built-in queues are quiet."""
    drains = [Drain(queue) for queue in QUEUES]
    while messages.deliver() + sum(one.run() for one in drains):
        pass


def start(version: int, tenant: int, keys: Sequence[str]) -> None:
    """Start a run for each business key."""
    terms = starts.Terms(tenant=tenant, version=version, by="test")
    starts.start_runs(terms, [starts.NewRun({"n": 1}, key) for key in keys])


def start_anew(version: int, tenant: int, keys: Sequence[str]) -> None:
    """Start a run for each business key whose run has ended."""
    terms = starts.Terms(tenant=tenant, version=version, by="test")
    items = [starts.NewRun({"n": 1}, key) for key in keys]
    starts.start_runs(terms, items, if_exists="new_if_ended")


def resume(tenant: int, runs: Sequence[str]) -> None:
    """Resume, then work."""
    lifecycle.resume_runs(tenant, runs, by="test")
    drain()


def cancel(tenant: int, runs: Sequence[str]) -> None:
    """Cancel."""
    lifecycle.cancel_runs(tenant, runs, by="test")


def cancel_children(tenant: int, runs: Sequence[str]) -> None:
    """Work until each waits for its run; cancel, then work."""
    drain()
    with suppress(RunRefused):
        cancel(tenant, runs)
    drain()


def pause(tenant: int, runs: Sequence[str]) -> None:
    """Pause, work, let them go on, and work again."""
    for verb in (lifecycle.pause_runs, lifecycle.unpause_runs):
        with suppress(RunRefused):
            verb(tenant, runs, by="test")
            drain()


def give_up(tenant: int, runs: Sequence[str]) -> None:
    """Work until what can't be undone waits for a person, who gives it up and resumes in vain; then work."""
    drain()
    who = Principal(tenant, "default", 1, "test", ADMIN, SCOPES, "command", reach=EVERYWHERE)
    for task in ManualTask.objects.for_tenant(tenant).filter(run_id__in=runs, status=OPEN):
        resolving.resolve_task(who, task.pk, resolution="abandon")
    drain()
    for run in runs:
        try:
            lifecycle.resume_runs(tenant, [run], by="test")
        except RunRefused:
            continue


def hand_over(tenant: int, runs: Sequence[str], ids: Sequence[str]) -> None:
    """Work until people are asked; say something of each task, hand it to bob, who decides it; then work."""
    drain()
    ann, bob = (
        Principal(tenant, "default", 1, name, ADMIN, SCOPES, "command", reach=EVERYWHERE)
        for name in ("ann", "bob")
    )
    open_tasks = {
        str(task.run_id): task.pk for task in ManualTask.objects.for_tenant(tenant).filter(status=OPEN)
    }
    for run, id in zip(runs, ids, strict=True):
        task = open_tasks.get(run)
        if task is None:
            continue
        comments.add_comment(ann, task, "Is this right?", id=id)
        with suppress(Conflict):
            assignment.delegate_task(ann, task, "bob", reason="away")
        deciding.complete_task(bob, task, Decision("approved", seen=read(bob, task)))
    drain()


def vote(tenant: int, runs: Sequence[str]) -> None:
    """Work until people are asked, of whom two must agree: one gives their vote away, takes it back and gives it again;
    then work.
    """
    drain()
    ann, bob, cat = (
        Principal(tenant, "default", 1, name, ADMIN, SCOPES, "command", reach=EVERYWHERE)
        for name in ("ann", "bob", "cat")
    )
    for task in ManualTask.objects.for_tenant(tenant).filter(run_id__in=runs, status=OPEN):
        for act in (assignment.delegate_task, assignment.unclaim_task, assignment.delegate_task):
            with suppress(Refusal):
                act(ann, task.pk, *(["cat"] if act is assignment.delegate_task else []))
        for who in (cat, bob):
            with suppress(Refusal):
                deciding.complete_task(who, task.pk, Decision("approved", seen=read(who, task)))
    drain()


def send_back(tenant: int, runs: Sequence[str]) -> None:
    """Work until people are asked; one returns it for changes, another sends it again; what is decided is held back."""
    drain()
    ann, bob = (
        Principal(tenant, "default", 1, name, ADMIN, SCOPES, "command", reach=EVERYWHERE)
        for name in ("ann", "bob")
    )
    for task in ManualTask.objects.for_tenant(tenant).filter(run_id__in=runs, status=OPEN):
        with suppress(Conflict):
            if task.round == 1:
                rounds.return_task(ann, task.pk, comment="Not so.", to="bob", seen=read(ann, task))
        with suppress(Conflict):
            rounds.send_again(bob, task.pk)
        with suppress(Conflict):
            holding.hold_decision(ann, task.pk, Decision("approved", seen=read(ann, task)))
    later(1)
    settling.tick()
    drain()


def run_out(tenant: int, runs: Sequence[str]) -> None:
    """Work until people are asked; somebody asks and is answered; then nobody decides until time does."""
    drain()
    who = Principal(tenant, "default", 1, "ann", ADMIN, SCOPES, "command", reach=EVERYWHERE)
    for task in ManualTask.objects.for_tenant(tenant).filter(run_id__in=runs, status=OPEN):
        for say in (comments.ask, comments.answer):
            with suppress(Conflict):
                say(who, task.pk, "What?")
    later(1)
    tasks_clock.tick()
    drain()


def mend(tenant: int, runs: Sequence[str]) -> None:
    """Try the failed step of one run again with another input, skip that of the other; work."""
    said = {"by": "test"}
    verbs = (
        lambda: operators.retry_step(tenant, runs[0], "b", override=RerunWith({"text": "x"}), **said),
        lambda: operators.skip_step(tenant, runs[1], "b", {"text": "x"}, **said),
    )
    for verb in verbs:
        try:
            verb()
        except RunRefused:
            continue
    drain()


def resume_on(tenant: int, runs: Sequence[str], version: int) -> None:
    """Resume each on another version; work."""
    for run in runs:
        with suppress(RunRefused):
            replay.resume_on(tenant, run, version, by="test")
    drain()


def rerun(tenant: int, runs: Sequence[str], ids: Sequence[str]) -> None:
    """Rerun each from its failed step, with an input that it can take; work."""
    for run, new in zip(runs, ids, strict=True):
        try:
            replay.rerun(tenant, run, "b", override=RerunWith({"text": "x"}), id=new, by="test")
        except RunRefused:
            continue
    drain()


def sweep() -> None:
    """Find the leases that are over by now, then work."""
    later()
    leases.sweep()
    drain()


def lose(workers: Sequence[str]) -> None:
    """Find what dead workers held, then work."""
    leases.lose(workers)
    drain()


def wait() -> None:
    """Begin to wait; then, when all the time is over, see what that means."""
    drain()
    later()
    timers.fire()
    sla.look()
    drain()


def send(tenant: int, runs: Sequence[str]) -> None:
    """Send each run a signal that it waits for and one that comes early, both twice, then work."""
    for name in ("go", "later"):
        for _ in range(2):
            send_signals(tenant, [(run, NewSignal(name, name, {"n": 1})) for run in runs], by="test")
        drain()


def do_jobs(tenant: int) -> None:
    """Poll for jobs and do them, one by one: say that it lives, give one back, complete the rest."""
    first = True
    # As the rochallor API polls, whose leases last otherwise.
    while found := jobs.with_leases(
        jobs.poll(tenant=tenant, worker="outside", queues=[OUTSIDE], max_jobs=3), 60
    ):
        for job in found:
            said: dict[str, Any] = {"tenant": tenant, "job": job.step.id, "lease_token": job.lease_token}
            job_reports.heartbeat(**said)
            if first:
                job_reports.release(**said)
            else:
                job_reports.complete(**said, output={"done": True})
                # What is too late is kept as evidence.
                job_reports.complete(**said, output={"done": "otherwise"})
            first = False


def release(tenant: int, job: str, lease_token: str) -> None:
    """Give a job back."""
    job_reports.release(tenant=tenant, job=job, lease_token=lease_token)


def check() -> None:
    """Repair what is stuck."""
    stuck.check()


def duties() -> None:
    """What a process does beside working."""
    jobs.ready_jobs({(1, OUTSIDE, None): 1})
    hot.worker_seen(worker="victim", queue="default", host="here", pid=1)
    due.hint()
    hot.discard_letters(tenant=1, letters=[], by=1, reason="seen to")
    seals.seal()
    findings.queues_polled(1, {OUTSIDE})
    hot.workers_forget("victim")


def _transaction() -> int:
    """The transaction that is open; another one each time where none is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        return cursor.fetchone()[0]


def _live(
    database: dict[str, Any], crash_at: str, hits: Any, work: Callable[..., None], given: tuple
) -> None:
    settings.HANDOFF_HINTS = False
    settings.HANDOFF_MASTER_KEYS = (Hidden(MASTER_KEY),)
    connection.settings_dict.update(database)
    os.environ["HANDOFF_CRASH_AT"] = crash_at
    importlib.reload(crash_points)
    seen: list[Hit] = []
    if hits is not None:
        crash_points.hit = lambda name: seen.append((name, _transaction()))
    work(*given)
    connection.close()
    if hits is not None:
        hits.send(seen)


def _process(crash_at: str, hits: Any, work: Callable[..., None], given: tuple) -> Any:
    database = {
        key: connection.settings_dict[key] for key in ("NAME", "HOST", "PORT", "USER", "PASSWORD", "OPTIONS")
    }
    process = _context.Process(target=_live, args=(database, crash_at, hits, work, given))
    process.start()
    return process


def hits_of(work: Callable[..., None], *given: Any) -> list[Hit]:
    """Which points this work comes by, in their order."""
    mine, its = _context.Pipe(duplex=False)
    process = _process("", its, work, given)
    its.close()
    seen: list[Hit] = mine.recv()
    process.join(30)
    assert process.exitcode == 0
    return seen


def dies(crash_at: str, work: Callable[..., None], *given: Any) -> bool:
    """Whether this work was killed at the point (`name:n`); False where it never came by it. It holds no lock then."""
    process = _process(crash_at, None, work, given)
    process.join(30)
    assert process.exitcode in (0, -signal.SIGKILL), f"{crash_at}: it ended with {process.exitcode}"
    if process.exitcode != 0:
        await_ends()
    return process.exitcode != 0


_OF_RUNS = (cancel_children, start, start_anew, resume, resume_on, rerun, cancel, pause, mend, send)
_OF_TASKS = (give_up, hand_over, vote, send_back, run_out)
ASKED_AGAIN = (*_OF_RUNS, *_OF_TASKS)
"""What a client does who asks again where no answer came."""
