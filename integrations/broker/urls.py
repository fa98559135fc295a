"""The routes about a broker."""

from django.urls import path

from integrations.broker import api as views
from integrations.broker import web

api = [path("dispatch/retry", views.DispatchRetryView.as_view(), name="api-dispatch-retry")]
pages = [path("operations/dispatch/retry", web.retry_asides, name="operations-dispatch-retry")]
