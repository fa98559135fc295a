"""The routes of tasks, below `/api/v1/`."""

from django.urls import path

import runs.api.run_ids  # noqa: F401  (registers `run`)
from tasks_inbox.api import away, building, bulk, filling, leaving, rounds, saved, tasks

urlpatterns = [
    path(
        "workflows/<workflow_name:name>/deciders",
        building.DecidersView.as_view(),
        name="api-workflow-deciders",
    ),
    path("members/<str:username>/hand-over", leaving.HandOverView.as_view(), name="api-member-hand-over"),
    path("away", away.AwayRulesView.as_view(), name="api-away-rules"),
    path("away/<int:rule_id>", away.AwayRuleView.as_view(), name="api-away-rule"),
    path("runs/<run:run_id>/evidence", tasks.RunEvidenceView.as_view(), name="api-run-evidence"),
    path("inbox-views", saved.InboxViewsView.as_view(), name="api-inbox-views"),
    path("inbox-views/<int:view_id>", saved.InboxViewView.as_view(), name="api-inbox-view"),
    path("tasks", tasks.TasksView.as_view(), name="api-tasks"),
    path("tasks/bulk", bulk.TasksBulkView.as_view(), name="api-tasks-bulk"),
    path("tasks/counts", tasks.TaskCountsView.as_view(), name="api-task-counts"),
    path("tasks/<uuid:task_id>/snooze", tasks.TaskSnoozeView.as_view(), name="api-task-snooze"),
    path("tasks/<uuid:task_id>/watch", tasks.TaskWatchView.as_view(), name="api-task-watch"),
    path("tasks/<uuid:task_id>/unwatch", tasks.TaskUnwatchView.as_view(), name="api-task-unwatch"),
    path("tasks/<uuid:task_id>", tasks.TaskView.as_view(), name="api-task"),
    path("tasks/<uuid:task_id>/claim", tasks.TaskClaimView.as_view(), name="api-task-claim"),
    path("tasks/<uuid:task_id>/unclaim", tasks.TaskUnclaimView.as_view(), name="api-task-unclaim"),
    path("tasks/<uuid:task_id>/assign", tasks.TaskAssignView.as_view(), name="api-task-assign"),
    path("tasks/<uuid:task_id>/delegate", tasks.TaskDelegateView.as_view(), name="api-task-delegate"),
    path("tasks/<uuid:task_id>/comments", tasks.TaskCommentsView.as_view(), name="api-task-comments"),
    path("tasks/<uuid:task_id>/ask", tasks.TaskAskView.as_view(), name="api-task-ask"),
    path("tasks/<uuid:task_id>/answer", tasks.TaskAnswerView.as_view(), name="api-task-answer"),
    path("tasks/<uuid:task_id>/undo", tasks.TaskUndoView.as_view(), name="api-task-undo"),
    path("tasks/<uuid:task_id>/escalate", rounds.TaskEscalateView.as_view(), name="api-task-escalate"),
    path("tasks/<uuid:task_id>/return", rounds.TaskReturnView.as_view(), name="api-task-return"),
    path("tasks/<uuid:task_id>/resubmit", rounds.TaskResubmitView.as_view(), name="api-task-resubmit"),
    path("tasks/<uuid:task_id>/files", filling.TaskFilesView.as_view(), name="api-task-files"),
    path("tasks/<uuid:task_id>/files/<uuid:file_id>", filling.TaskFileView.as_view(), name="api-task-file"),
    path("tasks/<uuid:task_id>/draft", filling.TaskDraftView.as_view(), name="api-task-draft"),
    path("tasks/<uuid:task_id>/complete", tasks.TaskCompleteView.as_view(), name="api-task-complete"),
    path("tasks/<uuid:task_id>/resolve", tasks.TaskResolveView.as_view(), name="api-task-resolve"),
]
