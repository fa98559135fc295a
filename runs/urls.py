"""Pages of runs."""

from django.urls import path

from runs import home, views

urlpatterns = [
    path("", home.home_page, name="home"),
    path("find", home.find, name="find"),
    path("runs/", views.runs_page, name="runs"),
    path("runs/<uuid:run_id>", views.run_page, name="run"),
]
