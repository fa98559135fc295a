"""A worker of a plug-in of the kind `external` counts as one of jobs does."""

import pytest

from operations.dispatch.models import DispatchSample
from operations.dispatch.sampling import sample
from runs.commands import job_reports
from tests import factories as make
from tests.runs.test_external_kind import begin, every_type, plug_in, poll, viewer
from tests.timing import clock

__all__ = ["clock", "plug_in", "viewer"]
pytestmark = pytest.mark.django_db


def queue_of(viewer):
    rows = viewer.get("/api/v1/queues").json()["results"]
    return next(row for row in rows if row["queue"] == "card")


@every_type
def test_a_worker_that_only_beats_is_counted_in_its_queue_and_in_the_sample(viewer, clock, name):
    begin(name)
    [job] = poll()
    clock.advance(180)
    job_reports.heartbeat(tenant=make.a_tenant().pk, job=job.step.id, lease_token=job.lease_token)
    assert queue_of(viewer)["workers"] == 1
    assert sample() == 1
    assert DispatchSample.objects.get().outside == 1
