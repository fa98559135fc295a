"""The API answers over https only (production settings)."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from lib.api import PREFIXES

_PREFIXES = (*PREFIXES, "/hooks/")


def refuse_plain_api(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: 403 for an API call over plain http; a redirect would teach clients to send tokens in the clear."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.is_secure() or not request.path.startswith(_PREFIXES):
            return get_response(request)
        error = {
            "code": "https_required",
            "message": "Call the API over https.",
            "field": None,
            "details": None,
        }
        return JsonResponse({"error": error, "request_id": None}, status=403)

    return middleware
