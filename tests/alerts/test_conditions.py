"""Each kind of rule is fired by its real condition, told once to a receiver, acknowledged, and over by itself."""

import pytest

from runs.alerts import answering
from tests import factories as make
from tests.alerts.conftest import alerts, deliveries, look

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

JOB = make.graph([{"id": "charge", "type": "job", "queue": "card"}], [])


def test_a_queue_that_is_too_deep(on_call):
    on_call.rule("queue_depth")
    make.start(JOB, *[{}] * 50)
    assert look() == 0
    make.start(JOB)
    assert look() == 1
    assert look() == 0
    (alert,) = alerts()
    assert alert.subject == "Workflow Queue Backup: 51 steps wait in card"
    assert on_call.events() == ["raised"], deliveries()
    answering.acknowledge(on_call.admin, alert.pk, note="I see to it")
