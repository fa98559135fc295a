"""The routes of dispatch and queues."""

from django.urls import path

from operations.dispatch import api as views
from operations.dispatch import web
from operations.dispatch.consumers import QueuesConsumer

api = [
    path("dispatch", views.DispatchView.as_view(), name="api-dispatch"),
    path("queues", views.QueuesView.as_view(), name="api-queues"),
    path("queues/<str:queue>/items", views.QueueItemsView.as_view(), name="api-queue-items"),
]
sockets = [path("ws/queues", QueuesConsumer.as_asgi(), name="ws-queues")]
pages = [
    path("operations/", web.queue_list, name="operations"),
    path("operations/dispatch", web.dispatch_page, name="operations-dispatch"),
]
