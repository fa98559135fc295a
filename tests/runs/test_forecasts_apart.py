"""Forecasts with transactions of their own: two at once learn once, and no run that has ended is foretold."""

import pytest
from django.db import transaction

from runs.maintenance import forecasts as duty
from runs.maintenance.foretelling import Clocks, Past, foretell
from runs.models import Forecast, RestTime
from runs.store import forecasts as store
from tests import factories as make
from tests.races.staging import Actor
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db(transaction=True)


def learned() -> int:
    return sum(row.times for row in RestTime.unsafe_all_tenants.all())


def test_two_at_once_learn_once():
    make.start(make.chain("noop"))
    make.work()
    count_all()
    store.lock()
    with transaction.atomic():
        assert store.lock() is not None
        assert Actor(lambda: duty.learn(Clocks(), 1)).end() == []
        assert learned() == 0
    duty.learn(Clocks(), 1)
    duty.learn(Clocks(), 1)
    assert learned() == 2


def test_a_run_that_ends_meanwhile_is_not_foretold(monkeypatch):
    version = make.a_version(make.chain("noop"))
    make.start_version(version, *[{}] * 20)
    make.work()
    count_all()
    store.lock()
    duty.learn(Clocks(), 5)
    going, ending = make.start_version(version, {}, {})

    def ends(runs, rows):
        make.cancel(ending)
        real(runs, rows)

    real = store.keep
    monkeypatch.setattr(store, "keep", ends)
    foretell([going, ending], Past(Clocks()))
    assert [str(row.run_id) for row in Forecast.unsafe_all_tenants.all()] == [going]
