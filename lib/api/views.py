"""The API's own routes: its description, its docs, and the answer to whatever is no route."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.views import APIView

from lib.refusals import Missing


class SchemaView(SpectacularJSONAPIView):
    """The OpenAPI document; it describes what anybody can read in the sources, so it needs no login."""


@login_not_required
@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document to read and try."""
    return render(request, "api/docs.html")


class UnknownRouteView(APIView):
    """Anything else below `/api/`: 404 in the envelope, for every method."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(exclude=True)
    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> Response:
        self.headers = self.default_response_headers
        self.request = self.initialize_request(request)
        response = self.handle_exception(Missing("There is no such route."))
        self.response = self.finalize_response(self.request, response)
        return self.response


class UnknownOrchestrationRouteView(UnknownRouteView):
    """Anything else below `/v1/`: 404 as the clients of the public engine read it, `{error, reason}`."""

    def handle_exception(self, exc: Exception) -> Response:
        return Response({"error": "not-found", "reason": str(exc)}, status=404)
