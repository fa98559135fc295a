"""External workers against each other and against themselves."""

from runs.commands import jobs
from tests import factories as make
from tests.races.staging import Actor, blocked, holding

JOB = make.graph([{"id": "a", "type": "job", "queue": "mine"}], [])


def poll(many, worker="w"):
    return jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=["mine"], max_jobs=many)


def complete(job, output):
    return jobs.complete(
        tenant=make.a_tenant().pk, job=job.step.id, lease_token=job.lease_token, output=output
    )


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
