"""Pages of runs, and the door of inbound webhooks."""

from django.urls import path

from runs.web import (
    calendars,
    children,
    home,
    lifecycle,
    moves,
    requests,
    saving,
    schedules,
    starting,
    step_forms,
    tabs,
    together,
    views,
    webhooks,
)
from runs.webhooks import door

urlpatterns = [
    path("", requests.front_page, name="home"),
    path("find", home.find, name="find"),
    path("hooks/<str:token>", door.receive, name="hook"),
    path("settings/webhooks", webhooks.webhook_list, name="settings-webhooks"),
    path("settings/webhooks/<uuid:webhook_id>", webhooks.webhook_page, name="settings-webhook"),
    path(
        "settings/webhooks/<uuid:webhook_id>/switch", webhooks.switch_webhook, name="settings-webhook-switch"
    ),
    path(
        "settings/webhooks/<uuid:webhook_id>/rotate", webhooks.rotate_webhook, name="settings-webhook-rotate"
    ),
    path(
        "settings/webhooks/<uuid:webhook_id>/delete", webhooks.delete_webhook, name="settings-webhook-delete"
    ),
    path("schedules/", schedules.schedule_list, name="schedules"),
    path("schedules/new", schedules.new_schedule, name="schedule-new"),
    path("schedules/preview", schedules.preview, name="schedule-preview"),
    path("schedules/<uuid:schedule_id>", schedules.schedule_page, name="schedule"),
    path("schedules/<uuid:schedule_id>/edit", schedules.edit_schedule, name="schedule-edit"),
    path("schedules/<uuid:schedule_id>/switch", schedules.switch_schedule, name="schedule-switch"),
    path("schedules/<uuid:schedule_id>/run", schedules.run_schedule, name="schedule-run"),
    path("schedules/<uuid:schedule_id>/delete", schedules.delete_schedule, name="schedule-delete"),
    path("calendars/", calendars.calendar_list, name="calendars"),
    path("calendars/new", calendars.new_calendar, name="calendar-new"),
    path("calendars/<int:calendar_id>", calendars.calendar_page, name="calendar"),
    path("calendars/<int:calendar_id>/change", calendars.change_calendar, name="calendar-change"),
    path("calendars/<int:calendar_id>/delete", calendars.delete_calendar, name="calendar-delete"),
    path("requests/", requests.requests_page, name="requests"),
    path("requests/<uuid:request_id>", requests.request_page, name="request"),
    path("requests/<uuid:request_id>/withdraw", requests.withdraw, name="request-withdraw"),
    path("runs/", views.runs_page, name="runs"),
    path("runs/counts", tabs.counts, name="runs-counts"),
    path("runs/columns", saving.columns, name="runs-columns"),
    path("runs/searches", saving.keep, name="runs-search-keep"),
    path("runs/searches/<int:view_id>", saving.change, name="runs-search-change"),
    path("runs/searches/<int:view_id>/delete", saving.delete, name="runs-search-delete"),
    path("runs/together", together.together, name="runs-together"),
    path("runs/<uuid:run_id>", views.run_page, name="run"),
    path("runs/<uuid:run_id>/children", children.children_page, name="run-children"),
    path("runs/<uuid:run_id>/preview", views.run_preview, name="run-preview"),
    path("runs/<uuid:run_id>/value", views.run_value, name="run-value"),
    path("runs/<uuid:run_id>/resume", lifecycle.resume, name="run-resume"),
    path("runs/<uuid:run_id>/resume-on", step_forms.resume_on, name="run-resume-on"),
    path("runs/<uuid:run_id>/steps/<str:node>/retry", step_forms.retry, name="step-retry"),
    path("runs/<uuid:run_id>/steps/<str:node>/skip", step_forms.skip, name="step-skip"),
    path("runs/<uuid:run_id>/steps/<str:node>/rerun", step_forms.rerun, name="step-rerun"),
    path("runs/<uuid:run_id>/cancel", lifecycle.cancel, name="run-cancel"),
    path("runs/<uuid:run_id>/pause", lifecycle.pause, name="run-pause"),
    path("runs/<uuid:run_id>/unpause", lifecycle.unpause, name="run-unpause"),
    path("runs/<uuid:run_id>/seen-to", lifecycle.seen_to, name="run-seen-to"),
    path("runs/<uuid:run_id>/signal", lifecycle.signal, name="run-signal"),
    path("runs/<uuid:run_id>/again", starting.run_again, name="run-again"),
    path("workflows/<workflow_name:name>/start", starting.workflow_start, name="workflow-start"),
    path("workflows/<workflow_name:name>/start/form", starting.fill_in, name="workflow-start-form"),
    path("workflows/<workflow_name:name>/start/draft", starting.keep, name="workflow-start-draft"),
    path("runs/<uuid:run_id>/migrate", moves.migrate, name="run-migrate"),
    path("bulk-jobs/<uuid:bulk_id>", moves.bulk_job, name="bulk-job"),
    path("bulk-jobs/<uuid:bulk_id>/go", moves.bulk_job_go, name="bulk-job-go"),
    path("workflows/<workflow_name:name>/move-runs", moves.move_runs, name="workflow-move-runs"),
    path("workflows/<workflow_name:name>/runs", views.workflow_runs, name="workflow-runs"),
]
