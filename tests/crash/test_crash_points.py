"""Kill a worker at every named point, let another one go on: everything converges (R-258, R-253)."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest

from config.environment import BASE_DIR
from config.features import ROOMS
from lib.clock import set_now
from runs.kernel.refused import RunRefused
from runs.maintenance import leases, stuck, timers
from runs.models import Run
from tasks_inbox.duties import clock as tasks_clock
from tasks_inbox.duties import settling
from tests import factories as make
from tests import invariants, of_features
from tests.crash import approving, choosing, containers, failures, large, victim
from tests.crash.harmless import HARMLESS, writes
from tests.crash.scenarios import SCENARIOS
from tests.statements import texts

pytestmark = pytest.mark.django_db(transaction=True)

ENDED = {"COMPLETED", "FAILED", "CANCELLED", "COMPENSATED"}
ROUTES = 12

seen: dict[str, set[str]] = {}
died_at: set[str] = set()


@pytest.fixture(autouse=True)
def _payloads_are_found(settings):
    """Whoever goes on reads what a dead worker had kept beside the database."""
    settings.HANDOFF_BLOBS = large.FOLDER.as_uri()


@pytest.fixture(autouse=True)
def _real_clock():
    yield
    set_now(None)


WAITS_FOR_SOMEBODY = (
    *(victim.give_up, victim.hand_over, victim.vote, victim.send_back),
    *(containers.go_round, containers.send_below, containers.operate, containers.pass_over, failures.decide),
    approving.approve,
    approving.skip_below,
)
CRASHING = of_features.modules("crashing")
"""What features have for this: `SCENARIOS`, what of them is `ASKED_AGAIN`, statements at which tests of their own die
(`STAGED`), and those that are `HARMLESS`.
"""
ASKED_AGAIN = (
    *victim.ASKED_AGAIN,
    containers.go_on_late,
    *(work for module in CRASHING for work in getattr(module, "ASKED_AGAIN", ())),
)
AS_IT_COMES = {"CONTINUED"}
"""Whether a loop goes on as a new run is decided by who works on it."""


def heal(work: Callable[..., None], given: Sequence[Any]) -> None:
    """What a client that got no answer does, and then healthy workers, for as long as it takes."""
    if work in ASKED_AGAIN:
        try:
            work(*given)
        except RunRefused:
            assert work not in (victim.start, victim.start_anew), "it had been done"
    for turn in range(1, ROUTES):
        victim.later(turn)
        leases.sweep()
        timers.fire()
        tasks_clock.tick()
        stuck.check()
        make.work(*victim.QUEUES)
        victim.do_jobs(make.a_tenant().pk)
        settling.tick()
        if work in WAITS_FOR_SOMEBODY:
            work(*given)
        if not Run.unsafe_all_tenants.exclude(status__in=ENDED).exists():
            break
    set_now(None)


@pytest.mark.parametrize("name", SCENARIOS)
def test_whatever_point_a_worker_dies_at_every_run_ends_as_it_should(name):
    """H-9, H-26, H-37: a timer and its effect, a claim and its work, an end and what follows are never half there.

    Wherever it dies in a transaction, all of that is undone: it dies at the last point in each, where it has died in no
    scenario before.
    """
    points = last_points(name) - died_at
    died_at.update(points)
    dies_at_each(name, points)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SCENARIOS)
def test_whatever_transaction_a_worker_dies_in_every_run_ends_as_it_should(name):
    """The same of each scenario, whatever others it has died in."""
    dies_at_each(name, last_points(name))


@pytest.mark.soak
@pytest.mark.parametrize("name", SCENARIOS)
def test_so_it_does_at_every_point_the_first_and_the_last_time_that_it_comes_by(name):
    """By the last time there is more that could be half there."""
    times = Counter(hit for hit, _ in hits_of(name))
    dies_at_each(name, {f"{hit}:{time}" for hit, last in times.items() for time in (1, last)})


def last_points(name: str) -> set[str]:
    """The last point in each transaction of a scenario."""
    return {f"{hit}:1" for hit in choosing.last_of_each(hits_of(name))}


def hits_of(name: str) -> list[victim.Hit]:
    """By which points a scenario comes, in their order; nobody dies, and its runs end as they should."""
    prepare, expected = SCENARIOS[name]
    before = ids()
    work, given = prepare()
    hits = victim.hits_of(work, *given)
    seen[name] = {hit for hit, _ in hits}
    heal(work, given)
    ends_well(before, expected, "nobody died")
    return hits


def dies_at_each(name: str, points: set[str]) -> None:
    """A worker dies at each of these points, each time of a new beginning, and others go on."""
    prepare, expected = SCENARIOS[name]
    for point in sorted(points):
        before = ids()
        work, given = prepare()

        died = victim.dies(point, work, *given)
        heal(work, given)

        assert died or not point.endswith(":1"), point
        ends_well(before, expected, point)


def ids() -> set[UUID]:
    """Of all runs that there are."""
    return set(Run.unsafe_all_tenants.values_list("pk", flat=True))


def ends_well(before: set[UUID], expected: set[str], point: str) -> None:
    """All runs but those before ended in one of these statuses, and nothing is half there."""
    ended = Run.unsafe_all_tenants.exclude(pk__in=before).values_list("status", flat=True)
    assert {*ended} - AS_IT_COMES == expected, point
    assert invariants.broken() == {}, point


def test_every_crash_point_was_come_by():
    """A new statement that writes, or a new point, is covered by a scenario or named here with its reason."""
    if seen.keys() != SCENARIOS.keys():
        pytest.skip("only after all scenarios can be said what none came by: run the whole file")
    in_code = {
        name
        for path in (each for room in ("runs", *ROOMS) for each in (BASE_DIR / room).rglob("*.py"))
        # Relays are killed in tests/integrations/broker.
        if path != BASE_DIR / "integrations" / "broker" / "relay.py"
        for name in re.findall(r'crash_points\.hit\("(\w+)"\)', path.read_text())
    }
    of_others = {
        name
        for module in CRASHING
        for kind in ("HARMLESS", "STAGED")
        for name in getattr(module, kind, "").split()
    }
    writing = {name for name, text in texts().items() if writes(text)}
    statements = writing - HARMLESS - of_others | {*victim.OF_THE_INBOX.split()}
    points = in_code | {f"before_{name}" for name in statements}
    assert points - {hit for hits in seen.values() for hit in hits} == set()
    assert in_code >= {"after_claim", "before_commit", "after_commit"}
