"""Rows of runs that no service makes alone: what stands in the tables in the middle of something."""

from datetime import UTC, datetime

import factory
from factory.django import DjangoModelFactory

from runs.models import Calendar, Container, Forecast, Repair, RestTime, StepJoin, Worker
from tests.factories.accounts import OfATenant


class JoinFactory(OfATenant):
    """A join at which nothing has arrived."""

    shard = 0
    node = "z"

    class Meta:
        model = StepJoin


class ContainerFactory(OfATenant):
    """A container over one item, which it has not begun."""

    shard = 0
    node = "a"
    items = factory.LazyFunction(lambda: [1])
    total = factory.LazyAttribute(lambda container: len(container.items))
    at_once = 1
    tolerated = 0

    class Meta:
        model = Container


class RepairFactory(OfATenant):
    """A step of the run's first life was stuck, and is no more."""

    life = 1
    node = "a"
    what = "no wake source"
    done = True

    class Meta:
        model = Repair


class ForecastFactory(OfATenant):
    """A run is done now, whichever way one asks; whether it is late nobody says."""

    made_at = factory.LazyFunction(lambda: datetime.now(UTC))
    p50 = factory.SelfAttribute("made_at")
    p90 = factory.SelfAttribute("made_at")

    class Meta:
        model = Forecast


class RestTimeFactory(OfATenant):
    """How long the rest of runs lasted; of which version and node, how long and in which week is to be given."""

    is_working = False
    times = 1

    class Meta:
        model = RestTime


class CalendarFactory(OfATenant):
    """A calendar that works from nine to five, Monday to Friday."""

    name = "default"
    timezone = "UTC"
    weekdays = factory.LazyFunction(lambda: [1, 2, 3, 4, 5])
    opens = 540
    closes = 1020

    class Meta:
        model = Calendar


class WorkerFactory(DjangoModelFactory[Worker]):
    """A worker process of Handoff's own that is alive."""

    id = factory.Sequence(lambda number: f"p{number}")
    queue = "default"
    host = "box"
    pid = 7

    class Meta:
        model = Worker
