"""Rows of webhooks that go out."""

from integrations.webhooks_out.models import OutgoingDelivery
from tests.factories.runs import OfATenant


class OutgoingDeliveryFactory(OfATenant):
    """What a webhook is to be told; both are to be given."""

    class Meta:
        model = OutgoingDelivery
