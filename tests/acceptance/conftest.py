"""Running Handoffs; nothing of them stays."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.running import Handoff

TOGETHER = (
    "test_drills.py",
    "test_pipeline.py",
    "test_two_builders.py",
    "test_order_fulfillment.py",
    "test_never_late.py",
    "test_outages.py",
)
"""Modules that have one Handoff together, in this order: none minds what others leave in it. The last may kill it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those modules come first of this folder, so that nothing else runs beside what they share."""
    here = [at for at, item in enumerate(items) if item.path.parent == Path(__file__).parent]
    order = {name: place for place, name in enumerate(TOGETHER)}
    sorted_items = sorted((items[at] for at in here), key=lambda item: order.get(item.path.name, len(order)))
    for at, item in zip(here, sorted_items, strict=True):
        items[at] = item


@pytest.fixture(scope="session")
def together() -> Iterator[dict[str, Handoff]]:
    """The Handoff of those modules, by the name `one`, while some of them are to come."""
    running: dict[str, Handoff] = {}
    yield running
    for one in running.values():
        end(one)


@pytest.fixture(scope="module")
def handoff(request, together, tmp_path_factory) -> Iterator[Handoff]:
    """A Handoff that has been started; a test that stops it starts it again."""
    name = request.path.name
    one = together.get("one") if name in TOGETHER else None
    if one is None:
        one = Handoff(tmp_path_factory.mktemp("up") / "home")
    if one.ended():
        one.start_and_wait()
    together["one"] = one
    yield one
    to_come = {item.path.name for item in request.session.items}
    if name not in TOGETHER or to_come.isdisjoint(TOGETHER[TOGETHER.index(name) + 1 :]):
        del together["one"]
        end(one)


def end(one: Handoff) -> None:
    """Stop it whatever state it is in."""
    if one.process is None:
        return
    if one.process.poll() is None:
        one.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            one.process.wait(40)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(one.process.pid, signal.SIGKILL)
