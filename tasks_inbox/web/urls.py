"""Pages of the inbox."""

from django.urls import path

from tasks_inbox.web import absences, bulk_actions, kept, leaving, opening, views

urlpatterns = [
    path("settings/away", absences.away_list, name="settings-away"),
    path("settings/away/add", absences.away_add, name="settings-away-add"),
    path("settings/away/<int:rule_id>/end", absences.away_end, name="settings-away-end"),
    path("settings/members/<str:username>/hand-over", leaving.hand_over, name="settings-member-hand-over"),
    path("inbox/", views.inbox, name="inbox"),
    path("inbox/bulk", bulk_actions.review, name="inbox-bulk"),
    path("inbox/bulk/do", bulk_actions.do, name="inbox-bulk-do"),
    path("inbox/views", kept.views, name="inbox-views"),
    path("inbox/views/add", kept.add, name="inbox-view-add"),
    path("inbox/views/<int:view_id>/change", kept.change, name="inbox-view-change"),
    path("inbox/views/<int:view_id>/delete", kept.delete, name="inbox-view-delete"),
    path("inbox/open/<str:token>", opening.open_link, name="inbox-open"),
    path("inbox/held", views.held, name="inbox-held"),
    path("inbox/<uuid:task_id>/undo", views.undo, name="task-undo"),
    path("inbox/<uuid:task_id>", views.task_page, name="task"),
    path("inbox/<uuid:task_id>/state", views.task_state, name="task-state"),
    path("inbox/<uuid:task_id>/snooze", views.snooze, name="task-snooze"),
    path("inbox/<uuid:task_id>/watch", views.watch, name="task-watch"),
    path("inbox/<uuid:task_id>/decide", views.decide, name="task-decide"),
    path("inbox/<uuid:task_id>/draft", views.keep, name="task-draft"),
    path("inbox/<uuid:task_id>/files", views.attach, name="task-attach"),
    path("inbox/<uuid:task_id>/files/<uuid:file_id>/take-back", views.take_back, name="task-take-back"),
    path("inbox/<uuid:task_id>/form", views.fill_in, name="task-form"),
    path("inbox/<uuid:task_id>/resolve", views.resolve, name="task-resolve"),
    path("inbox/<uuid:task_id>/comment", views.comment, name="task-comment"),
    path("inbox/<uuid:task_id>/answer", views.answer, name="task-answer"),
    path("inbox/<uuid:task_id>/escalate", views.escalate, name="task-escalate"),
    path("inbox/<uuid:task_id>/return", views.give_back, name="task-return"),
    path("inbox/<uuid:task_id>/resubmit", views.send_again, name="task-resubmit"),
    path("inbox/<uuid:task_id>/delegate", views.delegate, name="task-delegate"),
    path("inbox/<uuid:task_id>/claim", views.claim, name="task-claim"),
    path("inbox/<uuid:task_id>/unclaim", views.unclaim, name="task-unclaim"),
]
