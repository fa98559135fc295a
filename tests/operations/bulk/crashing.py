"""Runs that a bulk job moves to another version or cancels, for the crash points (`test_crash_points.py`)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from accounts.principal import Principal
from operations.bulk import service, work
from operations.bulk.letters import begin_letters
from operations.bulk.models import DECIDE
from operations.bulk.tasks import begin_tasks
from runs.commands.signals import NewSignal, send_signals
from runs.kernel.refused import RunRefused
from tasks_inbox.actions.bulk import BulkCommand
from tests import factories as make
from tests.crash import victim
from tests.inbox.asking import approval, member

LONG = 30.0
"""Seconds for a duty that is done to its end."""
SIGNALS = [{"id": name, "type": "signal", "params": {"name": name}} for name in ("go", "later")]


def move(who: Principal, name: str, runs: Sequence[str]) -> None:
    """Ask for a bulk job and do it, work, and send what the runs wait for."""
    service.begin(who, name, 1, 2)
    work.work(LONG)
    victim.drain()
    victim.send(who.tenant_id, runs)


def moved() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Two runs that wait, and a version with more behind and beside that."""
    run_ids = make.start(make.graph(SIGNALS, ["go>later"]), {"n": 1}, {"n": 2})
    make.work()
    make.newer(run_ids[0], make.graph([*SIGNALS, "more", "beside"], ["go>later", "later>more"]))
    return move, (member("ann", "admin"), make.run(run_ids[0]).version.workflow.name, run_ids)


def move_parts(who: Principal, name: str, run: str) -> None:
    """Ask for a bulk job and do it, work, and send what the items wait for."""
    service.begin(who, name, 1, 2)
    work.work(LONG)
    victim.drain()
    signal = NewSignal("s1", "go", None, to_all=True)
    with suppress(RunRefused):
        send_signals(who.tenant_id, [(run, signal)], by="test")
    victim.drain()


def _with_parts(seconds: int, behind: str) -> dict[str, Any]:
    ask = {"id": "ask", "type": "signal", "params": {"name": "go"}}
    body = {"steps": [ask, {"id": behind, "type": "noop"}]}
    return make.graph(
        [
            {"id": "each", "type": "map", "params": {"items": [1, 2], "body": body}},
            {"id": "rest", "type": "wait", "params": {"seconds": seconds}},
        ],
        [],
        sla_seconds=seconds * 10,
    )


def moved_parts() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """A run whose items wait, beside a wait, and a version with other steps and times."""
    (run_id,) = make.start(_with_parts(50, "one"), {"n": 1})
    make.work("engine")
    make.newer(run_id, _with_parts(20, "other"))
    return move_parts, (member("ann", "admin"), make.run(run_id).version.workflow.name, run_id)


def cancel_all(who: Principal, name: str) -> None:
    """Ask for a bulk job that cancels the runs of a workflow, and do it."""
    service.begin_verb(who, "cancel", f"workflow:{name}", reason="a typo")
    work.work(LONG)


def cancelled() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Two runs that wait."""
    run_ids = make.start(make.graph(SIGNALS, ["go>later"]), {"n": 1}, {"n": 2})
    make.work()
    return cancel_all, (member("ann", "admin"), make.run(run_ids[0]).version.workflow.name)


def decide_all(who: Principal) -> None:
    """Ask for a bulk job that decides all tasks, look first, and do it."""
    dry = begin_tasks(who, BulkCommand(DECIDE, outcome="approved"), "", dry_run=True)
    work.work(LONG)
    if service.counts_of(dry)["able"]:
        service.go(who, dry.pk, reason="")
    work.work(LONG)
    victim.drain()


def decided() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Two runs that ask."""
    make.start(approval(), {"amount": 1}, {"amount": 2})
    make.work()
    return decide_all, (member("ann", "admin"),)


def discard_all(who: Principal) -> None:
    """Ask for a bulk job that discards all dead letters, and do it."""
    begin_letters(who, "discard", reason="known")
    work.work(LONG)


def discarded() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Two runs that failed for good."""
    make.start(make.graph([{"id": "a", "retry": "none"}], []), {"n": 1}, {"n": 2})
    make.fail(*make.claimed())
    return discard_all, (member("ann", "admin"),)


SCENARIOS = {
    "decided by a bulk job": (decided, {"COMPLETED"}),
    "discarded by a bulk job": (discarded, {"FAILED"}),
    "moved with its items": (moved_parts, {"COMPLETED"}),
    "moved": (moved, {"COMPLETED"}),
    "cancelled by a bulk job": (cancelled, {"CANCELLED"}),
}
ASKED_AGAIN = (move, move_parts, cancel_all, decide_all, discard_all)
HARMLESS = "put_bulk_item_off stop_bulk_job record_bulk_job"
"""Statements that stop a job, which can be asked for again, or that write down what was done."""
