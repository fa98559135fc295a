"""The routes of bulk jobs."""

from django.urls import path

import workflows.api.converters  # noqa: F401  (registers `workflow_name`)
from operations.bulk import api as views
from operations.bulk import moving, selected, web

api = [
    path(
        "workflows/<workflow_name:name>/migrate",
        views.WorkflowMigrateView.as_view(),
        name="api-workflow-migrate",
    ),
    path("bulk-jobs", views.BulkJobsView.as_view(), name="api-bulk-jobs"),
    path("bulk-jobs/<uuid:bulk_id>/cancel", views.BulkJobCancelView.as_view(), name="api-bulk-job-cancel"),
    path("bulk-jobs/<uuid:bulk_id>", views.BulkJobView.as_view(), name="api-bulk-job"),
]
pages = [
    path("runs/together", selected.together, name="runs-together"),
    path("bulk-jobs", web.job_list, name="bulk-jobs"),
    path("bulk-jobs/<uuid:bulk_id>", web.bulk_job, name="bulk-job"),
    path("bulk-jobs/<uuid:bulk_id>/stop", web.stop_job, name="bulk-job-stop"),
    path("bulk-jobs/<uuid:bulk_id>/go", web.execute, name="bulk-job-go"),
    path("workflows/<workflow_name:name>/move-runs", moving.move_runs, name="workflow-move-runs"),
]
