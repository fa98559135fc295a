"""Forecasts with transactions of their own: two at once learn once, and no run that has ended is foretold."""

import pytest
from django.db import transaction

from runs.maintenance import forecasts as duty
from runs.maintenance.clocks import Clocks
from runs.maintenance.forecasting import forecast_runs
from runs.maintenance.past import Past
from runs.models import Forecast, RestTime
from runs.store import forecasts as store
from tests import factories as make
from tests.races.staging import Actor
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db(transaction=True)


def learned() -> int:
    return sum(row.times for row in RestTime.unsafe_all_tenants.all())


def learn() -> list[str]:
    """Learn as a process does that knows of nothing yet."""
    return duty.learn(Past(), Clocks(), 1)


def test_two_at_once_learn_once():
    make.start(make.chain("noop"))
    make.work()
    count_all()
    with transaction.atomic():
        learn()
        other = Actor(learn).until_blocked()
    assert other.end() == []
    learn()
    assert learned() == 2


def test_a_run_that_ends_meanwhile_is_not_foretold(monkeypatch):
    version = make.a_version(make.chain("noop"))
    make.start_version(version, *[{}] * 20)
    make.work()
    count_all()
    learn()
    going, ending = make.start_version(version, {}, {})

    def ends(rows, over):
        make.cancel(ending)
        return real(rows, over)

    real = store.keep
    monkeypatch.setattr(store, "keep", ends)
    assert [run for _, run in forecast_runs([going, ending], Past(), Clocks())] == [going]
    assert [str(row.run_id) for row in Forecast.unsafe_all_tenants.all()] == [going]
