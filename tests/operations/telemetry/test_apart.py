"""Telemetry with transactions of its own: nothing is lost or counted twice, whoever is slow, dies or comes twice."""

import pytest
from django.db import transaction

from operations.telemetry import counting as duty
from operations.telemetry import store
from operations.telemetry.models import RunTelemetry, TelemetryCursor
from tests import factories as make
from tests.races.staging import Actor
from tests.telemetry import count_all, let_through

pytestmark = pytest.mark.django_db(transaction=True)

ENDS = ("started", "completed", "failed", "cancelled", "interventions")


def runs():
    rows = RunTelemetry.unsafe_all_tenants.filter(span="hour")
    return tuple(sum(getattr(row, name) for row in rows) for name in ENDS)


def apart(work):
    """What `work` gives on a connection of its own."""
    return Actor(work).end()


def test_what_an_open_transaction_writes_late_is_not_lost():
    make.start(make.chain("noop"))

    def other():
        # Later ids, visible first; and the duty comes by again and again.
        make.start(make.chain("noop"))
        for _ in range(5):
            duty.count()
        return runs()[0]

    with transaction.atomic():
        make.start(make.chain("noop"))
        while_open = apart(other)
    assert while_open <= 1
    count_all()
    assert runs()[0] == 3


def test_who_dies_in_the_middle_has_counted_nothing(monkeypatch):
    make.start(make.chain("noop"))
    make.work()
    duty.count(), let_through()

    def dying(*args, **how):
        real(*args, **how)
        raise RuntimeError

    real = store.count
    monkeypatch.setattr(store, "count", dying)
    with pytest.raises(RuntimeError):
        duty.count()
    assert runs() == (0, 0, 0, 0, 0)
    monkeypatch.undo()
    count_all()
    assert runs()[:2] == (1, 1)


def test_two_at_once_count_once():
    make.start(make.chain("noop"))
    make.work()
    duty.count(), let_through()
    with transaction.atomic():
        assert store.lock() is not None
        assert apart(lambda: duty._count_some(100)) == 0
    count_all()
    assert runs()[:2] == (1, 1)


def test_a_fence_from_before_a_restore_is_set_anew():
    make.start(make.chain("noop"))
    duty.count()
    TelemetryCursor.objects.update(fence=2**60)
    count_all()
    assert TelemetryCursor.objects.get().fence < 2**60
    assert runs()[0] == 1


def test_what_an_operator_does_in_one_go_is_one_intervention():
    run_id = make.start(make.graph([{"id": "a", "retry": "none"}, "b"], ["a>b"]))[0]
    make.fail(make.claimed()[0])
    make.skip(run_id, "a", {})
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    again = make.start(make.graph([{"id": "a", "retry": "none"}], []))[0]
    make.fail(make.claimed()[0])
    make.resume(again)
    make.fail(make.claimed()[0])
    make.retry(again, "a")
    make.work()
    make.rerun(again, "a")
    count_all()
    assert runs()[4] == 4
