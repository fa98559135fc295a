"""Rows of alerts."""

import factory
from factory.django import DjangoModelFactory

from operations.alerts.models import Alert, AlertChannel, AlertDelivery
from tests.factories.accounts import OfATenant


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
