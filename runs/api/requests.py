"""The routes of requests: what somebody may start, and the runs that they asked for."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_START, TASKS_READ
from lib.api import fields
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Query, StrictSerializer, body, query
from runs.api.base import RunsApiView
from runs.api.search_serializers import SearchedSerializer
from runs.commands.requests import remind_deciders, withdraw_request
from runs.limits import CATALOGUE_ROWS, FILTER_CHARACTERS
from runs.reading import requests
from runs.reading.request_lists import page_of

REQUEST_KINDS = ("wait", "good", "bad", "info", "quiet")


_QUERY = "A search: `status:failed -workflow:claims input.amount>1000`, and words of the business key or the input."


class RequestListQuery(PageQuery):
    """Which requests."""

    show = serializers.ChoiceField(
        ["open", "done", "all", "filed"],
        required=False,
        default="all",
        help_text="filed: those you filed for others.",
    )
    query = serializers.CharField(required=False, max_length=FILTER_CHARACTERS, help_text=_QUERY)
    q = serializers.CharField(required=False, max_length=FILTER_CHARACTERS, help_text="The same as `query`.")
    filter = serializers.CharField(
        required=False, max_length=FILTER_CHARACTERS, help_text="The same as `query`."
    )


class CatalogueQuery(Query):
    """Which workflows."""

    q = serializers.CharField(
        required=False, max_length=200, help_text="Part of the title, name, description or category."
    )


class Withdraw(StrictSerializer):
    """Withdrawing."""

    reason = fields.Text(max_length=1000)


class Remind(StrictSerializer):
    """Reminding."""

    reason = fields.Text(required=False, max_length=1000, help_text="For the audit log.")


class CatalogueSerializer(serializers.Serializer[Any]):
    """A workflow that may be started."""

    workflow = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    folder = serializers.CharField()
    category = serializers.CharField(help_text="Empty where its author gave none.")


class RequestFactSerializer(serializers.Serializer[Any]):
    """Something that was asked, as the start form calls it."""

    label = serializers.CharField()  # type: ignore[assignment] # a name that DRF's fields have, too
    text = serializers.CharField()
    was = serializers.CharField(
        allow_null=True, help_text="What it was before somebody corrected it; null: as it was asked."
    )
    file = serializers.UUIDField(allow_null=True, help_text="The id of the file that it is.")


class QuestionSerializer(serializers.Serializer[Any]):
    """A task that waits for an answer from the requester."""

    task = serializers.UUIDField()
    title = serializers.CharField()
    until = serializers.DateTimeField(allow_null=True)


class RequestSerializer(serializers.Serializer[Any]):
    """A request, in words."""

    id = serializers.UUIDField(help_text="The id of the run.")
    workflow = serializers.CharField()
    title = serializers.CharField()
    business_key = serializers.CharField(allow_null=True)
    about = serializers.CharField(help_text="The part of its input that distinguishes it from others.")
    status = serializers.CharField(help_text="In words, for people.")
    kind = serializers.ChoiceField(REQUEST_KINDS)
    message = serializers.CharField(
        help_text="The whole message of the `fail` step that ended it after a decision."
    )
    is_open = serializers.BooleanField()
    holder = serializers.CharField(
        allow_null=True, help_text="Who has it now; for a step its title, if you may read it; otherwise null."
    )
    until = serializers.DateTimeField(allow_null=True)
    since = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    completed_at = serializers.DateTimeField(allow_null=True)
    filed_by = serializers.CharField(allow_null=True, help_text="Who filed it, if not the requester.")
    filed_for = serializers.CharField(allow_null=True, help_text="The requester, if somebody else filed it.")
    may_withdraw = serializers.BooleanField()
    may_remind = serializers.BooleanField(help_text="Whether somebody else is asked now.")
    reminded_at = serializers.DateTimeField(allow_null=True, help_text="When you last reminded them.")
    remind_again_at = serializers.DateTimeField(
        allow_null=True, help_text="Before this moment a reminder is a 429; null: you have sent none."
    )
    facts = RequestFactSerializer(many=True)
    questions = QuestionSerializer(many=True)


class MilestoneSerializer(serializers.Serializer[Any]):
    """Something that happened."""

    at = serializers.DateTimeField()
    by = serializers.CharField(allow_null=True)
    words = serializers.CharField()
    text = serializers.CharField(help_text="What they wrote.")
    kind = serializers.CharField()


class ResultRowSerializer(serializers.Serializer[Any]):
    """Something that the requester gets."""

    label = serializers.CharField(help_text="Empty for a text in Markdown.")  # type: ignore[assignment]
    value = serializers.JSONField()
    schema = serializers.JSONField(
        allow_null=True,
        help_text="Formats, currency and titles of the value's JSON Schema; null: it has none.",
    )
    text = serializers.CharField(help_text="The value in one text, such as `1234.50 EUR`.")
    fault = serializers.CharField(allow_null=True, help_text="Why there is no value.")


class WholeRequestSerializer(RequestSerializer):
    """A request with what happened."""

    may_ask_again = serializers.BooleanField(help_text="Whether you may still start its workflow.")
    milestones = MilestoneSerializer(many=True)
    result = ResultRowSerializer(many=True, help_text="What you get of it, once it has completed.")


class RequestPageSerializer(serializers.Serializer[Any]):
    """A page of requests."""

    results = RequestSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    searched = SearchedSerializer(required=False, help_text="Without it the answer is complete.")


class CatalogueView(RunsApiView):
    """What may be asked for."""

    scopes = {"GET": RUNS_START}

    @extend_schema(parameters=[CatalogueQuery], responses=page_schema(CatalogueSerializer))
    def get(self, request: Request) -> Response:
        """The published workflows that you may start, recently requested first; 200 at most: search with `q`."""
        q = query(CatalogueQuery, request).get("q", "")
        rows = requests.catalogue(self.principal, q)[:CATALOGUE_ROWS]
        results = [requests.catalogue_row(workflow) for workflow in rows]
        return Response({"results": results, "next": None, "previous": None})


class RequestsView(RunsApiView):
    """Your requests."""

    scopes = {"GET": TASKS_READ}

    @extend_schema(parameters=[RequestListQuery], responses=RequestPageSerializer)
    def get(self, request: Request) -> Response:
        """The runs that you asked for yourself, newest first: who has each now, and until when."""
        params = query(RequestListQuery, request)
        show, who = params.pop("show"), self.principal
        names = [name for name in ("query", "q", "filter") if name in params]
        text = " ".join(params.pop(name) for name in names)
        page, searched = page_of(
            who, request, show, text, field=next(iter(names), "query"), **{"cursor": None} | params
        )
        more = {} if searched is None else {"searched": searched.answer()}
        return Response(page.answer(requests.request_rows(who, page.rows)) | more)


class RequestView(RunsApiView):
    """One request of yours."""

    scopes = {"GET": TASKS_READ}

    @extend_schema(responses=WholeRequestSerializer)
    def get(self, request: Request, request_id: UUID) -> Response:
        """What you asked and what happened, step by step; 404 for requests of others, for admins too."""
        return Response(requests.request_row(self.principal, request_id))


class RequestWithdrawView(RunsApiView):
    """Withdrawing."""

    scopes = {"POST": RUNS_START}

    @extend_schema(request=Withdraw, responses=WholeRequestSerializer)
    def post(self, request: Request, request_id: UUID) -> Response:
        """Withdraws an open request of yours and undoes what was done; 409 once it has ended."""
        withdraw_request(self.principal, request_id, reason=body(Withdraw, request)["reason"])
        return Response(requests.request_row(self.principal, request_id))


class RequestRemindView(RunsApiView):
    """Reminding."""

    scopes = {"POST": RUNS_START}

    @extend_schema(request=Remind, responses=WholeRequestSerializer)
    def post(self, request: Request, request_id: UUID) -> Response:
        """Reminds those whom a request of yours waits for, once in four hours; 409 where nobody else is asked, 429 with
        `retry_after` and `possible_at` before the four hours are over.
        """
        remind_deciders(self.principal, request_id, reason=body(Remind, request).get("reason"))
        return Response(requests.request_row(self.principal, request_id))
