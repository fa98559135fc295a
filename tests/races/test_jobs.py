"""External workers against each other and against themselves."""

import threading
import time
from unittest import mock

from lib import gathering
from runs.commands import job_reports, jobs
from runs.commands.job_reports import Completion
from runs.models import StepExecution
from tests import factories as make
from tests.races.staging import BLINK, PATIENCE, Actor, blocked, holding

JOB = make.graph([{"id": "a", "type": "job", "queue": "mine"}], [])


def poll(many, worker="w"):
    return jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=["mine"], max_jobs=many)


def complete(job, output):
    """As another process would: calls within one that come together are dealt with together."""
    (said,) = job_reports.complete_all(make.a_tenant().pk, [Completion(job.step.id, job.lease_token, output)])
    return said


def together(calls):
    """The first call halts in its claim until the others wait behind it; gives what each was given."""
    first = Actor(calls[0], before="claim_jobs").until_halted()
    others, blink = [], threading.Event()
    # Those that have waited for long poll by themselves, and a busy machine takes long to begin them all.
    with mock.patch.object(gathering, "PATIENCE_SECONDS", PATIENCE):
        for place, call in enumerate(calls[1:]):
            others.append(Actor(call))
            until = time.monotonic() + PATIENCE
            while sum(map(len, jobs._polled_together._waiting.values())) <= place:
                assert time.monotonic() < until
                blink.wait(BLINK)
    first.go()
    return [actor.end() for actor in (first, *others)]


def test_polls_that_come_together_are_dealt_jobs_by_turns_each_its_own_and_no_more_than_it_asked():
    make.start(JOB, *[{}] * 9)
    asked = {"first": 1, "a": 1, "b": 2, "c": 10, "d": 10}
    found = together([lambda name=name, many=many: poll(many, name) for name, many in asked.items()])

    assert [len(one) for one in found] == [1, 1, 2, 3, 2]
    steps = {str(step.pk): step for step in StepExecution.unsafe_all_tenants.all()}
    given = [(name, job) for name, jobs_of in zip(asked, found, strict=True) for job in jobs_of]
    assert len({job.step.id for _, job in given}) == 9
    assert (
        len({step.started_at for name, job in given if name != "first" for step in [steps[job.step.id]]}) == 1
    )
    for name, job in given:
        assert steps[job.step.id].worker == name
        # Whoever has one job only is to blame for its lease.
        assert steps[job.step.id].solo == (asked[name] == 1)
        assert complete(job, {}).applied


def test_those_that_find_nothing_but_what_must_run_alone_have_one_of_it_each():
    for _ in range(3):
        run_id = make.start(JOB)[0]
        StepExecution.unsafe_all_tenants.filter(run_id=run_id).update(solo=True)
    found = together([lambda: poll(5)] * 4)
    assert sorted(len(one) for one in found) == [0, 1, 1, 1]


def test_more_than_fits_in_one_statement_is_polled_apart():
    make.start(JOB, *[{}] * 700)
    found = together([lambda: poll(1), *[lambda: poll(100)] * 6])
    assert [len(one) for one in found] == [1, *[100] * 6]
    assert len({job.step.id for one in found for job in one}) == 601


def test_the_same_completion_twice_at_once_is_one_and_a_duplicate(rounds):
    for _ in rounds:
        run_id = make.start(JOB)[0]
        job = poll(1)[0]
        with holding(lambda job=job: complete(job, {"n": 1}), before="advance") as first:
            second = blocked(lambda job=job: complete(job, {"n": 1}))

        assert (first.end().applied, first.end().duplicate) == (True, False)
        assert (second.end().applied, second.end().duplicate) == (True, True)
        assert make.history(run_id).count("STEP_COMPLETED a") == 1


def test_polls_at_once_share_the_jobs(rounds):
    for _ in rounds:
        make.start(JOB, *[{}] * 12)
        actors = [Actor(lambda: poll(5)) for _ in range(4)]
        found = [job for actor in actors for job in actor.end()]
        rest = poll(12)

        ids = [job.step.id for job in [*found, *rest]]
        assert len(ids) == len(set(ids)) == 12
        for job in [*found, *rest]:
            complete(job, {})
