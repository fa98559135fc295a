"""Rows of alerts."""

from uuid import uuid4

import factory
from factory.django import DjangoModelFactory

from operations.alerts.models import Alert, AlertChannel, AlertDelivery
from runs.models import DispatchLeader, DispatchOutbox
from tests.factories.accounts import OfATenant
from triggers.schedules.models import ScheduleEntry


class AlertFactory(DjangoModelFactory[Alert]):
    """An open alert of a rule, which is to be given."""

    tenant_id = factory.SelfAttribute("rule.tenant_id")
    kind = factory.SelfAttribute("rule.kind")
    key = factory.Sequence(str)
    severity = "warning"
    subject = "Something is wrong"
    message = "It is."

    class Meta:
        model = Alert


class AlertChannelFactory(OfATenant):
    """A channel whose address is of no use."""

    kind = "mail"
    name = "on call"
    sealed = b""
    shown = "a@b.example"
    made_by = "ann"

    class Meta:
        model = AlertChannel


class AlertDeliveryFactory(OfATenant):
    """What a channel is to be told of an alert; both are to be given."""

    event = "raised"

    class Meta:
        model = AlertDelivery


class ScheduleEntryFactory(DjangoModelFactory[ScheduleEntry]):
    """What a schedule did at a due time; both are to be given."""

    tenant_id = factory.SelfAttribute("schedule.tenant_id")
    last_due_at = factory.SelfAttribute("due_at")
    done_at = factory.SelfAttribute("due_at")
    status = "SKIPPED"

    class Meta:
        model = ScheduleEntry


class DispatchOutboxFactory(OfATenant):
    """A job that waits to be announced; its run and when it is due are to be given."""

    step_id = factory.LazyFunction(uuid4)
    queue = "card"
    epoch = 1

    class Meta:
        model = DispatchOutbox


class DispatchLeaderFactory(DjangoModelFactory[DispatchLeader]):
    """A relay that leads; until when is to be given."""

    name = "relay"
    holder = "one"
    epoch = 1

    class Meta:
        model = DispatchLeader
