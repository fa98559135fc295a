"""The rochallor API: each translates, and calls a function of the service."""

from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import (
    JOBS_WORK,
    RUNS_OPERATE,
    RUNS_READ,
    RUNS_SIGNAL,
    RUNS_START,
    TASKS_DECIDE,
    WORKFLOWS_PUBLISH,
    WORKFLOWS_READ,
)
from integrations.rochallor import service
from integrations.rochallor.errors import BAD_REQUEST, NOT_FOUND, UNSUPPORTED_FORMAT, RochallorError
from integrations.rochallor.rest import descriptions as d
from integrations.rochallor.rest import rows
from integrations.rochallor.rest.base import Fields, RochallorView
from lib.refusals import Missing
from lib.strict_json import BadJson
from lib.trace_context import of_headers
from lib.waiting import attempt_of

_XML = ("application/xml", "text/xml")
_UNREADABLE = (BadJson, RequestDataTooBig)
"""What is wrong with a body. No worker of theirs stands a 4xx to its word on a job."""


def _why(error: Exception) -> str:
    return error.located if isinstance(error, BadJson) else "it is too large"


def _whole(request: Request, name: str) -> int:
    """A number in the query; 0 for what is none."""
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _job_named(view: RochallorView, request: Request) -> str:
    """The id of the job that a body names; empty where the body can't be read. Raises RochallorError."""
    try:
        return Fields(view.sent(request)).text("id")
    except _UNREADABLE:
        return ""


class DefinitionsView(RochallorView):
    """Definitions."""

    scopes = {"GET": WORKFLOWS_READ, "POST": WORKFLOWS_PUBLISH}

    @extend_schema(parameters=[d.KEYWORD, *d.PAGE], responses=d.RochallorUploadedPageSerializer)
    def get(self, request: Request) -> Response:
        """The latest version of each definition."""
        arguments = (
            request.query_params.get("keyword", ""),
            _whole(request, "page"),
            _whole(request, "pageSize"),
        )
        page = service.list_definitions(self.principal, *arguments)
        return Response({"items": [rows.uploaded(one) for one in page.items] or None, "total": page.total})

    @extend_schema(request=d.RochallorDefinitionSerializer, responses={201: d.RochallorUploadedSerializer})
    def post(self, request: Request) -> Response:
        """Uploads a definition, which publishes it: 201, also for one that is there already."""
        if any(kind in request.content_type for kind in _XML):
            raise RochallorError(UNSUPPORTED_FORMAT, "Only JSON workflow definitions are accepted")
        definition = service.upload_definition(self.principal, self.sent_value(request))
        return Response(rows.uploaded(definition), status=201)


class DefinitionView(RochallorView):
    """The latest version of a definition."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(responses=d.RochallorDefinitionSerializer)
    def get(self, request: Request, name: str) -> Response:
        """The whole definition."""
        return Response(rows.definition(service.get_definition(self.principal, name)))


class DefinitionVersionView(RochallorView):
    """A version of a definition."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(
        parameters=[OpenApiParameter("number", int, OpenApiParameter.PATH)],
        responses=d.RochallorDefinitionSerializer,
    )
    def get(self, request: Request, name: str, number: str) -> Response:
        """The whole definition."""
        if not (number.isascii() and number.isdecimal() and len(number) < 10):
            raise RochallorError(BAD_REQUEST, "invalid version parameter")
        if not int(number):
            raise RochallorError(NOT_FOUND, "versions begin with 1")
        return Response(rows.definition(service.get_definition(self.principal, name, int(number))))


class InstancesView(RochallorView):
    """Instances."""

    scopes = {"GET": RUNS_READ, "POST": RUNS_START}

    @extend_schema(parameters=[*d.INSTANCES, *d.PAGE], responses=d.RochallorInstancePageSerializer)
    def get(self, request: Request) -> Response:
        """Instances, newest first."""
        query = request.query_params
        page = service.list_instances(
            self.principal,
            definition_id=query.get("definitionId", ""),
            status=query.get("status", ""),
            business_key=query.get("businessKey", ""),
            page=_whole(request, "page"),
            page_size=_whole(request, "pageSize"),
        )
        return Response({"items": [rows.instance(one) for one in page.items] or None, "total": page.total})

    @extend_schema(request=d.RochallorStartSerializer, responses={201: d.RochallorInstanceSerializer})
    def post(self, request: Request) -> Response:
        """Starts an instance: 201, always a new one."""
        fields = Fields(self.sent(request))
        begun = service.start_instance(
            self.principal,
            fields.text("definitionId"),
            version=fields.number("definitionVersion"),
            variables=fields.variables(),
            business_key=fields.text("businessKey"),
            trace=of_headers(request.headers),
        )
        return Response(rows.instance(begun), status=201)


class InstanceView(RochallorView):
    """An instance."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(responses=d.RochallorInstanceSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The instance with its variables."""
        return Response(rows.instance(service.get_instance(self.principal, run_id)))


