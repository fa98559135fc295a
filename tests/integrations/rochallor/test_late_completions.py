"""A late completion counts for the job that it was given, and lost leases are counted anew for each job.

A resume, a retry and another version make another job of the same step.
"""

import pytest

from engine.overrides import RerunWith
from runs.commands import operators
from runs.models import Run
from tests import factories as make
from tests import rochallor
from tests.integrations.rochallor.test_jobs import lose_leases
from workflows.models import WorkflowVersion

pytestmark = pytest.mark.django_db
LOST_LEASES = 3


def _resume(engine, instance):
    for _ in range(LOST_LEASES):
        engine.poll("a")
        lose_leases()
    make.work("engine")
    assert engine.instance(instance)["status"] == "FAILED"
    make.resume(instance)


def _retry(engine, instance):
    make.retry(instance, "a")


def _retry_with_input(engine, instance):
    operators.retry_step(
        make.a_tenant().pk, instance, "a", override=RerunWith({"amount": 2}), by="test", despite_unknown=True
    )


def _migrate(engine, instance):
    engine.upload(rochallor.document(rochallor.service("a", "b"), rochallor.service("b", "end")))
    workflow = Run.unsafe_all_tenants.get(pk=instance).version.workflow
    make.migrate(instance, WorkflowVersion.unsafe_all_tenants.get(workflow=workflow, number=2))


@pytest.mark.parametrize("change", [_resume, _retry, _retry_with_input, _migrate])
def test_a_completion_from_before_the_job_was_queued_anew_is_not_taken(linear, change):
    instance = linear.start(variables={"amount": 1})
    [old] = linear.poll("a")
    lose_leases()
    change(linear, instance)

    linear.complete(old, {"by": "the job before"})
    make.work("engine")
    assert linear.poll("b") == []

    # Its own leases are all there, and who lost one of them may still complete it.
    for _ in range(LOST_LEASES):
        [job] = linear.poll("a")
        lose_leases()
        assert linear.instance(instance)["status"] == "ACTIVE"
    linear.complete(job, {"by": "this job"})
    make.work("engine")
    [following] = linear.poll("b")
    assert following["variables"]["by"] == "this job"


def test_a_version_that_does_not_compile_here_keeps_no_lease_of_others(linear):
    """Two instances lose their leases at once; the version of one names a step type that is not installed here."""
    broken = linear.start()
    [version] = WorkflowVersion.unsafe_all_tenants.values_list("pk", flat=True)
    linear.upload(rochallor.document(rochallor.service("x", "end"), name="other"))
    sound = linear.start("other")
    assert len(linear.poll("a", "x")) == 2
    with make.not_compiling(version):
        lose_leases()

        assert linear.instance(sound)["status"] == "ACTIVE"
        assert len(linear.poll("x")) == 1
    assert make.run(broken).error["code"] == "BrokenVersion"


def test_a_poll_fails_jobs_of_a_version_that_does_not_compile_here_and_gives_the_others(linear):
    broken = linear.start()
    [version] = WorkflowVersion.unsafe_all_tenants.values_list("pk", flat=True)
    linear.upload(rochallor.document(rochallor.service("a", "end"), name="other"))
    sound = linear.start("other")
    with make.not_compiling(version):
        assert [job["instanceId"] for job in linear.poll("a")] == [sound]
    assert make.run(broken).error["code"] == "BrokenVersion"
