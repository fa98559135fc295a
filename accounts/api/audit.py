"""The route of the audit log."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import audit
from accounts.api.base import ApiView
from accounts.audit import reading
from accounts.audit.origin import DOORS
from accounts.audit.reading import Filters
from accounts.limits import AUDIT_EXPORT_CHARACTERS, AUDIT_EXPORT_RECORDS, AUDIT_FILTER_CHARACTERS
from accounts.roles import MEMBERS_MANAGE
from lib.api import fields
from lib.api.pagination import Cursor, address, keyset_page, list_mark
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, query

FORMATS = {"jsonl": "application/x-ndjson", "cef": "text/plain; charset=utf-8"}


def _filter(text: str) -> Any:
    return serializers.CharField(required=False, max_length=AUDIT_FILTER_CHARACTERS, help_text=text)


class AuditQuery(PageQuery):
    """The filters of the audit log."""

    since = fields.Moment(required=False, help_text="Records from this time on.")
    until = fields.Moment(required=False, help_text="Records before this time.")
    by = _filter("A username, `os:NAME` for a command, or `handoff:server`.")
    act = _filter("Such as `member.change`; `member.*` is all that begins so.")
    target = _filter("What was changed, as records write it.")
    format = serializers.ChoiceField(
        tuple(FORMATS), required=False, help_text="An export, oldest first, instead of a page of JSON."
    )


class AuditRecordSerializer(serializers.Serializer[object]):
    """A record of the audit log."""

    id = serializers.IntegerField()
    seq = serializers.IntegerField(
        allow_null=True, help_text="Its place in the chain; null for about a second after it was written."
    )
    at = serializers.DateTimeField()
    by = serializers.CharField()
    via = serializers.CharField(help_text="token, session, command or server.")
    token = serializers.CharField(allow_null=True, help_text="The id of the token that was used.")
    door = serializers.ChoiceField(DOORS)
    address = serializers.CharField(
        help_text="The client's address, as far as proxies are trusted; may be empty."
    )
    act = serializers.CharField()
    target = serializers.CharField()
    before = serializers.JSONField(allow_null=True, help_text="The fields that differ, as they were.")
    after = serializers.JSONField(allow_null=True, help_text="The fields that differ, as they are.")
    reason = serializers.CharField()
    count = serializers.IntegerField(help_text="Of refusals in a minute: how many; else 1.")
    digest = serializers.CharField(
        allow_null=True, help_text="SHA-256 over the digest before and this record."
    )


class AuditView(ApiView):
    """The audit log."""

    scopes = {"GET": MEMBERS_MANAGE}

    @extend_schema(
        parameters=[AuditQuery],
        responses={
            (200, "application/json"): page_schema(AuditRecordSerializer),
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/plain"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Who changed which setting and who was refused what, newest first; with `format` an export, oldest first,
        which goes on at the address in the header `Link`.
        """
        params = query(AuditQuery, request)
        limit, cursor, kind = params.pop("limit"), params.pop("cursor", None), params.pop("format", None)
        filters = Filters(**params)
        if kind is not None:
            return self._export(request, filters, cursor, kind)
        records = reading.records_of(self.principal.tenant_id, filters)
        page = keyset_page(records, request, keys=("id",), limit=limit, cursor=cursor)
        return Response(page.answer(reading.rows(page.rows)))

    def _export(self, request: Request, filters: Filters, cursor: str | None, kind: str) -> HttpResponse:
        principal = self.principal
        places = keyset_page(
            reading.links_of(principal.tenant_id, filters),
            request,
            keys=("seq",),
            limit=AUDIT_EXPORT_RECORDS,
            cursor=cursor,
            oldest_first=True,
            weight=reading.weight,
            most=AUDIT_EXPORT_CHARACTERS,
        ).rows
        entries = reading.rows(place.record for place in places)
        content = (
            reading.as_jsonl(entries) if kind == "jsonl" else reading.as_cef(entries, principal.tenant_slug)
        )
        with transaction.atomic():
            facts = {**asdict(filters), "format": kind, "records": len(entries)}
            after = {name: value for name, value in facts.items() if value}
            audit.change(principal, "audit.export", "audit", after=after)
        answer = HttpResponse(content, content_type=FORMATS[kind])
        answer.headers["Content-Disposition"] = f'attachment; filename="audit.{kind}"'
        if places:
            # Also at the end, so that who comes back gets what is new.
            following = Cursor(list_mark(request), False, (places[-1].seq,))
            answer.headers["Link"] = f'<{address(request, following)}>; rel="next"'
        return answer
