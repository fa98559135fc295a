"""`/healthz` (the process lives) and `/readyz` (it can do its work)."""

from dataclasses import replace
from importlib import import_module

import psycopg
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from config import belonging, dispatch_environment, start_environment
from config.database import patience
from config.limits import COUNTED_EVENTS
from integrations.broker.standing import is_led, outbox_complaint
from integrations.broker.store import outbox_standing
from lib.shared_answers import SharedAnswers
from runs.reading.readiness import Standing
from runs.reading.readiness import standing as read_standing

_DATABASE_SECONDS, _REDIS_SECONDS = 2.0, 0.5
_SHARED_SECONDS = 1.0
"""So old the answer to a probe is at most that says ready."""

Readiness = tuple[dict[str, bool], Standing | None]


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Always 200. (`config.asgi` answers it without a thread; this is for plain WSGI.)"""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when database, Redis (where there is one: `HANDOFF_DISPATCH`) and a worker for each built-in queue answer and
    time goes on, 503 otherwise; says what holds, how old is what should be young and, in sentences, what is wrong.
    """
    checks, standing = _shared_readiness(None)
    ready = _is_ready((checks, standing))
    payload: dict[str, object] = {"ready": ready, "checks": checks}
    if start_environment.observes():
        payload["observes"] = True
    if standing is not None:
        payload |= {"ages": standing.ages(), "complaints": list(standing.complaints())}
    response = JsonResponse(payload, status=200 if ready else 503)
    # Django would log each "not yet" as an error of the server.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def readiness() -> Readiness:
    """What must hold before Handoff can do its work, and how it stands where the database says; a hanging server costs
    seconds.
    """
    servers = _servers()
    try:
        with patience.at_most(_DATABASE_SECONDS):
            foreign = tuple(belonging.complaints())
            if start_environment.observes():
                # No worker and no time is expected to go on.
                return {"database": True, "belongs": not foreign}, None
            standing = replace(read_standing(), foreign=foreign)
            relayed = outbox_standing(COUNTED_EVENTS) if settings.HANDOFF_BROKER else None
    except (DatabaseError, psycopg.Error):
        return {"database": False, **servers}, None
    if relayed is None:
        return {"database": True, **servers, **standing.checks()}, standing
    checks = {"database": True, **servers, **standing.checks(), "relay": is_led(relayed)}
    return checks, replace(standing, untold=outbox_complaint(relayed))


def _servers() -> dict[str, bool]:
    """Whether those beside the database answer that this Handoff needs."""
    if settings.HANDOFF_DISPATCH != dispatch_environment.HINTS:
        return {}
    return {"redis": bool(import_module("config.redis_standing").takes_writes(_REDIS_SECONDS))}


def _answer_probes(_: None) -> Readiness:
    return readiness()


def _is_ready(answer: Readiness) -> bool:
    return all(answer[0].values())


# However many probe this process, the database is asked once a second; that all is well again is said at once.
_shared_readiness = SharedAnswers(_answer_probes, seconds=_SHARED_SECONDS, keeps=_is_ready)
