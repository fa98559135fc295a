"""The routes of schedules."""

from django.urls import path

from triggers.schedules import api as views
from triggers.schedules import web

api = [
    path("schedules", views.SchedulesView.as_view(), name="api-schedules"),
    path("schedules/<str:schedule>", views.ScheduleView.as_view(), name="api-schedule"),
    path("schedules/<str:schedule>/next", views.ScheduleNextView.as_view(), name="api-schedule-next"),
    path("schedules/<str:schedule>/run", views.ScheduleRunView.as_view(), name="api-schedule-run"),
    path(
        "schedules/<str:schedule>/history",
        views.ScheduleHistoryView.as_view(),
        name="api-schedule-history",
    ),
]
pages = [
    path("schedules/", web.schedule_list, name="schedules"),
    path("schedules/new", web.new_schedule, name="schedule-new"),
    path("schedules/preview", web.preview, name="schedule-preview"),
    path("schedules/<uuid:schedule_id>", web.schedule_page, name="schedule"),
    path("schedules/<uuid:schedule_id>/edit", web.edit_schedule, name="schedule-edit"),
    path("schedules/<uuid:schedule_id>/switch", web.switch_schedule, name="schedule-switch"),
    path("schedules/<uuid:schedule_id>/run", web.run_schedule, name="schedule-run"),
    path("schedules/<uuid:schedule_id>/delete", web.delete_schedule, name="schedule-delete"),
]
