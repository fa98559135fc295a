"""The routes of tasks: an action's views read the body, call the action, and show the task."""

from functools import cached_property
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import TASKS_ASSIGN, TASKS_DECIDE, TASKS_READ
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from runs.api.base import RunsApiView
from tasks_inbox.actions import assignment, comments, deciding, holding, notes, resolving
from tasks_inbox.actions.decision import Decision
from tasks_inbox.api import serializers as s
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.standing import Standing, standing
from tasks_inbox.evidence import exports
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import listing, sources, task_rows
from tasks_inbox.reading.sources import parts_of
from tasks_inbox.store import queries


class TasksApiView(RunsApiView):
    """What the routes of tasks have in common."""

    @cached_property
    def who(self) -> identity.Who:
        """Who asks, as tasks know people: once in a request."""
        return identity.who_is(self.principal)

    def standing(self, task_id: UUID) -> Standing:
        """How they stand to a task. Raises Missing."""
        return standing(self.principal, queries.task_of(self.principal.tenant_id, task_id), self.who)

    def answer(self, task: ManualTask) -> Response:
        """The task as it stands now."""
        workflow = queries.workflows_of(task.tenant_id, [task])[task.workflow_id].name
        return Response(task_rows.whole_row(standing(self.principal, task, self.who), workflow))


class TasksView(TasksApiView):
    """Tasks."""

    scopes = {"GET": TASKS_READ}

    @extend_schema(parameters=[s.TaskListQuery], responses=page_schema(s.TaskSummarySerializer))
    def get(self, request: Request) -> Response:
        """The matching tasks, without the fields that only a single task has."""
        params = query(s.TaskListQuery, request)
        limit, cursor = params.pop("limit"), params.pop("cursor", None)
        sort, who = params.pop("sort"), self.who
        names = [name for name in ("query", "filter", "q") if name in params]
        text = " ".join(params.pop(name) for name in names)
        parts = listing.found(who, parts_of(who, **params), text, next(iter(names), "query"))
        page = listing.page(who.tenant_id, parts, request, sort, limit=limit, cursor=cursor)
        workflows = queries.workflows_of(who.tenant_id, page.rows)
        return Response(page.answer(task_rows.list_rows(page.rows, workflows, who)))


class TaskCountsView(TasksApiView):
    """How many tasks there are."""

    scopes = {"GET": TASKS_READ}

    @extend_schema(responses=s.CountsSerializer)
    def get(self, request: Request) -> Response:
        """How many tasks there are in each of your views, counted up to 10,000: that many means as many or more."""
        views = listing.counts(self.who).views
        return Response({view: min(count, sources.COUNTED) for view, count in views.items()})


class TaskSnoozeView(TasksApiView):
    """Snoozing."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=s.SnoozeTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Keeps the task out of your own lists until that time; others see it as before."""
        return self.answer(notes.snooze_task(self.principal, task_id, **body(s.SnoozeTask, request)))


