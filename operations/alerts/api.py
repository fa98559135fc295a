"""The routes of alerts, of their rules and of the channels that tell of them."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import ALERTS_MANAGE, RUNS_OPERATE
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from operations.alerts import answering, channels, rules
from operations.alerts import serializers as s
from operations.alerts.models import Alert, AlertChannel, AlertRule


def _alert(alert: Alert) -> dict[str, object]:
    return dict(s.AlertSerializer(alert).data)


def _rule(rule: AlertRule) -> dict[str, object]:
    return dict(s.AlertRuleSerializer(rule).data)


def _channels(tenant_id: int, *rows: AlertChannel) -> list[dict[str, object]]:
    last = channels.deliveries_of(tenant_id, [row.pk for row in rows])
    return [dict(s.AlertChannelSerializer(row, context={"last": last}).data) for row in rows]


class AlertsView(ApiView):
    """Alerts."""

    scopes = {"GET": RUNS_OPERATE}

    @extend_schema(parameters=[s.AlertsQuery], responses=page_schema(s.AlertSerializer))
    def get(self, request: Request) -> Response:
        """Alerts of the workflows that you may operate and of the whole tenant, newest first; admins see all."""
        params = query(s.AlertsQuery, request)
        rows = answering.alerts_for(self.principal, params.pop("status", None))
        page = keyset_page(rows, request, keys=("id",), **params)
        return Response(page.answer([_alert(row) for row in page.rows]))


class AlertView(ApiView):
    """One alert."""

    scopes = {"GET": RUNS_OPERATE}

    @extend_schema(responses=s.AlertSerializer)
    def get(self, request: Request, alert_id: int) -> Response:
        """The alert as it stands."""
        return Response(_alert(answering.get_alert(self.principal, alert_id)))


class AlertAcknowledgeView(ApiView):
    """An alert that somebody sees to."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=s.AcknowledgeAlert, responses=s.AlertSerializer)
    def post(self, request: Request, alert_id: int) -> Response:
        """Says that you are working on it: nobody else is called. 409 if it is not open."""
        payload = body(s.AcknowledgeAlert, request)
        return Response(_alert(answering.acknowledge(self.principal, alert_id, **payload)))


class AlertResolveView(ApiView):
    """An alert that is over."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=Verb, responses=s.AlertSerializer)
    def post(self, request: Request, alert_id: int) -> Response:
        """Resolves it; it also resolves by itself when its condition has ended. 409 if it is already resolved."""
        return Response(_alert(answering.resolve(self.principal, alert_id, **body(Verb, request))))


class AlertMuteView(ApiView):
    """An alert of which nobody is told for a while."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=s.MuteAlert, responses=s.AlertSerializer)
    def post(self, request: Request, alert_id: int) -> Response:
        """Mutes it: nobody is notified or called for so many seconds. 409 if it is resolved."""
        return Response(_alert(answering.mute(self.principal, alert_id, **body(s.MuteAlert, request))))


class AlertRulesView(ApiView):
    """Rules."""

    scopes = {"GET": RUNS_OPERATE, "POST": ALERTS_MANAGE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.AlertRuleSerializer))
    def get(self, request: Request) -> Response:
        """The rules that raise alerts, oldest first; the built-in ones exist from the start."""
        rows = rules.rules_for(self.principal)
        page = keyset_page(rows, request, keys=("id",), oldest_first=True, **query(PageQuery, request))
        return Response(page.answer([_rule(row) for row in page.rows]))

    @extend_schema(request=s.CreateAlertRule, responses={201: s.AlertRuleSerializer})
    def post(self, request: Request) -> Response:
        """A new rule beside the built-in ones, such as one for a single queue or workflow."""
        return Response(
            _rule(rules.create_rule(self.principal, **body(s.CreateAlertRule, request))), status=201
        )


class AlertRuleView(ApiView):
    """One rule."""

    scopes = {"GET": RUNS_OPERATE, "PATCH": ALERTS_MANAGE, "DELETE": ALERTS_MANAGE}

    @extend_schema(responses=s.AlertRuleSerializer)
    def get(self, request: Request, alert_rule_id: int) -> Response:
        """The rule."""
        return Response(_rule(rules.rule_for(self.principal, alert_rule_id)))

    @extend_schema(request=s.ChangeAlertRule, responses=s.AlertRuleSerializer)
    def patch(self, request: Request, alert_rule_id: int) -> Response:
        """Changes the given fields, and the given ones of `params`. Switching a rule off resolves its open alerts."""
        payload = body(s.ChangeAlertRule, request)
        return Response(_rule(rules.change_rule(self.principal, alert_rule_id, **payload)))

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, alert_rule_id: int) -> Response:
        """Removes the rule and its alerts. 409 for a built-in one: switch that off."""
        rules.delete_rule(self.principal, alert_rule_id, **body(Verb, request))
        return Response(status=204)


class AlertChannelsView(ApiView):
    """Channels."""

    scopes = {"GET": ALERTS_MANAGE, "POST": ALERTS_MANAGE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.AlertChannelSerializer))
    def get(self, request: Request) -> Response:
        """The channels, oldest first, each with the last message to it."""
        tenant_id = self.principal.tenant_id
        rows = channels.channels_of(tenant_id)
        page = keyset_page(rows, request, keys=("id",), oldest_first=True, **query(PageQuery, request))
        return Response(page.answer(_channels(tenant_id, *page.rows)))

    @extend_schema(request=s.CreateAlertChannel, responses={201: s.AlertChannelSerializer})
    def post(self, request: Request) -> Response:
        """A new channel; nothing is sent to it until a rule names it."""
        channel = channels.create_channel(self.principal, **body(s.CreateAlertChannel, request))
        (row,) = _channels(self.principal.tenant_id, channel)
        return Response(row, status=201)


class AlertChannelView(ApiView):
    """One channel."""

    scopes = {"GET": ALERTS_MANAGE, "PATCH": ALERTS_MANAGE, "DELETE": ALERTS_MANAGE}

    @extend_schema(responses=s.AlertChannelSerializer)
    def get(self, request: Request, alert_channel_id: int) -> Response:
        """The channel, and the result of the last message to it."""
        tenant_id = self.principal.tenant_id
        (row,) = _channels(tenant_id, channels.get_channel(tenant_id, alert_channel_id))
        return Response(row)

    @extend_schema(request=s.ChangeAlertChannel, responses=s.AlertChannelSerializer)
    def patch(self, request: Request, alert_channel_id: int) -> Response:
        """Changes the given fields; while it is off nothing is sent to it."""
        payload = body(s.ChangeAlertChannel, request)
        channel = channels.change_channel(self.principal, alert_channel_id, **payload)
        (row,) = _channels(self.principal.tenant_id, channel)
        return Response(row)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, alert_channel_id: int) -> Response:
        """Removes the channel, also from rules; waiting messages are not sent."""
        channels.delete_channel(self.principal, alert_channel_id, **body(Verb, request))
        return Response(status=204)


class AlertChannelTestView(ApiView):
    """A test of a channel."""

    scopes = {"POST": ALERTS_MANAGE}

    @extend_schema(request=Verb, responses={202: s.AlertDeliverySerializer})
    def post(self, request: Request, alert_channel_id: int) -> Response:
        """Sends one test message, like an alert; `last_message` of the channel has the result."""
        delivery = channels.send_test(self.principal, alert_channel_id, **body(Verb, request))
        return Response(dict(s.AlertDeliverySerializer(delivery).data), status=202)
