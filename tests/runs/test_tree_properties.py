"""Random trees of runs, on which workers, people, time and death act at random, against what docs/engine.md promises.

`make test` plays the same cases each time, as many as there is time for. `make soak` plays 2,000, and goes on where it
stood the last time (docs/testing.md).
"""

import os
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest
from django.db import transaction
from django.db.models import Q
from django.test import override_settings

from runs.integrity.verify import verify
from runs.kernel import rounds
from runs.maintenance import seals
from runs.models import Run, RunMessage, Signal, StepExecution, UndoEntry
from tests import invariants
from tests.runs.tree_cases import case_of
from tests.runs.tree_facts import facts_of
from tests.runs.tree_model import broken_promises
from tests.runs.tree_player import Player
from tests.timing import Clock

pytestmark = pytest.mark.django_db

PARTS, LEAST, SECONDS = 4, 10, 11
"""In so many parts so many cases at least, and as many as fit into so many seconds."""
FIRST = 100_000
"""The first seed of `make test`: those of `make soak` begin at 0."""
SOAK_PARTS, OF_PART, SEEDS = 200, 10, 20_000
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handoff"
NEXT_SEED = CACHE / "next-seed-of-trees"
"""Holds the first seed of the next `make soak`."""


def prove(seed: int, clock: Clock, *, kills: bool = False) -> None:
    """Play the case of this seed, and twice more if it may be resumed: whatever happened, every promise holds."""
    dice = random.Random(seed + 1)
    case = case_of(seed)
    player = Player(case, dice, clock, kills)
    with ExitStack() as settings:
        if case.continues:
            settings.enter_context(patch.object(rounds, "LOOKS_EACH", 1))
            settings.enter_context(override_settings(HANDOFF_CONTINUE_AFTER_EVENTS=8))
        _play(player, dice)


def _play(player: Player, dice: random.Random) -> None:
    player.begin()
    player.play(dice.randint(8, 50))
    check(player)
    for _ in range(2):
        life = Run.unsafe_all_tenants.get(pk=player.current).life
        player.resume()
        if Run.unsafe_all_tenants.get(pk=player.current).life == life:
            return
        player.play(dice.randint(0, 30))
        check(player)


def check(player: Player) -> None:
    """Everything is over, nothing is half there, and all is as the page says."""
    log, steps = player.log, StepExecution.unsafe_all_tenants.filter(kept_from=None)
    assert not RunMessage.unsafe_all_tenants.exists(), log
    assert not steps.filter(status__in=("QUEUED", "RUNNING", "WAITING")).exists(), log
    assert not UndoEntry.unsafe_all_tenants.filter(state__in=("planned", "begun")).exists(), log
    assert [one for root in facts_of(player) for one in broken_promises(root)] == [], log
    assert [*begun_anew(player)] == [], log
    assert done_by(steps.filter(undoes=None)) == {*player.charged}, log
    assert done_by(steps.exclude(undoes=None)) == {*player.refunded}, log
    signals = Signal.unsafe_all_tenants
    assert signals.count() == player.sent, log
    taken = steps.filter(type="signal", status="COMPLETED").count()
    assert signals.exclude(consumed_at=None).count() == taken, log
    seals.seal()
    assert invariants.broken() == {}, log
    assert list(verify(Run.unsafe_all_tenants.values_list("pk", flat=True))) == [], log


def done_by(steps) -> set[tuple[str, str, int | None]]:
    """The jobs among these steps that completed, as the ledger has them."""
    done = steps.filter(type="job", status="COMPLETED").values_list("run_id", "undoes", "node", "index")
    return {(str(run), undoes or node, index) for run, undoes, node, index in done}


def begun_anew(player: Player) -> Iterator[str]:
    """Steps that began a new run though nothing of the former one was undone: what it did is done once more."""
    former: dict[tuple[object, ...], Run] = {}
    for run in Run.unsafe_all_tenants.filter(tree_id=player.root).order_by("pk"):
        place = (run.parent_id, *run.place[-1])
        earlier = former.get(place)
        former[place] = run
        if earlier is None or run.root_id == earlier.root_id or earlier.input != run.input:
            continue
        plans = UndoEntry.unsafe_all_tenants.filter(Q(target_id=earlier.pk) | Q(run_id=earlier.pk))
        if not plans.exists() and not (earlier.status == "FAILED" and earlier.cancelled):
            yield f"{run.pk} at {place} began beside {earlier.pk}"


def alone(seed: int, clock: Clock) -> None:
    """One case, of which nothing stays."""
    try:
        with transaction.atomic():
            prove(seed, clock)
            transaction.set_rollback(True)
    except BaseException as error:
        error.add_note(f"seed {seed}")
        raise


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_happens_in_a_tree_of_runs_every_promise_holds(part, clock):
    until, first = time.monotonic() + SECONDS, FIRST + part * 1000
    seed = first
    while seed < first + LEAST or time.monotonic() < until:
        alone(seed, clock)
        seed += 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(FIRST - 2, FIRST))
def test_so_it_does_where_processes_are_killed(seed, clock):
    prove(seed, clock, kills=True)


@pytest.fixture(scope="module")
def soak_begins() -> int:
    """The first seed of this soak run; the next one goes on behind it, and from the first behind the last."""
    begins = int(NEXT_SEED.read_text()) if NEXT_SEED.exists() else 0
    CACHE.mkdir(parents=True, exist_ok=True)
    NEXT_SEED.write_text(str((begins + SOAK_PARTS * OF_PART) % SEEDS))
    return begins


@pytest.mark.soak
@pytest.mark.parametrize("part", range(SOAK_PARTS))
def test_so_it_does_in_thousands_of_trees(part, soak_begins, clock):
    for seed in range(OF_PART):
        alone((soak_begins + part * OF_PART + seed) % SEEDS, clock)
