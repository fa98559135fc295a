"""The runs' routes, below `/api/v1/`."""

from django.urls import path

import workflows.api.converters  # noqa: F401  (registers `workflow_name`)
from runs.api import (
    attempts,
    calendars,
    comparisons,
    files,
    jobs,
    letters,
    moves,
    operators,
    requests,
    run_ids,
    run_items,
    run_lists,
    runs,
    signals,
    step_logs,
    timers,
    trials,
    workers,
)

# `run_ids` registers the converter `run`.
__all__ = ["run_ids", "urlpatterns"]

urlpatterns = [
    # Tried one after another: what programs ask for all the time comes first.
    path("runs", runs.RunsView.as_view(), name="api-runs"),
    path("runs/<run:run_id>", runs.RunView.as_view(), name="api-run"),
    path("runs/<run:run_id>/signals", signals.RunSignalsView.as_view(), name="api-run-signals"),
    path("jobs/claim", jobs.JobsClaimView.as_view(), name="api-jobs-claim"),
    path("jobs/complete", jobs.JobsCompleteView.as_view(), name="api-jobs-complete"),
    path("jobs/fail", jobs.JobsFailView.as_view(), name="api-jobs-fail"),
    path("jobs/heartbeat", jobs.JobsHeartbeatView.as_view(), name="api-jobs-heartbeat"),
    path("jobs/poll", jobs.JobsPollView.as_view(), name="api-jobs-poll"),
    path("jobs/<uuid:job_id>/complete", jobs.JobCompleteView.as_view(), name="api-job-complete"),
    path("jobs/<uuid:job_id>/fail", jobs.JobFailView.as_view(), name="api-job-fail"),
    path("jobs/<uuid:job_id>/heartbeat", jobs.JobHeartbeatView.as_view(), name="api-job-heartbeat"),
    path("jobs/<uuid:job_id>/release", jobs.JobReleaseView.as_view(), name="api-job-release"),
    path("workflows/<workflow_name:name>/trials", trials.TrialsView.as_view(), name="api-workflow-trials"),
    path(
        "workflows/<workflow_name:name>/test-cases/record",
        trials.RecordCaseView.as_view(),
        name="api-workflow-test-cases-record",
    ),
    path("runs/<run:run_id>/migrate", moves.RunMigrateView.as_view(), name="api-run-migrate"),
    path("files", files.FilesView.as_view(), name="api-files"),
    path("files/<uuid:upload_id>/content", files.FileContentView.as_view(), name="api-file-content"),
    path("runs/<run:run_id>/files/<uuid:file_id>", files.RunFileView.as_view(), name="api-run-file"),
    path(
        "requests/<run:request_id>/files/<uuid:file_id>",
        files.RequestFileView.as_view(),
        name="api-request-file",
    ),
    path("runs/bulk", run_lists.RunsBulkView.as_view(), name="api-runs-bulk"),
    path("run-searches", run_lists.RunSearchesView.as_view(), name="api-run-searches"),
    path("run-searches/<int:view_id>", run_lists.RunSearchView.as_view(), name="api-run-search"),
    path("runs/batch", runs.RunBatchView.as_view(), name="api-runs-batch"),
    path("runs/<run:run_id>/steps", runs.RunStepsView.as_view(), name="api-run-steps"),
    path("runs/<run:run_id>/attempts", attempts.RunAttemptsView.as_view(), name="api-run-attempts"),
    path("runs/<run:run_id>/history", runs.RunHistoryView.as_view(), name="api-run-history"),
    path("runs/<run:run_id>/children", runs.RunChildrenView.as_view(), name="api-run-children"),
    path(
        "runs/<run:run_id>/compare/<run:other_id>",
        comparisons.RunCompareView.as_view(),
        name="api-run-compare",
    ),
    path("runs/<run:run_id>/items", run_items.RunItemsView.as_view(), name="api-run-items"),
    path("runs/<run:run_id>/cancel", runs.RunCancelView.as_view(), name="api-run-cancel"),
    path("runs/<run:run_id>/resume", operators.RunResumeView.as_view(), name="api-run-resume"),
    path("runs/<run:run_id>/rerun", operators.RunRerunView.as_view(), name="api-run-rerun"),
    path(
        "runs/<run:run_id>/steps/<str:node>/retry", operators.StepRetryView.as_view(), name="api-step-retry"
    ),
    path("runs/<run:run_id>/steps/<str:node>/logs", step_logs.StepLogsView.as_view(), name="api-step-logs"),
    path("runs/<run:run_id>/steps/<str:node>/skip", operators.StepSkipView.as_view(), name="api-step-skip"),
    path(
        "runs/<run:run_id>/steps/<str:node>/cancel",
        operators.StepCancelView.as_view(),
        name="api-step-cancel",
    ),
    path(
        "runs/<run:run_id>/steps/<str:node>/pause", operators.StepPauseView.as_view(), name="api-step-pause"
    ),
    path(
        "runs/<run:run_id>/steps/<str:node>/unpause",
        operators.StepUnpauseView.as_view(),
        name="api-step-unpause",
    ),
    path(
        "runs/<run:run_id>/steps/<str:node>/resume",
        operators.StepResumeView.as_view(),
        name="api-step-resume",
    ),
    path("signals", signals.SignalsView.as_view(), name="api-signals"),
    path("signals/broadcast", signals.BroadcastView.as_view(), name="api-signals-broadcast"),
    path("calendars", calendars.CalendarsView.as_view(), name="api-calendars"),
    path("calendars/<str:calendar>", calendars.CalendarView.as_view(), name="api-calendar"),
    path("calendars/<str:calendar>/uses", calendars.CalendarUsesView.as_view(), name="api-calendar-uses"),
    path(
        "calendars/<str:calendar>/preview",
        calendars.CalendarPreviewView.as_view(),
        name="api-calendar-preview",
    ),
    path("calendars/<str:calendar>/days", calendars.CalendarDaysView.as_view(), name="api-calendar-days"),
    path("runs/<run:run_id>/pause", runs.RunPauseView.as_view(), name="api-run-pause"),
    path("runs/<run:run_id>/unpause", runs.RunUnpauseView.as_view(), name="api-run-unpause"),
    path("requests", requests.RequestsView.as_view(), name="api-requests"),
    path("requests/catalogue", requests.CatalogueView.as_view(), name="api-requests-catalogue"),
    path("requests/<run:request_id>", requests.RequestView.as_view(), name="api-request"),
    path(
        "requests/<run:request_id>/remind",
        requests.RequestRemindView.as_view(),
        name="api-request-remind",
    ),
    path(
        "requests/<run:request_id>/withdraw",
        requests.RequestWithdrawView.as_view(),
        name="api-request-withdraw",
    ),
    path("dead-letters", letters.DeadLettersView.as_view(), name="api-dead-letters"),
    path("dead-letters/discard", letters.DeadLettersDiscardView.as_view(), name="api-dead-letters-discard"),
    path("dead-letters/redrive", letters.DeadLettersRedriveView.as_view(), name="api-dead-letters-redrive"),
    path(
        "dead-letters/<uuid:letter_id>/redrive",
        letters.DeadLetterRedriveView.as_view(),
        name="api-dead-letter-redrive",
    ),
    path(
        "dead-letters/<uuid:letter_id>/discard",
        letters.DeadLetterDiscardView.as_view(),
        name="api-dead-letter-discard",
    ),
    path("timers", timers.TimersView.as_view(), name="api-timers"),
    path("workers", workers.WorkersView.as_view(), name="api-workers"),
]
