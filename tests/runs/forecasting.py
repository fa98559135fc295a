"""What tests of forecasts do: have runs that took so long, look at what is open, read what is told."""

from runs.maintenance import forecasts as duty
from runs.maintenance.clocks import Clocks
from runs.models import Forecast, RestTime
from tests import factories as make
from tests.telemetry import count_all

WORKS = make.chain("noop", "noop")
DONE = 25


def learned(**only) -> int:
    return sum(row.times for row in RestTime.unsafe_all_tenants.filter(**only))


def forecast(run_id) -> Forecast | None:
    return Forecast.unsafe_all_tenants.filter(run_id=run_id).first()


def look() -> None:
    """Count, learn and foretell whatever there is."""
    count_all()
    duty.make()
    duty.make()


def clocks_of(version) -> Clocks:
    """The clocks of its runs as they are now."""
    clocks = Clocks()
    clocks.read([(version.tenant_id, version.pk)])
    return clocks


def some_runs(version, clock, seconds=(60, 600), many=DONE) -> None:
    """Runs whose first step takes the one and whose second one the other time."""
    for _ in range(many):
        make.start_version(version, {})
        for lasts in seconds:
            step = make.claimed()[0]
            clock.advance(lasts)
            make.complete(step)
