"""Runs that a bulk job moves to another version or cancels, for the crash points (`test_crash_points.py`)."""

from collections.abc import Callable, Sequence
from typing import Any

from accounts.principal import Principal
from runs.bulk_jobs import jobs, work
from tests import factories as make
from tests.crash import victim
from tests.inbox.asking import member

LONG = 30.0
"""Seconds for a duty that is done to its end."""
SIGNALS = [{"id": name, "type": "signal", "params": {"name": name}} for name in ("go", "later")]


def move(who: Principal, name: str, runs: Sequence[str]) -> None:
    """Ask for a bulk job and do it, work, and send what the runs wait for."""
    jobs.begin(who, name, 1, 2)
    work.work(LONG)
    victim.drain()
    victim.send(who.tenant_id, runs)


def moved() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Two runs that wait, and a version with more behind and beside that."""
    run_ids = make.start(make.graph(SIGNALS, ["go>later"]), {"n": 1}, {"n": 2})
    make.work()
    make.newer(run_ids[0], make.graph([*SIGNALS, "more", "beside"], ["go>later", "later>more"]))
    return move, (member("ann", "admin"), make.run(run_ids[0]).version.workflow.name, run_ids)


def cancel_all(who: Principal, name: str) -> None:
    """Ask for a bulk job that cancels the runs of a workflow, and do it."""
    jobs.begin_verb(who, "cancel", f"workflow:{name}", reason="a typo")
    work.work(LONG)


def cancelled() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Two runs that wait."""
    run_ids = make.start(make.graph(SIGNALS, ["go>later"]), {"n": 1}, {"n": 2})
    make.work()
    return cancel_all, (member("ann", "admin"), make.run(run_ids[0]).version.workflow.name)
