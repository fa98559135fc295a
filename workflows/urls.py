"""Pages of workflows."""

from django.urls import path

from workflows import views

urlpatterns = [
    path("workflows/", views.workflows_page, name="workflows"),
    path("workflows/new", views.new_page, name="workflow-new"),
    path("workflows/<workflow_name:name>/", views.workflow_page, name="workflow"),
]
