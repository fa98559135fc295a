"""The routes of the pipeline form."""

from django.urls import path

import workflows.api.converters  # noqa: F401  (registers `workflow_name`)
from workflows.pipeline import web

urlpatterns = [
    path("workflows/new", web.new_page, name="workflow-new"),
    path("workflows/<workflow_name:name>/pipeline", web.edit_page, name="workflow-pipeline"),
]
