"""The routes below `/v1/`."""

from django.urls import path

from integrations.orchestration import converters, views

__all__ = ["converters", "v1"]

v1 = [
    path("workflows", views.WorkflowExecutionsView.as_view(), name="v1-workflows"),
    path("workflows/<execution:run_id>", views.WorkflowExecutionView.as_view(), name="v1-workflow"),
    path(
        "workflows/<execution:run_id>/signals",
        views.WorkflowExecutionSignalsView.as_view(),
        name="v1-workflow-signals",
    ),
    path("activities/poll", views.ActivityPollView.as_view(), name="v1-activities-poll"),
    path("activities/complete", views.ActivityCompleteView.as_view(), name="v1-activities-complete"),
    path("activities/fail", views.ActivityFailView.as_view(), name="v1-activities-fail"),
    path("activities/heartbeat", views.ActivityHeartbeatView.as_view(), name="v1-activities-heartbeat"),
]
