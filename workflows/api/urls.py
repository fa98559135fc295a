"""The workflows' routes, below `/api/v1/`."""

from django.urls import path, register_converter

from workflows.api import views
from workflows.api.converters import WorkflowName

register_converter(WorkflowName, "workflow_name")

urlpatterns = [
    path("workflows", views.WorkflowsView.as_view(), name="api-workflows"),
    path("workflows/validate", views.ValidateView.as_view(), name="api-workflows-validate"),
    path("workflows/import", views.ImportView.as_view(), name="api-workflows-import"),
    path("workflows/<workflow_name:name>", views.WorkflowView.as_view(), name="api-workflow"),
    path("workflows/<workflow_name:name>/export", views.ExportView.as_view(), name="api-workflow-export"),
    path("workflows/<workflow_name:name>/draft", views.DraftView.as_view(), name="api-workflow-draft"),
    path("workflows/<workflow_name:name>/publish", views.PublishView.as_view(), name="api-workflow-publish"),
    path(
        "workflows/<workflow_name:name>/versions", views.VersionsView.as_view(), name="api-workflow-versions"
    ),
    path(
        "workflows/<workflow_name:name>/versions/<int:number>",
        views.VersionView.as_view(),
        name="api-workflow-version",
    ),
]
