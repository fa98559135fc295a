"""Starts that come together: one transaction, an answer for each, and nobody pays for another's fault."""

import threading
import time
from unittest import mock
from uuid import UUID

import pytest
from django.db import connection

from lib import gathering
from lib.database_errors import is_away
from runs.commands import named_starts
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.refused import RunRefused
from runs.models import Run, StartedFrom
from tests import factories as make
from tests.races.staging import BLINK, PATIENCE, Actor, holding

CALLERS = 9


@pytest.fixture
def version():
    return make.a_version(make.chain("noop"))


def start(version, number, *, key=None, if_exists="return"):
    items = [NewRun({"n": number}, key)]
    (one,) = named_starts.start_workflow(
        version.tenant_id,
        version.workflow.name,
        items,
        by="test",
        started_from=StartedFrom.REST,
        if_exists=if_exists,
    )
    return one


def waiting():
    return sum(map(len, named_starts._inserted_together._waiting.values()))


def together(calls, *, halts=None):
    """The first call halts until all others wait behind it, in their order; of those the first may halt, too."""
    # On a busy machine they would not wait long enough for each other.
    with mock.patch.object(gathering, "PATIENCE_SECONDS", PATIENCE):
        return _together(calls, halts=halts)


def _together(calls, *, halts):
    first = Actor(calls[0], before="insert_runs").until_halted()
    others, blink = [], threading.Event()
    for place, call in enumerate(calls[1:]):
        others.append(Actor(call, before=halts if place == 0 else None))
        until = time.monotonic() + PATIENCE
        while waiting() <= place:
            assert time.monotonic() < until
            blink.wait(BLINK)
    first.go()
    return [first, *others]


def inputs():
    return sorted(run["n"] for run in Run.unsafe_all_tenants.values_list("input", flat=True))


def test_starts_that_come_together_are_one_transaction_each_with_its_own_run(version):
    actors = together([lambda n=n: start(version, n) for n in range(CALLERS)])
    found = [actor.end() for actor in actors]
    assert inputs() == [*range(CALLERS)]
    for number, one in enumerate(found):
        assert Run.unsafe_all_tenants.get(pk=UUID(one.id)).input == {"n": number}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT xmin::text) FROM runs_run")
        assert cursor.fetchone() == (2,)


def test_of_those_with_one_business_key_one_starts_a_run_and_the_others_are_given_it(version):
    actors = together([lambda n=n: start(version, n, key="k") for n in range(CALLERS)])
    found = [actor.end() for actor in actors]
    assert len({one.id for one in found}) == 1
    assert [one.created for one in found] == [True] + [False] * (CALLERS - 1)
    # The input of the run is another one than theirs (H-12).
    assert [one.input_mismatch for one in found] == [False] + [True] * (CALLERS - 1)


def test_one_that_is_refused_keeps_no_other_from_its_run(version):
    start(version, 100, key="k4")
    calls = [lambda n=n: start(version, n, key=f"k{n}", if_exists="error") for n in range(CALLERS)]
    actors = together(calls)
    with pytest.raises(RunRefused, match="exists"):
        actors[4].end()
    assert all(actor.end().created for place, actor in enumerate(actors) if place != 4)
    assert inputs() == [*(n for n in range(CALLERS) if n != 4), 100]


def test_the_second_of_two_that_want_to_be_the_first_is_refused(version):
    calls = [lambda n=n: start(version, n, key="k" if n else "other", if_exists="error") for n in range(3)]
    first, *both = together(calls)
    first.end()
    outcomes = []
    for actor in both:
        try:
            outcomes.append(actor.end().created)
        except RunRefused as refusal:
            outcomes.append(refusal.code)
    assert sorted(map(str, outcomes)) == ["True", "run_exists"]


def test_one_that_waits_for_somebody_else_keeps_no_other_from_its_run(version):
    """Another process has the business key; who wants it waits, and nobody else does, in a batch or behind it."""
    terms = Terms(version.tenant_id, version.pk, "elsewhere")
    with holding(lambda: start_runs(terms, [NewRun({"n": 9}, "k")])[0], before="insert_runs"):
        waits = Actor(lambda: start(version, 0, key="k")).until_blocked()
        behind = [Actor(lambda n=n: start(version, n, key="k" if n == 1 else None)) for n in (1, 2, 3)]
        assert [actor.end().created for actor in behind[1:]] == [True, True]
        assert waits._thread.is_alive()
    assert [actor.end().created for actor in (waits, behind[0])] == [False, False]
    assert inputs() == [2, 3, 9]


def test_where_the_connection_is_lost_all_of_the_batch_are_told_and_nothing_is_started_twice(version):
    actors = together([lambda n=n: start(version, n) for n in range(CALLERS)], halts="insert_runs")
    actors[0].end()
    leader = actors[1].until_halted()
    leader.lose_session()
    leader.go()
    for actor in actors[1:]:
        actor._thread.join(PATIENCE)
        assert is_away(actor.error), actor.error
    assert inputs() == [0]
    assert start(version, 1).created
