"""The routes of decision tables: import, export and test cases."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_READ
from lib.api import fields
from lib.api.serializers import StrictSerializer, body
from steps.decision_table.limits import IMPORT_CHARACTERS
from workflows.design import tables


class ImportTable(StrictSerializer):
    """A document with a decision table."""

    format = fields.OneOf(list(tables.FORMATS))
    text = fields.Text(max_length=IMPORT_CHARACTERS)


class ImportedTableSerializer(serializers.Serializer[Any]):
    """Params of a decision.table."""

    columns = serializers.ListField(child=fields.JsonObject())
    rows = serializers.ListField(child=serializers.ListField(child=fields.JsonValue()))
    hit = serializers.CharField(allow_null=True, help_text="Null where the format doesn't say it.")


class ExportTable(StrictSerializer):
    """A table to write."""

    format = fields.OneOf(list(tables.FORMATS))
    params = fields.JsonObject()
    name = fields.Text(required=False, max_length=200, help_text="The name of the decision in DMN.")


class TableTextSerializer(serializers.Serializer[Any]):
    """A document."""

    text = serializers.CharField()


class TryTable(StrictSerializer):
    """A table with test cases."""

    params = fields.JsonObject()


class TriedSerializer(serializers.Serializer[Any]):
    """A test case that was run."""

    passed = serializers.BooleanField()
    rows = serializers.ListField(child=serializers.IntegerField(), help_text="The rows that match, from 1.")
    output = fields.JsonValue(allow_null=True)
    message = serializers.CharField()


class TableFindingSerializer(serializers.Serializer[Any]):
    """A problem of the table; `path`: where in the params."""

    code = serializers.CharField()
    severity = serializers.CharField()
    path = serializers.CharField()
    message = serializers.CharField()


class TestedTableSerializer(serializers.Serializer[Any]):
    """The test cases in their order, and the problems of the table."""

    results = TriedSerializer(many=True)
    problems = TableFindingSerializer(many=True)


class ImportTableView(ApiView):
    """Import of a decision table."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=ImportTable, responses=ImportedTableSerializer)
    def post(self, request: Request) -> Response:
        """The decision table of a CSV or DMN text as params of a step; 422 names what has no equivalent."""
        return Response(tables.imported(**body(ImportTable, request)))


class ExportTableView(ApiView):
    """Export of a decision table."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=ExportTable, responses=TableTextSerializer)
    def post(self, request: Request) -> Response:
        """A decision table as a CSV or DMN text; 422 names what has no equivalent there."""
        payload = {"name": "Decision", **body(ExportTable, request)}
        return Response({"text": tables.exported(**payload)})


class TryTableView(ApiView):
    """Test cases of a decision table."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=TryTable, responses=TestedTableSerializer)
    def post(self, request: Request) -> Response:
        """Runs the test cases of a decision table."""
        return Response(tables.tested(body(TryTable, request)["params"]))
