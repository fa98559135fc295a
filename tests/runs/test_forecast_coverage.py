"""What forecasts promise they keep: of a month that they know nothing of, about so many runs end by then."""

import random
from datetime import timedelta

import pytest
from django.db import transaction

from operations.telemetry.models import TelemetryCursor
from runs.maintenance import forecasts as duty
from runs.maintenance.clocks import Clocks
from runs.maintenance.forecasting import forecast_runs
from runs.maintenance.past import Past
from runs.models import Forecast, ForecastCursor
from tests import factories as make
from tests.runs.office_claims import CLAIM, OFFICE, claims, insert, midnight
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db
MOMENTS = 40


@pytest.fixture
def _sound():
    """The tables hold what a simulation wrote, and not what Handoff does."""


def test_of_a_month_that_is_held_out_nine_of_ten_runs_end_by_p90(clock):
    dice = random.Random(13)
    version = make.a_version(CLAIM)
    make.CalendarFactory(
        tenant_id=version.tenant_id,
        name=OFFICE.name,
        timezone=OFFICE.timezone,
        weekdays=sorted(OFFICE.weekdays),
        opens=OFFICE.opens,
        closes=OFFICE.closes,
    )
    month = midnight("2026-04-01")
    clock.set(month)
    insert(version, claims(month - timedelta(days=120), 120, dice), month)
    count_all()
    while ForecastCursor.objects.filter(after__gte=TelemetryCursor.objects.get().after).first() is None:
        duty.make()

    held_out = [*claims(month - timedelta(days=20), 50, dice)]
    past, clocks = Past(), Clocks()
    kept = [0, 0, 0]
    for _ in range(MOMENTS):
        clock.set(month + timedelta(days=dice.uniform(0, 30)))
        for told, ended in forecasts_at(version, held_out, past, clocks, clock.now):
            kept = [kept[0] + 1, kept[1] + (ended <= told.p50), kept[2] + (ended <= told.p90)]
    many, by_p50, by_p90 = kept
    assert many > 500
    assert 0.40 <= by_p50 / many <= 0.60
    assert 0.85 <= by_p90 / many <= 0.95


def forecasts_at(version, held_out, past, clocks, now):
    """What is told at a moment of the claims that are open then, with when they ended."""
    with transaction.atomic():
        found = insert(version, [claim for claim in held_out if claim.began <= now < claim.ended], now)
        forecast_runs([*found], past, clocks)
        told = [
            (row, found[str(row.run_id)].ended)
            for row in Forecast.unsafe_all_tenants.filter(run_id__in=found)
        ]
        assert len(told) == len(found)
        transaction.set_rollback(True)
    return told
