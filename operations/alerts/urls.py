"""The routes of alerts, their rules and their channels."""

from django.urls import path

from operations.alerts import api as views
from operations.alerts import channel_pages, rule_pages, web
from operations.alerts.consumers import AlertsConsumer

api = [
    path("alerts", views.AlertsView.as_view(), name="api-alerts"),
    path("alerts/<int:alert_id>", views.AlertView.as_view(), name="api-alert"),
    path(
        "alerts/<int:alert_id>/acknowledge",
        views.AlertAcknowledgeView.as_view(),
        name="api-alert-acknowledge",
    ),
    path("alerts/<int:alert_id>/resolve", views.AlertResolveView.as_view(), name="api-alert-resolve"),
    path("alerts/<int:alert_id>/mute", views.AlertMuteView.as_view(), name="api-alert-mute"),
    path("alert-rules", views.AlertRulesView.as_view(), name="api-alert-rules"),
    path("alert-rules/<int:alert_rule_id>", views.AlertRuleView.as_view(), name="api-alert-rule"),
    path("alert-channels", views.AlertChannelsView.as_view(), name="api-alert-channels"),
    path("alert-channels/<int:alert_channel_id>", views.AlertChannelView.as_view(), name="api-alert-channel"),
    path(
        "alert-channels/<int:alert_channel_id>/test",
        views.AlertChannelTestView.as_view(),
        name="api-alert-channel-test",
    ),
]
sockets = [path("ws/alerts", AlertsConsumer.as_asgi(), name="ws-alerts")]
pages = [
    path("operations/alerts", web.alert_list, name="operations-alerts"),
    path("operations/alerts/count", web.alert_count, name="operations-alert-count"),
    path("operations/alerts/<int:alert_id>", web.alert_page, name="operations-alert"),
    path(
        "operations/alerts/<int:alert_id>/acknowledge",
        web.acknowledge,
        name="operations-alert-acknowledge",
    ),
    path("operations/alerts/<int:alert_id>/resolve", web.resolve, name="operations-alert-resolve"),
    path("operations/alerts/<int:alert_id>/mute", web.mute, name="operations-alert-mute"),
    path("operations/alerts/rules", rule_pages.rule_list, name="operations-alert-rules"),
    path("operations/alerts/rules/new", rule_pages.new_rule, name="operations-alert-rule-new"),
    path("operations/alerts/rules/<int:alert_rule_id>", rule_pages.rule_page, name="operations-alert-rule"),
    path(
        "operations/alerts/rules/<int:alert_rule_id>/delete",
        rule_pages.delete_rule,
        name="operations-alert-rule-delete",
    ),
    path("operations/alerts/channels", channel_pages.channel_list, name="operations-alert-channels"),
    path(
        "operations/alerts/channels/<int:alert_channel_id>",
        channel_pages.channel_page,
        name="operations-alert-channel",
    ),
    path(
        "operations/alerts/channels/<int:alert_channel_id>/test",
        channel_pages.test_channel,
        name="operations-alert-channel-test",
    ),
    path(
        "operations/alerts/channels/<int:alert_channel_id>/switch",
        channel_pages.switch_channel,
        name="operations-alert-channel-switch",
    ),
    path(
        "operations/alerts/channels/<int:alert_channel_id>/delete",
        channel_pages.delete_channel,
        name="operations-alert-channel-delete",
    ),
]
