"""The routes of webhooks, and the address that others send to."""

from django.urls import path

from triggers.webhooks import api as views
from triggers.webhooks import door, web

api = [
    path("webhooks", views.WebhooksView.as_view(), name="api-webhooks"),
    path("webhooks/<uuid:webhook_id>", views.WebhookView.as_view(), name="api-webhook"),
    path(
        "webhooks/<uuid:webhook_id>/deliveries",
        views.WebhookDeliveriesView.as_view(),
        name="api-webhook-deliveries",
    ),
    path("webhooks/<uuid:webhook_id>/rotate", views.WebhookRotateView.as_view(), name="api-webhook-rotate"),
]
pages = [
    path("hooks/<str:token>", door.receive, name="hook"),
    path("settings/webhooks", web.webhook_list, name="settings-webhooks"),
    path("settings/webhooks/<uuid:webhook_id>", web.webhook_page, name="settings-webhook"),
    path("settings/webhooks/<uuid:webhook_id>/switch", web.switch_webhook, name="settings-webhook-switch"),
    path("settings/webhooks/<uuid:webhook_id>/rotate", web.rotate_webhook, name="settings-webhook-rotate"),
    path("settings/webhooks/<uuid:webhook_id>/delete", web.delete_webhook, name="settings-webhook-delete"),
]
