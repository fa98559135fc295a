"""`/healthz` (the process lives) and `/readyz` (it can do its work)."""

import contextlib

import redis
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from config.database import patience
from runs import queries

_DATABASE_SECONDS, _REDIS_SECONDS = 2.0, 0.5


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Always 200. (`config.asgi` answers it without a thread; this is for plain WSGI.)"""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when database, Redis and a worker for each built-in queue answer, 503 otherwise; says which do."""
    checks = readiness()
    ready = all(checks.values())
    response = JsonResponse({"ready": ready, "checks": checks}, status=200 if ready else 503)
    # Django would log each "not yet" as an error of the server.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def readiness() -> dict[str, bool]:
    """What must answer before Handoff can do its work, and whether it does; a hanging server costs seconds."""
    redis_answers = _redis()
    try:
        with patience.at_most(_DATABASE_SECONDS):
            return {"database": True, "redis": redis_answers, **queries.readiness()}
    except DatabaseError:
        return {"database": False, "redis": redis_answers}


def _redis() -> bool:
    with (
        contextlib.suppress(redis.RedisError),
        redis.Redis.from_url(settings.REDIS_URL, socket_timeout=_REDIS_SECONDS, retry=None) as client,
    ):
        return bool(client.ping())
    return False