class HistoryView(RochallorView):
    """The history of an instance."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(responses=d.RochallorHistorySerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The entries into its steps; null for an instance that isn't there."""
        records = service.history(self.principal, run_id)
        return Response({"items": None if records is None else [rows.step(one) for one in records]})

    def handle_exception(self, exc: Exception) -> Response:
        # For whoever may not know of it there is none either.
        if isinstance(exc, Missing) or (isinstance(exc, RochallorError) and exc.code == NOT_FOUND):
            return Response({"items": None})
        return super().handle_exception(exc)


class CancelView(RochallorView):
    """Cancelling."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=d.RochallorCancelSerializer, responses=d.RochallorInstanceSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Cancels an instance that has not ended; gives it as it stands then, CANCELLED."""
        reason = Fields(self.sent(request)).text("reason")
        return Response(rows.instance(service.cancel_instance(self.principal, run_id, reason)))


class PollView(RochallorView):
    """Polling."""

    scopes = {"POST": JOBS_WORK}
    takes_idempotency_key = False

    @extend_schema(request=d.RochallorPollSerializer, responses=d.RochallorJobsSerializer)
    def post(self, request: Request) -> Response:
        """Leases jobs, and answers at once; null where there is none."""
        fields = Fields(self.sent(request))
        arguments = fields.worker(), fields.texts("jobTypes"), fields.number("maxJobs")
        leased = service.poll_jobs(self.principal, *arguments, attempt_of(request.META))
        return Response({"jobs": [rows.job(one) for one in leased] or None})


class CompleteJobView(RochallorView):
    """Completing a job."""

    scopes = {"POST": JOBS_WORK}

    @extend_schema(request=d.RochallorCompleteSerializer, responses={204: None})
    def post(self, request: Request, job_id: str) -> Response:
        """204 for every job that was ever handed out; what can't be read as its result fails it for good."""
        try:
            fields = Fields(self.sent(request))
            result = fields.worker(), fields.variables()
        except _UNREADABLE as error:
            service.refuse_result(self.principal, job_id, _why(error))
        else:
            service.complete_job(self.principal, job_id, *result)
        return Response(status=204)


class CompleteNamedJobView(CompleteJobView):
    """Completing the job that the body names."""

    @extend_schema(request=d.RochallorCompleteNamedSerializer, responses={204: None})
    def post(self, request: Request) -> Response:  # type: ignore[override]
        """As by its address, with the job's id as `id`. An id that can't be read names no job."""
        return super().post(request, _job_named(self, request))


class FailJobView(RochallorView):
    """Failing a job."""

    scopes = {"POST": JOBS_WORK}

    @extend_schema(request=d.RochallorFailSerializer, responses={204: None})
    def post(self, request: Request, job_id: str) -> Response:
        """204 for every job that was ever handed out."""
        try:
            fields = Fields(self.sent(request))
            report, retryable = (
                (fields.worker(), fields.text("errorMessage")),
                fields.flag("retryable"),
            )
        except _UNREADABLE as error:
            # It failed: of that its worker was sure, whatever it had to say besides.
            report, retryable = ("", f"the worker's reason can't be read: {_why(error)}"), True
        service.fail_job(self.principal, job_id, *report, retryable=retryable)
        return Response(status=204)


class FailNamedJobView(FailJobView):
    """Failing the job that the body names."""

    @extend_schema(request=d.RochallorFailNamedSerializer, responses={204: None})
    def post(self, request: Request) -> Response:  # type: ignore[override]
        """As by its address, with the job's id as `id`. An id that can't be read names no job."""
        return super().post(request, _job_named(self, request))


class UserTaskOfStepView(RochallorView):
    """Completing the user task of a step."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=d.RochallorCompleteSerializer, responses={204: None})
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """204; 404 for one that isn't open."""
        fields = Fields(self.sent(request))
        service.complete_user_task(self.principal, run_id, node, fields.variables(), fields.worker())
        return Response(status=204)


class UserTaskView(RochallorView):
    """Completing a user task by its id, which only the Python SDK has a call for."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=d.RochallorTaskResultSerializer, responses={204: None})
    def post(self, request: Request, task_id: UUID) -> Response:
        """204; 404 for one that isn't open."""
        fields = Fields(self.sent(request))
        result = fields.variables("result"), fields.text("completedBy")
        service.complete_user_task_by_id(self.principal, task_id, *result)
        return Response(status=204)


class SignalView(RochallorView):
    """Signals to waits."""

    scopes = {"POST": RUNS_SIGNAL}

    @extend_schema(request=OpenApiTypes.OBJECT, responses={204: None})
    def post(self, request: Request, run_id: UUID, node: str) -> Response:
        """Has a wait go on; the body is the variables, or nothing. 204; 409 where it doesn't wait."""
        service.signal_wait(self.principal, run_id, node, self.sent(request))
        return Response(status=204)
