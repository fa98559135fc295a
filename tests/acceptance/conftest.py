"""Running Handoffs; nothing of them stays."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from config.embedded.redis import free_port
from tests.acceptance import never
from tests.acceptance.running import Handoff
from tests.acceptance.wikipedia import open_wikipedia
from tests.slow_service import SlowService, slow_service

TOGETHER = (
    "test_tour.py",
    "test_drills.py",
    "test_pipeline.py",
    "test_two_builders.py",
    "test_order_fulfillment.py",
    "test_readme.py",
    "test_examples.py",
    "test_blocking.py",
    "test_metrics.py",
    "test_steps_that_never_return.py",
    "test_never_late.py",
    "test_outages.py",
    "test_many_clients.py",
    "test_owner.py",
    "test_up_private.py",
    "test_up_second.py",
    "test_up.py",
)
"""Modules that have one Handoff together, in this order: none minds what others leave in it. The first ones look at
all that there is, the last ones kill and stop all of it.
"""
BLOCKING_THREADS = 20
METRICS_TOKEN = "a-token-of-the-tests-own"


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


@pytest.fixture(scope="session")
def service() -> Iterator[SlowService]:
    """A service that keeps whoever calls it waiting."""
    with slow_service() as service:
        yield service


@pytest.fixture(scope="session")
def wikipedia() -> Iterator[str]:
    """The address of a Wikipedia of our own."""
    with open_wikipedia() as address:
        yield address


@pytest.fixture(scope="session")
def shop_port() -> int:
    """Where README's shop hears of what has happened."""
    return free_port()


@pytest.fixture(scope="session")
def surroundings(service, wikipedia, shop_port, tmp_path_factory) -> dict[str, str]:
    """The environment of a Handoff that may reach these, and has steps that never return."""
    steps = str(never.install(tmp_path_factory.mktemp("never") / "packages"))
    path = os.pathsep.join([steps, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    ports = (urlsplit(wikipedia).port, shop_port)
    allowed = ",".join([service.allowance, *(f"127.0.0.1/32:{port}" for port in ports)])
    return {
        "PYTHONPATH": path,
        "HANDOFF_EGRESS_ALLOW": allowed,
        "HANDOFF_BLOCKING_THREADS": str(BLOCKING_THREADS),
        "HANDOFF_METRICS_TOKEN": METRICS_TOKEN,
    }


@pytest.fixture(scope="module")
def home(request, together, surroundings, tmp_path_factory) -> Iterator[Handoff]:
    """A Handoff that may have been stopped or killed before."""
    name = request.path.name
    one = together.get("one") if name in TOGETHER else None
    if one is None:
        one = Handoff(_long(tmp_path_factory.mktemp("up")), **surroundings)
    together["one"] = one
    yield one
    to_come = {item.path.name for item in request.session.items}
    if name not in TOGETHER or to_come.isdisjoint(TOGETHER[TOGETHER.index(name) + 1 :]):
        del together["one"]
        end(one)


def _long(base: Path) -> Path:
    """A home of 110 characters: too long for a socket in it."""
    return base / ("h" * (110 - len(str(base)) - 1))


@pytest.fixture(scope="module")
def handoff(home) -> Handoff:
    """A Handoff that has been started; a test that stops it starts it again."""
    if home.ended():
        home.start_again()
    return home


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
