"""What the builder asks while somebody designs a workflow."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_READ
from lib.api.serializers import body
from workflows.api import building_serializers as s
from workflows.design import designing, palette


class StepTypesView(ApiView):
    """Step types."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(responses=s.StepTypesSerializer)
    def get(self, request: Request) -> Response:
        """The step types, with the schemas of params, input and output."""
        return Response({"results": palette.step_types()})


class DefinitionSchemaView(ApiView):
    """The parts of a definition."""

    scopes = {"GET": WORKFLOWS_READ}

    @extend_schema(responses=s.DefinitionSchemaSerializer)
    def get(self, request: Request) -> Response:
        """JSON Schema of a node, an edge, the settings and what stands in them, with titles and help."""
        return Response(palette.definition_schema())


class ScopeView(ApiView):
    """What can be read."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=s.AskedPlace, responses=s.ScopeSerializer)
    def post(self, request: Request, name: str) -> Response:
        """What an expression at a place of this draft can read, with samples of the last run, and call."""
        return Response(designing.scope_at(self.principal, name, **body(s.AskedPlace, request)))


class EvaluateView(ApiView):
    """What an expression gives."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=s.AskedValue, responses=s.ShownSerializer)
    def post(self, request: Request, name: str) -> Response:
        """What a value with expressions, or a condition, gives with the last run's values, or its error."""
        return Response(designing.evaluate_at(self.principal, name, **body(s.AskedValue, request)))


class RenameStepView(ApiView):
    """Another id for a step."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=s.RenameStep, responses=s.RenamedSerializer)
    def post(self, request: Request, name: str) -> Response:
        """The definition with a step renamed, also in edges, timers and expressions; nothing is saved."""
        payload = body(s.RenameStep, request)
        renaming = designing.renamed(
            self.principal, name, definition=payload["definition"], old=payload["from"], new=payload["to"]
        )
        return Response(
            {"definition": renaming.definition, "changed": renaming.changed, "unread": renaming.unread}
        )


class RenameFactView(ApiView):
    """Another label for a fact."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=s.RenameFact, responses=s.RenamedSerializer)
    def post(self, request: Request, name: str) -> Response:
        """The definition with a fact of a human step renamed, also where expressions read it; nothing is saved."""
        payload = body(s.RenameFact, request)
        renaming = designing.renamed_fact(
            self.principal,
            name,
            definition=payload["definition"],
            step=payload["step"],
            old=payload["from"],
            new=payload["to"],
        )
        return Response(
            {"definition": renaming.definition, "changed": renaming.changed, "unread": renaming.unread}
        )
