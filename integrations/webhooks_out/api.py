"""The routes of webhooks that go out."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import EDIT, WEBHOOKS_MANAGE
from integrations.webhooks_out import serializers as s
from integrations.webhooks_out import service, store
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingWebhook
from integrations.webhooks_out.service import WithSecret
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from runs.access import readable


def _shown(*webhooks: OutgoingWebhook) -> list[dict[str, object]]:
    context = {"pending": store.pending(webhook.pk for webhook in webhooks)}
    return [dict(s.OutgoingSerializer(webhook, context=context).data) for webhook in webhooks]


def _shown_once(created: WithSecret) -> dict[str, object]:
    context = {"pending": store.pending([created.webhook.pk]), "secret": created.secret}
    return dict(s.OutgoingWithSecretSerializer(created.webhook, context=context).data)


def _delivery(delivery: OutgoingDelivery) -> dict[str, object]:
    return dict(s.OutgoingDeliverySerializer(delivery).data)


class OutgoingWebhooksView(ApiView):
    """Webhooks that go out."""

    scopes = {"GET": WEBHOOKS_MANAGE, "POST": WEBHOOKS_MANAGE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.OutgoingSerializer))
    def get(self, request: Request) -> Response:
        """Outgoing webhooks of the workflows that you may edit, newest first; admins see all."""
        params = query(PageQuery, request)
        rows = readable(service.webhooks_of(self.principal.tenant_id), self.principal, EDIT)
        page = keyset_page(rows, request, keys=("id",), limit=params["limit"], cursor=params.get("cursor"))
        return Response(page.answer(_shown(*page.rows)))

    @extend_schema(request=s.CreateOutgoing, responses={201: s.OutgoingWithSecretSerializer})
    def post(self, request: Request) -> Response:
        """A new webhook, with its secret, which is shown only here; events are sent to its url from now on."""
        values = body(s.CreateOutgoing, request)
        values["events_wanted"] = values.pop("events")
        return Response(_shown_once(service.create_webhook(self.principal, **values)), status=201)


class OutgoingWebhookView(ApiView):
    """One webhook that goes out."""

    scopes = {"GET": WEBHOOKS_MANAGE, "PATCH": WEBHOOKS_MANAGE, "DELETE": WEBHOOKS_MANAGE}

    @extend_schema(responses=s.OutgoingSerializer)
    def get(self, request: Request, outgoing_id: UUID) -> Response:
        """The webhook, and its state."""
        (row,) = _shown(service.get_webhook(self.principal.tenant_id, outgoing_id))
        return Response(row)

    @extend_schema(request=s.ChangeOutgoing, responses=s.OutgoingSerializer)
    def patch(self, request: Request, outgoing_id: UUID) -> Response:
        """Changes the given fields; with `enabled: false` nothing is sent, and what waits goes on waiting."""
        payload = body(s.ChangeOutgoing, request)
        (row,) = _shown(service.change_webhook(self.principal, outgoing_id, **payload))
        return Response(row)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, outgoing_id: UUID) -> Response:
        """Removes the webhook; waiting messages are not sent."""
        service.delete_webhook(self.principal, outgoing_id, **body(Verb, request))
        return Response(status=204)


class OutgoingTestView(ApiView):
    """A test of a webhook."""

    scopes = {"POST": WEBHOOKS_MANAGE}

    @extend_schema(request=Verb, responses={202: s.OutgoingDeliverySerializer})
    def post(self, request: Request, outgoing_id: UUID) -> Response:
        """Sends an event `webhook.test`, like any other; the list of deliveries has the result."""
        delivery = service.send_test(self.principal, outgoing_id, **body(Verb, request))
        return Response(_delivery(delivery), status=202)


class OutgoingEnableView(ApiView):
    """A webhook that was switched off."""

    scopes = {"POST": WEBHOOKS_MANAGE}

    @extend_schema(request=Verb, responses=s.OutgoingSerializer)
    def post(self, request: Request, outgoing_id: UUID) -> Response:
        """Switches it on, if it is off, and tries at once what waits; `replay` sends events from the meantime."""
        (row,) = _shown(service.enable_webhook(self.principal, outgoing_id, **body(Verb, request)))
        return Response(row)


class OutgoingReplaySinceView(ApiView):
    """Events of some time that are sent again."""

    scopes = {"POST": WEBHOOKS_MANAGE}

    @extend_schema(request=s.ReplayOutgoing, responses={202: s.OutgoingSerializer})
    def post(self, request: Request, outgoing_id: UUID) -> Response:
        """Sends all events since a time again, also those that happened while it was off; ids stay as they are."""
        values = body(s.ReplayOutgoing, request)
        (row,) = _shown(service.replay_since(self.principal, outgoing_id, **values))
        return Response(row, status=202)


class OutgoingDiscardView(ApiView):
    """Events that wait and are given up."""

    scopes = {"POST": WEBHOOKS_MANAGE}

    @extend_schema(request=s.DiscardOutgoing, responses=s.DiscardedSerializer)
    def post(self, request: Request, outgoing_id: UUID) -> Response:
        """Gives up all events that wait for it."""
        values = body(s.DiscardOutgoing, request)
        del values["confirm"]
        return Response({"discarded": service.discard(self.principal, outgoing_id, **values)})


class OutgoingRotateView(ApiView):
    """A webhook's secret."""

    scopes = {"POST": WEBHOOKS_MANAGE}

    @extend_schema(request=s.RotateOutgoing, responses=s.OutgoingWithSecretSerializer)
    def post(self, request: Request, outgoing_id: UUID) -> Response:
        """A new secret, shown only here; the old ones sign, too, for `overlap_seconds` (a day)."""
        rotated = service.rotate_secret(self.principal, outgoing_id, **body(s.RotateOutgoing, request))
        return Response(_shown_once(rotated))


class OutgoingDeliveriesView(ApiView):
    """What was and is to be sent to a webhook."""

    scopes = {"GET": WEBHOOKS_MANAGE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.OutgoingDeliverySerializer))
    def get(self, request: Request, outgoing_id: UUID) -> Response:
        """Its deliveries of the last 14 days, newest first."""
        params = query(PageQuery, request)
        rows = service.deliveries_of(service.get_webhook(self.principal.tenant_id, outgoing_id))
        page = keyset_page(rows, request, keys=("id",), limit=params["limit"], cursor=params.get("cursor"))
        return Response(page.answer([_delivery(row) for row in page.rows]))


class OutgoingReplayView(ApiView):
    """A delivery that is sent once more."""

    scopes = {"POST": WEBHOOKS_MANAGE}

    @extend_schema(request=Verb, responses={202: s.OutgoingDeliverySerializer})
    def post(self, request: Request, outgoing_id: UUID, delivery_id: int) -> Response:
        """Sends the event once more, with the `webhook-id` that it had."""
        again = service.replay(self.principal, outgoing_id, delivery_id, **body(Verb, request))
        return Response(_delivery(again), status=202)
