"""The routes of webhooks that go out."""

from django.urls import path

from integrations.webhooks_out import api as views
from integrations.webhooks_out import backlog, web

api = [
    path("webhooks/out", views.OutgoingWebhooksView.as_view(), name="api-outgoing-webhooks"),
    path(
        "webhooks/out/<uuid:outgoing_id>",
        views.OutgoingWebhookView.as_view(),
        name="api-outgoing-webhook",
    ),
    path(
        "webhooks/out/<uuid:outgoing_id>/test",
        views.OutgoingTestView.as_view(),
        name="api-outgoing-webhook-test",
    ),
    path(
        "webhooks/out/<uuid:outgoing_id>/enable",
        views.OutgoingEnableView.as_view(),
        name="api-outgoing-webhook-enable",
    ),
    path(
        "webhooks/out/<uuid:outgoing_id>/replay",
        views.OutgoingReplaySinceView.as_view(),
        name="api-outgoing-webhook-replay-since",
    ),
    path(
        "webhooks/out/<uuid:outgoing_id>/discard",
        views.OutgoingDiscardView.as_view(),
        name="api-outgoing-webhook-discard",
    ),
    path(
        "webhooks/out/<uuid:outgoing_id>/rotate",
        views.OutgoingRotateView.as_view(),
        name="api-outgoing-webhook-rotate",
    ),
    path(
        "webhooks/out/<uuid:outgoing_id>/deliveries",
        views.OutgoingDeliveriesView.as_view(),
        name="api-outgoing-webhook-deliveries",
    ),
    path(
        "webhooks/out/<uuid:outgoing_id>/deliveries/<int:delivery_id>/replay",
        views.OutgoingReplayView.as_view(),
        name="api-outgoing-webhook-replay",
    ),
]
pages = [
    path("settings/webhooks/out", web.outgoing_list, name="settings-outgoing-webhooks"),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>",
        web.outgoing_page,
        name="settings-outgoing-webhook",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/edit",
        web.edit_outgoing,
        name="settings-outgoing-webhook-edit",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/test",
        web.test_outgoing,
        name="settings-outgoing-webhook-test",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/switch",
        web.switch_outgoing,
        name="settings-outgoing-webhook-switch",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/replay",
        backlog.replay_outgoing_since,
        name="settings-outgoing-webhook-replay-since",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/discard",
        backlog.discard_outgoing,
        name="settings-outgoing-webhook-discard",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/rotate",
        web.rotate_outgoing,
        name="settings-outgoing-webhook-rotate",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/delete",
        web.delete_outgoing,
        name="settings-outgoing-webhook-delete",
    ),
    path(
        "settings/webhooks/out/<uuid:outgoing_id>/deliveries/<int:delivery_id>/replay",
        web.replay_outgoing,
        name="settings-outgoing-webhook-replay",
    ),
]
