"""The routes of inbound webhooks."""

from uuid import UUID

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import EDIT, WEBHOOKS_MANAGE
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from runs.access import readable
from triggers.webhooks import received, refused, service
from triggers.webhooks import serializers as s
from triggers.webhooks.models import InboundWebhook
from triggers.webhooks.service import WithSecret


class _WebhooksApiView(ApiView):
    def url_of(self, webhook: InboundWebhook) -> str | None:
        """The webhook's address, on the host by which the API was called."""
        token = service.token_of(webhook)
        return token and self.request.build_absolute_uri(reverse("hook", args=[token]))

    def shown(self, webhook: InboundWebhook) -> dict[str, object]:
        """A webhook as it is shown."""
        return dict(s.WebhookSerializer(webhook, context={"url_of": self.url_of}).data)

    def shown_once(self, created: WithSecret) -> dict[str, object]:
        """A webhook with its new secret."""
        context = {"url_of": self.url_of, "secret": created.secret}
        return dict(s.WebhookWithSecretSerializer(created.webhook, context=context).data)


class WebhooksView(_WebhooksApiView):
    """Webhooks."""

    scopes = {"GET": WEBHOOKS_MANAGE, "POST": WEBHOOKS_MANAGE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.WebhookSerializer))
    def get(self, request: Request) -> Response:
        """The tenant's webhooks, newest first."""
        params = query(PageQuery, request)
        rows = readable(service.webhooks_of(self.principal.tenant_id), self.principal, EDIT)
        page = keyset_page(rows, request, keys=("id",), limit=params["limit"], cursor=params.get("cursor"))
        return Response(page.answer([self.shown(webhook) for webhook in page.rows]))

    @extend_schema(request=s.CreateWebhook, responses={201: s.WebhookWithSecretSerializer})
    def post(self, request: Request) -> Response:
        """A new webhook, with its address and its secret: the secret is shown only here."""
        created = service.create_webhook(self.principal, **body(s.CreateWebhook, request))
        return Response(self.shown_once(created), status=201)


class WebhookView(_WebhooksApiView):
    """One webhook."""

    scopes = {"GET": WEBHOOKS_MANAGE, "PATCH": WEBHOOKS_MANAGE, "DELETE": WEBHOOKS_MANAGE}

    @extend_schema(responses=s.WebhookSerializer)
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """The webhook."""
        return Response(self.shown(service.get_webhook(self.principal.tenant_id, webhook_id)))

    @extend_schema(request=s.ChangeWebhook, responses=s.WebhookSerializer)
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        """Changes the given fields; with `enabled: false` its messages are answered with 410."""
        payload = body(s.ChangeWebhook, request)
        return Response(self.shown(service.change_webhook(self.principal, webhook_id, **payload)))

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        """Removes the webhook; its address never comes back."""
        service.delete_webhook(self.principal, webhook_id, **body(Verb, request))
        return Response(status=204)


class WebhookDeliveriesView(_WebhooksApiView):
    """What came of a webhook's messages."""

    scopes = {"GET": WEBHOOKS_MANAGE}

    @extend_schema(responses=s.DeliveriesSerializer)
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """What its last messages did, for runs that you may read, and why others were refused; newest first."""
        webhook = service.get_webhook(self.principal.tenant_id, webhook_id)
        (lately,) = refused.lately([bytes(webhook.token_sha256)])
        effects = received.effects_of(self.principal, webhook)
        return Response(s.DeliveriesSerializer({"taken": effects, "refused": lately}).data)


class WebhookRotateView(_WebhooksApiView):
    """A webhook's secret."""

    scopes = {"POST": WEBHOOKS_MANAGE}

    @extend_schema(request=s.RotateSecret, responses=s.WebhookWithSecretSerializer)
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """A new secret, shown only here; the old ones stay valid for `overlap_seconds` more (a day)."""
        rotated = service.rotate_secret(self.principal, webhook_id, **body(s.RotateSecret, request))
        return Response(self.shown_once(rotated))