class TaskWatchView(TasksApiView):
    """Watching."""

    scopes = {"POST": TASKS_READ}

    @extend_schema(request=Verb, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Puts the task into your view `watching`, open or closed."""
        return self.answer(notes.watch_task(self.principal, task_id, watching=True, **body(Verb, request)))


class TaskUnwatchView(TasksApiView):
    """Watching no more."""

    scopes = {"POST": TASKS_READ}

    @extend_schema(request=Verb, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Takes the task out of your view `watching`."""
        return self.answer(notes.watch_task(self.principal, task_id, watching=False, **body(Verb, request)))


class TaskView(TasksApiView):
    """One task."""

    scopes = {"GET": TASKS_READ}

    @extend_schema(responses=s.TaskSerializer)
    def get(self, request: Request, task_id: UUID) -> Response:
        """The task with its facts, form and decision."""
        return self.answer(queries.task_of(self.principal.tenant_id, task_id))


class TaskClaimView(TasksApiView):
    """Claiming."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=Verb, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Takes the task for yourself; 409 if somebody else has it."""
        return self.answer(assignment.claim(self.principal, self.standing(task_id), **body(Verb, request)))


class TaskUnclaimView(TasksApiView):
    """Unclaiming."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=Verb, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Puts the task back for all whom it asks, or for whoever delegated it; another's needs `tasks:assign`."""
        return self.answer(assignment.unclaim_task(self.principal, task_id, **body(Verb, request)))


class TaskAssignView(TasksApiView):
    """Assigning."""

    scopes = {"POST": TASKS_ASSIGN}

    @extend_schema(request=s.AssignTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Assigns the task to a member whom it asks."""
        return self.answer(assignment.assign_task(self.principal, task_id, **body(s.AssignTask, request)))


class TaskDelegateView(TasksApiView):
    """Delegating."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=s.DelegateTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Hands a task that you may decide to another member, who decides it on your behalf."""
        return self.answer(
            assignment.delegate_task(self.principal, task_id, who=self.who, **body(s.DelegateTask, request))
        )


class TaskCommentsView(TasksApiView):
    """Comments."""

    scopes = {"GET": TASKS_READ, "POST": TASKS_DECIDE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(s.CommentSerializer))
    def get(self, request: Request, task_id: UUID) -> Response:
        """The comments on the task, oldest first."""
        rows = queries.comments_of(queries.task_of(self.principal.tenant_id, task_id))
        page = keyset_page(rows, request, keys=("id",), oldest_first=True, **query(PageQuery, request))
        return Response(page.answer([task_rows.comment_row(comment) for comment in page.rows]))

    @extend_schema(request=s.AddComment, responses={201: s.CommentSerializer})
    def post(self, request: Request, task_id: UUID) -> Response:
        """Comments on an open task; 409 if it is closed."""
        comment = comments.add_comment(self.principal, task_id, **body(s.AddComment, request))
        return Response(task_rows.comment_row(comment), status=201)


class TaskAskView(TasksApiView):
    """Asking."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=s.AddComment, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Asks for information: the task's clock stops until somebody answers; 409 while a question is open."""
        return self.answer(comments.ask(self.principal, task_id, who=self.who, **body(s.AddComment, request)))


class TaskAnswerView(TasksApiView):
    """Answering."""

    scopes = {"POST": TASKS_READ}

    @extend_schema(request=s.AddComment, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Answers a question, for whoever started the run or may decide tasks; 409 if nothing was asked."""
        return self.answer(comments.answer(self.principal, task_id, **body(s.AddComment, request)))


class TaskCompleteView(TasksApiView):
    """Deciding."""

    scopes = {"POST": TASKS_READ}

    @extend_schema(request=s.CompleteTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Decides the task, and its run goes on; 409, with who and when, if it is already decided."""
        fields = body(s.CompleteTask, request)
        is_undoable, password = fields.pop("undoable"), fields.pop("password", None)
        decision, stands = Decision(**fields), self.standing(task_id)
        if is_undoable:
            holding.hold(self.principal, stands, decision)
        else:
            deciding.decide(self.principal, stands, decision, password=password)
        return self.answer(queries.task_of(self.principal.tenant_id, task_id))


class TaskUndoView(TasksApiView):
    """Undoing."""

    scopes = {"POST": TASKS_READ}

    @extend_schema(request=Verb, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Takes back your `undoable` decision before it counts; 409 `nothing_to_undo` afterwards."""
        holding.undo_decision(self.principal, task_id, **body(Verb, request))
        return self.answer(queries.task_of(self.principal.tenant_id, task_id))


class TaskResolveView(TasksApiView):
    """Resolving."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=s.ResolveTask, responses=s.TaskSerializer)
    def post(self, request: Request, task_id: UUID) -> Response:
        """Settles the task's failed compensation, and its run goes on; 409, with who and when, if it is settled."""
        return self.answer(
            resolving.resolve_task(self.principal, task_id, who=self.who, **body(s.ResolveTask, request))
        )


class RunEvidenceView(TasksApiView):
    """The evidence of a run."""

    scopes = {"GET": TASKS_READ}

    @extend_schema(
        parameters=[s.EvidenceQuery],
        responses={
            (200, kind): OpenApiTypes.OBJECT if name == "json" else OpenApiTypes.BINARY
            for name, kind in exports.KINDS.items()
        },
    )
    def get(self, request: Request, run_id: UUID) -> HttpResponse:
        """What people were asked and decided in the run, with its proof; needs `runs:read` too."""
        file = exports.export(self.principal, run_id, query(s.EvidenceQuery, request)["format"])
        return HttpResponse(
            file.content,
            content_type=file.kind,
            headers={"Content-Disposition": f'attachment; filename="{file.name}"'},
        )
