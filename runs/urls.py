"""Pages of runs, and the door of inbound webhooks."""

from django.urls import path

from runs import home, hooks, mending, verbs, views

urlpatterns = [
    path("", home.home_page, name="home"),
    path("find", home.find, name="find"),
    path("hooks/<str:token>", hooks.receive, name="hook"),
    path("runs/", views.runs_page, name="runs"),
    path("runs/<uuid:run_id>", views.run_page, name="run"),
    path("runs/<uuid:run_id>/value", views.run_value, name="run-value"),
    path("runs/<uuid:run_id>/resume", verbs.resume, name="run-resume"),
    path("runs/<uuid:run_id>/resume-on", mending.resume_on, name="run-resume-on"),
    path("runs/<uuid:run_id>/steps/<str:node>/retry", mending.retry, name="step-retry"),
    path("runs/<uuid:run_id>/steps/<str:node>/skip", mending.skip, name="step-skip"),
    path("runs/<uuid:run_id>/steps/<str:node>/rerun", mending.rerun, name="step-rerun"),
    path("runs/<uuid:run_id>/cancel", verbs.cancel, name="run-cancel"),
    path("runs/<uuid:run_id>/pause", verbs.pause, name="run-pause"),
    path("runs/<uuid:run_id>/unpause", verbs.unpause, name="run-unpause"),
    path("runs/<uuid:run_id>/seen-to", verbs.seen_to, name="run-seen-to"),
    path("runs/<uuid:run_id>/signal", verbs.signal, name="run-signal"),
    path("runs/<uuid:run_id>/again", verbs.run_again, name="run-again"),
    path("workflows/<workflow_name:name>/start", verbs.workflow_start, name="workflow-start"),
    path("workflows/<workflow_name:name>/runs", views.workflow_runs, name="workflow-runs"),
]
