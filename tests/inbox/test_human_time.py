"""Telemetry tells the time that a step spends with people apart from what machines take."""

import pytest

from operations.telemetry.models import StepTelemetry, TelemetryBucket
from tests import factories as make
from tests.inbox.asking import asked, decide
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db


def test_from_when_people_are_asked_until_they_have_decided_it_is_human_time(people, clock):
    task = asked()
    clock.advance(3600)
    decide(people.principal("admin", "default"), task)
    make.work()
    count_all()
    [row] = StepTelemetry.unsafe_all_tenants.filter(span="hour", type="human.approval", completed=1)
    assert (row.human_ms, row.machine_ms, row.waiting_ms) == (3_600_000, 0, 0)
    measures = TelemetryBucket.unsafe_all_tenants.filter(span="day", type="human.approval")
    assert set(measures.values_list("measure", flat=True)) == {"queue", "human"}
