"""Pages of runs."""

from django.urls import path

from runs import views

urlpatterns = [
    path("", views.runs_page, name="home"),
    path("runs/", views.runs_page, name="runs"),
    path("runs/<uuid:run_id>", views.run_page, name="run"),
]
