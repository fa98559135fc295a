"""The routes of bulk jobs."""

from django.urls import path

import workflows.api.converters  # noqa: F401  (registers `workflow_name`)
from operations.bulk import api as views
from operations.bulk import letter_pages, moving, selected, task_api, task_pages, web

api = [
    path(
        "workflows/<workflow_name:name>/migrate",
        views.WorkflowMigrateView.as_view(),
        name="api-workflow-migrate",
    ),
    path("bulk-jobs", views.BulkJobsView.as_view(), name="api-bulk-jobs"),
    path("bulk-jobs/<uuid:bulk_id>/cancel", views.BulkJobCancelView.as_view(), name="api-bulk-job-cancel"),
    path("bulk-jobs/<uuid:bulk_id>", views.BulkJobView.as_view(), name="api-bulk-job"),
    path("tasks/bulk-jobs", task_api.TaskBulkJobsView.as_view(), name="api-task-bulk-jobs"),
    path(
        "tasks/bulk-jobs/<uuid:bulk_id>/cancel",
        task_api.TaskBulkJobCancelView.as_view(),
        name="api-task-bulk-job-cancel",
    ),
    path(
        "tasks/bulk-jobs/<uuid:bulk_id>/go", task_api.TaskBulkJobGoView.as_view(), name="api-task-bulk-job-go"
    ),
    path("tasks/bulk-jobs/<uuid:bulk_id>", task_api.TaskBulkJobView.as_view(), name="api-task-bulk-job"),
]
pages = [
    path("runs/together", selected.together, name="runs-together"),
    path("bulk-jobs", web.job_list, name="bulk-jobs"),
    path("bulk-jobs/<uuid:bulk_id>", web.bulk_job, name="bulk-job"),
    path("bulk-jobs/<uuid:bulk_id>/stop", web.stop_job, name="bulk-job-stop"),
    path("bulk-jobs/<uuid:bulk_id>/go", web.execute, name="bulk-job-go"),
    path("operations/dead-letters/together", letter_pages.together, name="letters-together"),
    path("inbox/matching", task_pages.matching, name="tasks-matching"),
    path("inbox/bulk-jobs/<uuid:bulk_id>", web.task_job, name="task-bulk-job"),
    path("inbox/bulk-jobs/<uuid:bulk_id>/stop", web.stop_tasks, name="task-bulk-job-stop"),
    path("inbox/bulk-jobs/<uuid:bulk_id>/go", web.execute_tasks, name="task-bulk-job-go"),
    path("workflows/<workflow_name:name>/move-runs", moving.move_runs, name="workflow-move-runs"),
]
