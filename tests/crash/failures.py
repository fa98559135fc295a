"""Runs of which a step has failed while their other branches go on."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from runs.commands import dead_letters, lifecycle, operators
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


ASKS = make.graph(
    [{"id": "a", "type": "text.clean", "retry": "none", "on_error": "ask"}, "b", "z"], ["a>z", "b>z"]
)


def decide(who: Principal, runs: Sequence[str]) -> None:
    """Work until each asks; one is tried again, which fails anew, and then the letters of all are discarded at once."""
    for run in runs:
        unseen = make.run(run).status == "FAILED" and any(not one.resolution for one in make.letters(run))
        assert not unseen, "it is left as it is, and its letter says nothing of that"
    victim.drain()
    for run in runs:
        with suppress(RunRefused):
            operators.retry_step(who.tenant_id, run, "a", by="test")
        victim.drain()
    dead_letters.discard(who, [letter for run in runs for letter in make.letters(run)])


def asked() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """Runs of which a step will ask what becomes of its failure."""
    user, runs = make.a_member("author", "admin"), make.start(ASKS, {"n": 1}, {"n": 2})
    tenant = make.a_tenant().pk
    who = Principal(tenant, "default", user.pk, "author", ADMIN, SCOPES, "command", reach=EVERYWHERE)
    return decide, (who, runs)


def tried_again() -> tuple[Callable[..., None], tuple[Any, ...]]:
    """A step has failed and others go on; it is done again beside them."""
    run_ids = make.start(LAST, {"n": 1}, {"n": 2})
    make.work("default")
    return redo, (make.a_tenant().pk, run_ids)
