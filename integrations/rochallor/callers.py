"""Who asks at rochallor's doors: a token as Bearer or as the password of Basic, or, where a tenant is open, anybody."""

from typing import Final

from django.conf import settings
from django.contrib.auth.hashers import make_password

from accounts import queries
from accounts.folders import default_folder
from accounts.models import User
from accounts.principal import SERVICE, JobReach, Principal, Reach
from accounts.roles import (
    JOBS_WORK,
    RUNS_OPERATE,
    RUNS_READ,
    RUNS_SIGNAL,
    RUNS_START,
    TASKS_DECIDE,
    VERBS,
    WORKFLOWS_PUBLISH,
    WORKFLOWS_READ,
    WORKFLOWS_WRITE,
)
from accounts.services import BadToken, authenticate_token
from accounts.token_format import token_in
from integrations.rochallor.errors import UNAUTHENTICATED, RochallorError, in_rochallor_words
from lib.shared_answers import SharedAnswers

OPEN_ROLE: Final = "open"
"""No role of a member: no folder grants it anything, and no task asks it by name."""
OPEN_SCOPES: Final = frozenset(
    {
        WORKFLOWS_READ,
        WORKFLOWS_WRITE,
        WORKFLOWS_PUBLISH,
        RUNS_READ,
        RUNS_START,
        RUNS_OPERATE,
        RUNS_SIGNAL,
        JOBS_WORK,
        TASKS_DECIDE,
    }
)
_ONLY_HERE: Final = (
    "Send a token: without one only callers on this machine are served (HANDOFF_V1_OPEN_ANYWHERE)."
)
OPEN_SECONDS: Final = 5.0
"""So long at most another folder for uploads, or that the tenant is there no more, goes unseen."""


@in_rochallor_words
def caller(authorization: str, address: str = "", *, is_local: bool = False) -> Principal | None:
    """Who shows this `Authorization`, from this address. Without one: the actor of the tenant that is open, which is so
    for callers on this machine alone unless the settings say anywhere, or None where none is.

    Raises RochallorError: unauthenticated for what is shown and isn't valid, whatever is open; forbidden for a token
    that may not be used from there.
    """
    if not authorization.strip():
        slug = settings.HANDOFF_V1_OPEN_TENANT
        if slug and not (is_local or settings.HANDOFF_V1_OPEN_ANYWHERE):
            raise RochallorError(UNAUTHENTICATED, _ONLY_HERE)
        return open_actor(slug) if slug else None
    try:
        return authenticate_token(token_in(authorization), address)
    except BadToken as refusal:
        raise RochallorError(UNAUTHENTICATED, refusal.message) from None


def _open_actor(slug: str) -> Principal:
    tenant = queries.get_tenant(slug)
    username = f"{SERVICE}{slug}:v1-open"
    user, _ = User.objects.get_or_create(
        username=username,
        defaults={"name": "Anybody, by /v1/", "is_service": True, "password": make_password(None)},
    )
    folder = default_folder(tenant.pk).pk
    return Principal(
        tenant.pk,
        slug,
        user.pk,
        username,
        OPEN_ROLE,
        OPEN_SCOPES,
        "token",
        reach=Reach(False, {folder: frozenset(VERBS)}),
        jobs=JobReach(folders=(folder,)),
    )


open_actor: Final = SharedAnswers(_open_actor, seconds=OPEN_SECONDS)
"""Who acts for whoever shows nothing, where this tenant (its slug) is open: a service of its own, which reaches the
folder in which uploads lie and no other, and decides only tasks that ask everybody. Raises Missing.
"""
