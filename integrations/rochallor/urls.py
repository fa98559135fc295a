"""The rochallor API, below `/v1/` (R-153)."""

from django.urls import path

from integrations.rochallor.rest import converters, views

__all__ = ["converters", "v1"]

_INSTANCE = "instances/<rochallor_instance:run_id>"

v1 = [
    # What workers ask for all the time comes first.
    path("jobs/poll", views.PollView.as_view(), name="s4-jobs-poll"),
    path("jobs/complete", views.CompleteNamedJobView.as_view(), name="s4-named-job-complete"),
    path("jobs/fail", views.FailNamedJobView.as_view(), name="s4-named-job-fail"),
    path("jobs/<str:job_id>/complete", views.CompleteJobView.as_view(), name="s4-job-complete"),
    path("jobs/<str:job_id>/fail", views.FailJobView.as_view(), name="s4-job-fail"),
    path("definitions", views.DefinitionsView.as_view(), name="s4-definitions"),
    path("definitions/<rochallor_definition:name>", views.DefinitionView.as_view(), name="s4-definition"),
    path(
        "definitions/<rochallor_definition:name>/versions/<str:number>",
        views.DefinitionVersionView.as_view(),
        name="s4-definition-version",
    ),
    path("instances", views.InstancesView.as_view(), name="s4-instances"),
    path(_INSTANCE, views.InstanceView.as_view(), name="s4-instance"),
    path(f"{_INSTANCE}/history", views.HistoryView.as_view(), name="s4-history"),
    path(f"{_INSTANCE}/cancel", views.CancelView.as_view(), name="s4-cancel"),
    path(
        f"{_INSTANCE}/user-tasks/<str:node>/complete",
        views.UserTaskOfStepView.as_view(),
        name="s4-step-task",
    ),
    path(
        "user-tasks/<rochallor_instance:task_id>/complete", views.UserTaskView.as_view(), name="s4-user-task"
    ),
    path(f"{_INSTANCE}/signals/<str:node>", views.SignalView.as_view(), name="s4-signal"),
]
