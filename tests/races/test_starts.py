"""Starts against each other and against publishing (docs/engine.md, "Starts", R-034, C-20)."""

import contextlib
from uuid import UUID

import pytest
from django.db import transaction

from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.refused import RunRefused
from runs.models import Run, RunKey
from tests import factories as make
from tests.races.staging import Actor, blocked, holding, me
from workflows.models import Workflow

CALLERS = 20


@pytest.fixture
def version():
    return make.a_version(make.chain("noop"))


def start(version, key, **how):
    return start_runs(Terms(version.tenant_id, version.pk, "test"), [NewRun({}, key)], **how)[0]


def publish_again(version, number):
    """Version `number`, under the lock that publishing takes."""
    with transaction.atomic():
        Workflow.unsafe_all_tenants.select_for_update().get(pk=version.workflow_id)
        make.VersionFactory(workflow=version.workflow, number=number, definition=version.definition)


def runs_of(version):
    return set(Run.unsafe_all_tenants.filter(workflow_id=version.workflow_id).values_list("id", flat=True))


def test_twenty_starts_with_one_business_key_give_one_run(version, rounds):
    """H-12: the insert decides, and the losers read after its commit."""
    for round_ in rounds:
        before = runs_of(version)
        with holding(lambda key=f"k{round_}": start(version, key), before="insert_runs") as first:
            others = [Actor(lambda key=f"k{round_}": start(version, key)) for _ in range(CALLERS - 1)]
            for actor in others:
                actor.until_blocked()
        started = [first.end(), *(actor.end() for actor in others)]

        assert len({one.id for one in started}) == 1
        assert [one.created for one in started].count(True) == 1
        assert runs_of(version) - before == {UUID(started[0].id)}


def test_a_start_that_is_rolled_back_leaves_its_business_key_to_the_next(version, rounds):
    class Regretted(Exception):
        pass

    def regret(key):
        def work():
            with contextlib.suppress(Regretted), transaction.atomic():
                start(version, key)
                me().halt()
                raise Regretted

        return work

    for round_ in rounds:
        first = Actor(regret(f"k{round_}")).until_halted()
        second = blocked(lambda key=f"k{round_}": start(version, key))
        first.end()

        assert second.end().created


def test_of_two_starts_that_take_over_the_key_of_an_ended_run_one_starts(version, rounds):
    def take_over():
        return start(version, "k", if_exists="new_if_ended")

    take_over()
    for _ in rounds:
        make.work()
        with holding(take_over, before="insert_runs") as first:
            second = blocked(take_over)

        assert first.end().created
        assert not second.end().created
        assert second.end().id == first.end().id
    make.work()


def test_a_start_that_wants_a_new_run_only_is_refused_when_it_comes_second(version, rounds):
    for round_ in rounds:
        key = f"k{round_}"
        with holding(lambda key=key: start(version, key), before="insert_runs"):
            second = blocked(lambda key=key: start(version, key, if_exists="error"))
        with pytest.raises(RunRefused) as refused:
            second.end()

        assert refused.value.conflict


@pytest.fixture
def failing():
    return make.a_version(make.graph([{"id": "a", "retry": "none"}], []))


def failed_run(version, key):
    run_id = start(version, key).id
    make.fail(*make.claimed())
    return run_id


def open_runs_of(version, key):
    runs = Run.unsafe_all_tenants.filter(workflow_id=version.workflow_id, business_key=key)
    return {str(run.id) for run in runs if run.status == "RUNNING"}


def test_a_start_that_waits_for_a_resume_of_its_key_s_run_gives_that_run(failing, rounds):
    for round_ in rounds:
        key = f"k{round_}"
        first = failed_run(failing, key)
        with holding(lambda first=first: make.resume(first), before="reopen_runs") as resume:
            second = blocked(lambda key=key: start(failing, key, if_exists="new_if_ended"))
        resume.end()

        assert (second.end().id, second.end().created) == (first, False)
        assert open_runs_of(failing, key) == {first}
        make.work()


def test_a_resume_that_waits_for_a_start_with_its_key_is_refused(failing, rounds):
    for round_ in rounds:
        key = f"k{round_}"
        first = failed_run(failing, key)
        take_over = lambda key=key: start(failing, key, if_exists="new_if_ended")  # noqa: E731
        with holding(take_over, before="insert_runs") as second:
            resume = blocked(lambda first=first: make.resume(first))
        with pytest.raises(RunRefused) as refused:
            resume.end()

        assert (refused.value.code, refused.value.conflict) == ("key_taken", True)
        assert second.end().id in refused.value.message
        assert open_runs_of(failing, key) == {second.end().id}
        make.work()


def test_of_a_resume_and_a_start_with_one_key_exactly_one_opens_a_run(failing, rounds):
    for round_ in rounds:
        key = f"k{round_}"
        first = failed_run(failing, key)
        actors = [
            Actor(lambda first=first: make.resume(first)),
            Actor(lambda key=key: start(failing, key, if_exists="new_if_ended")),
        ]
        with contextlib.suppress(RunRefused):
            actors[0].end()
        started = actors[1].end()

        assert open_runs_of(failing, key) == {started.id}
        assert started.created == (actors[0].error is not None)
        make.work()


def test_batches_with_the_same_keys_in_opposite_order_do_not_deadlock(version, rounds):
    terms = Terms(version.tenant_id, version.pk, "test")
    for round_ in rounds:
        items = [NewRun({}, f"{round_}-{place}") for place in range(30)]
        with holding(lambda items=items: start_runs(terms, items), before="insert_runs") as first:
            second = blocked(lambda items=items: start_runs(terms, items[::-1]))

        assert {one.id for one in first.end()} == {one.id for one in second.end()}


def is_locked(version, key):
    """Whether somebody else has the row of this key now."""
    keys = RunKey.unsafe_all_tenants.filter(workflow_id=version.workflow_id, business_key=key)
    with transaction.atomic():
        found = keys.select_for_update(skip_locked=True, no_key=True).exists()
        transaction.set_rollback(True)
    return not found


def test_keys_are_taken_in_the_order_of_their_names(version):
    """As a resume takes them, and a start that renews them: else they would wait for each other."""
    terms = Terms(version.tenant_id, version.pk, "test")
    for key in "abc":
        start(version, key)
    with transaction.atomic():
        RunKey.unsafe_all_tenants.select_for_update(no_key=True).get(
            workflow_id=version.workflow_id, business_key="b"
        )
        late = blocked(lambda: start_runs(terms, [NewRun({}, key) for key in "cba"]))
        assert (is_locked(version, "a"), is_locked(version, "c")) == (True, False)

    assert [one.created for one in late.end()] == [False] * 3


def test_a_run_stays_on_the_version_it_was_started_with_while_another_is_published(version, rounds):
    """Publishing never touches runs in flight, and never waits for them."""
    for round_ in rounds:
        with holding(lambda: start(version, None), before="insert_runs") as first:
            Actor(lambda number=round_ + 2: publish_again(version, number)).end()

        assert Run.unsafe_all_tenants.get(pk=first.end().id).version_id == version.pk
