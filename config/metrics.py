"""`GET /metrics` for Prometheus, for whoever has `HANDOFF_METRICS_TOKEN` (R-209); where there is none, no such page is.

What is open is counted in PostgreSQL as it is asked for (`runs.store.metrics`), so any web process gives the same. What
only processes know is summed over those of this machine (`lib.process_metrics`).
"""

import hmac

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest

from config import environment
from config.figures import Figures

# The older of Prometheus' formats, which all that scrape understand.
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All figures for who has the token; 401 for others, 404 where there is none. Without its database Handoff says so
    (`handoff_database_up 0`) beside what its processes know.
    """
    token = environment.metrics_token()
    if not token:
        return HttpResponseNotFound("There is no such page.\n", content_type="text/plain; charset=utf-8")
    if not _has(request, token):
        refusal = HttpResponse(
            "A bearer token is needed.\n", status=401, content_type="text/plain; charset=utf-8"
        )
        refusal.headers["WWW-Authenticate"] = 'Bearer realm="metrics"'
        return refusal
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures())
    return HttpResponse(generate_latest(registry), content_type=_TYPE, headers={"Cache-Control": "no-store"})


def _has(request: HttpRequest, token: str) -> bool:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    # In constant time, whatever was given.
    return scheme.lower() == "bearer" and hmac.compare_digest(credentials.strip().encode(), token.encode())
