"""Runs of which a step has failed while their other branches go on."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from runs.commands import lifecycle
from runs.kernel.refused import RunRefused
from tests import factories as make
from tests.crash import victim

LAST = make.graph(
    [
        "a",
        {"id": "b", "type": "text.clean", "retry": "none"},
        {"id": "c", "queue": "blocking"},
        "d",
        "z",
    ],
    ["a>b", "a>c", "c>d", "b>z", "d>z"],
    on_failure="finish_others",
)


def redo(tenant: int, runs: Sequence[str]) -> None:
    """Do again what failed of runs that go on, then work."""
    with suppress(RunRefused):
        lifecycle.redo_failed(tenant, runs, by="test")
    victim.drain()


def tried_again() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """A step has failed and others go on; it is done again beside them."""
    run_ids = make.start(LAST, {"n": 1}, {"n": 2})
    make.work("default")
    return redo, (make.a_tenant().pk, run_ids)
