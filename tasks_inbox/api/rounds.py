"""The routes by which a task goes to others: back for changes, and up."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import TASKS_DECIDE, TASKS_READ
from lib.api.serializers import body
from tasks_inbox.actions import escalating, rounds
from tasks_inbox.api import serializers as s
from tasks_inbox.api.tasks import TasksApiView


class TaskReturnView(TasksApiView):
    """Returning for changes."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=s.ReturnTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Returns the task to whoever started the run, or to `to`; its clock stops until they resubmit it."""
        return self.answer(
            rounds.return_task(self.principal, task_id, who=self.who, **body(s.ReturnTask, request))
        )


class TaskResubmitView(TasksApiView):
    """Sending it again."""

    scopes = {"POST": TASKS_READ}

    @extend_schema(request=s.ResubmitTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Begins the next round, by the person it was returned to; whoever returned it can take it back this way."""
        return self.answer(rounds.send_again(self.principal, task_id, **body(s.ResubmitTask, request)))


class TaskEscalateView(TasksApiView):
    """Escalating."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=s.EscalateTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Asks others, too: those in `to`, or the next level; the latter also if you may only assign tasks."""
        return self.answer(
            escalating.escalate_task(self.principal, task_id, who=self.who, **body(s.EscalateTask, request))
        )
