"""Items that are runs of their own, and loops that go on as new runs, for the crash points (`test_crash_points.py`)."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from unittest.mock import patch

from django.test import override_settings

from lib.uuid7 import uuid7
from runs.commands import operators
from runs.commands.lifecycle import resume_runs
from runs.commands.signals import NewSignal, send_signals
from runs.commands.targets import ItemPlace
from runs.kernel import rounds
from runs.kernel.refused import RunRefused
from runs.store import child_runs
from runs.workers.drain import Drain
from tests import factories as make
from tests.crash import victim

Work = tuple[Callable[..., None], tuple[Any, ...]]

PARTS = make.mapped({"steps": [{"id": "one", "type": "noop"}, {"id": "two", "type": "noop"}]})
WAITING_PARTS = make.mapped(
    {"steps": [{"id": name, "type": "signal", "params": {"name": name}} for name in ("go", "later")]}
)
LOOP = make.graph(
    [
        {"id": "again", "type": "loop", "params": {"body": {"type": "noop"}, "count": 3}},
        {"id": "ask", "type": "signal", "params": {"name": "go"}},
    ],
    ["again>ask"],
)


def go_round(tenant: int, run: str) -> None:
    """Work off a loop that soon goes on as a new run, and send what comes behind it to the first one."""
    with patch.object(rounds, "LOOKS_EACH", 2), override_settings(HANDOFF_CONTINUE_AFTER_EVENTS=2):
        victim.drain()
        send_signals(tenant, [(run, NewSignal("s1", "go", None))], by="test")
        victim.drain()


def send_below(tenant: int, run: str) -> None:
    """Send early and in time what steps of the items wait for, one to each; and one to all that wait by now."""
    for signal in (NewSignal("early", "go", 1), NewSignal("s1", "go", 2)):
        send_signals(tenant, [(run, signal)], by="test")
        victim.drain()
    with suppress(RunRefused):
        send_signals(tenant, [(run, NewSignal(uuid7(), "later", 3, to_all=True))], by="test")
        victim.drain()


def go_on_late(tenant: int, run: str) -> None:
    """Resume it; its item hears of that only when it has ended."""
    with patch.object(child_runs, "due_messages", lambda limit: []):
        resume_runs(tenant, [run], by="test")
        for queue in ("engine", "default"):
            Drain(queue).run()
    victim.drain()


def with_resumed_item() -> Work:
    """A failed run whose item, a run of a workflow, was resumed by itself."""
    child = make.a_version(make.chain("noop")).workflow.name
    (run_id,) = make.start(make.mapped({"workflow": child}), {"items": [1]})
    make.work("engine")
    make.fail(*make.claimed())
    make.work("engine")
    make.resume(str(make.children_of(run_id)[0].pk))
    return go_on_late, (make.a_tenant().pk, run_id)


def near_limit() -> None:
    """Work while a tree may start four runs, which is few enough to look at all that others start."""
    with override_settings(HANDOFF_TREE_RUNS=4):
        victim.drain()


def with_limit() -> Work:
    """A run whose items are as many runs as it may start."""
    make.start(PARTS, {"items": [1, 2, 3, 4]})
    return near_limit, ()


def operate(tenant: int, run: str, failed: int) -> None:
    """Retry the item that has failed, pause another one and have it go on, skip a third; then work."""
    for index, verb in ((failed, "retry"), (1, "pause"), (1, "unpause"), (2, "skip")):
        with suppress(RunRefused):
            operators.act(tenant, ItemPlace(run, "each", index), verb, by="test")
    victim.drain()


def with_operated_items() -> Work:
    """A run with four items, of which one has failed and nobody has begun the others."""
    (run_id,) = make.start(make.mapped({"type": "noop"}, [1, 2, 3, 4], tolerate_failures=4), {"n": 1})
    make.work("engine")
    (step,) = make.claimed(limit=1)
    make.fail(step)
    return operate, (make.a_tenant().pk, run_id, step.index)


def pass_over(tenant: int, run: str, failed: int) -> None:
    """Skip the item that has failed its run; then work."""
    with suppress(RunRefused):
        operators.act(tenant, ItemPlace(run, "each", failed), "skip", by="test")
    victim.drain()


def with_failed_item() -> Work:
    """A run that one of its items has failed."""
    (run_id,) = make.start(make.mapped({"type": "noop"}, [1, 2]), {"n": 1})
    make.work("engine")
    (step,) = make.claimed(limit=1)
    make.fail(step)
    make.work()
    return pass_over, (make.a_tenant().pk, run_id, step.index)


def with_parts() -> Work:
    """A run whose items are runs of two steps."""
    make.start(PARTS, {"items": [1, 2]})
    return victim.drain, ()


def with_waiting_parts() -> Work:
    """A run whose items wait for two signals each."""
    (run_id,) = make.start(WAITING_PARTS, {"items": [1, 2]})
    return send_below, (make.a_tenant().pk, run_id)


def with_failed_parts() -> Work:
    """A failed run whose items, runs of two steps, have failed at the second one: it is resumed."""
    (run_id,) = make.start(PARTS, {"items": [1, 2]})
    make.work("engine")
    make.complete(*make.claimed())
    make.fail(*make.claimed())
    make.work("engine")
    return victim.resume, (make.a_tenant().pk, [run_id])


def looped() -> Work:
    """A run whose loop goes on in another one."""
    (run_id,) = make.start(LOOP, {"n": 1})
    return go_round, (make.a_tenant().pk, run_id)
