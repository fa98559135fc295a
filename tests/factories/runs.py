"""Rows of runs that no service makes alone: what stands in the tables in the middle of something."""

import factory
from factory.django import DjangoModelFactory

from runs.models import Container, Repair, StepJoin
from tests.factories.accounts import a_tenant


class _OfARun(DjangoModelFactory):
    """What belongs to a run of the default tenant; `run_id` is to be given."""

    tenant_id = factory.LazyFunction(lambda: a_tenant().pk)

    class Meta:
        abstract = True


class JoinFactory(_OfARun):
    """A join at which nothing has arrived."""

    shard = 0
    node = "z"

    class Meta:
        model = StepJoin


class ContainerFactory(_OfARun):
    """A container over one item, which it has not begun."""

    shard = 0
    node = "a"
    items = factory.LazyFunction(lambda: [1])
    total = factory.LazyAttribute(lambda container: len(container.items))
    at_once = 1
    tolerated = 0

    class Meta:
        model = Container


class RepairFactory(_OfARun):
    """A step of the run's first life was stuck, and is no more."""

    life = 1
    node = "a"
    what = "no wake source"
    done = True

    class Meta:
        model = Repair
