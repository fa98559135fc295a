"""Sessions (Django's `SESSION_ENGINE`): kept in the database, over after a time without anybody at the other end.

A page that refreshes itself says so by a header, and keeps no session alive: what counts is what somebody does. It is
noted once a minute at most. However much is done, a session also ends so long after the login (`_session_expiry`).
"""

import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.middleware import AuthenticationMiddleware, get_user
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.base_session import AbstractBaseSession
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from accounts.limits import SESSION_ROWS
from accounts.models import Session, User
from accounts.principal import Principal
from accounts.queries import principal_in, principals_of, session_principal
from accounts.seats import Seat, session_of
from lib.load.admission import name_caller

AUTOMATIC = "Handoff-Automatic"
NOTED_SECONDS = 60.0
_SEEN = "seen_at"


class SessionStore(db.SessionStore):
    """A session of the database, which is empty when it has been idle for too long."""

    found_user: User | None = None
    found_seat: Seat | None = None
    """Whose it was when it was read, and their seat: in one statement, as each page asks for all of them."""

    def load(self) -> dict[str, Any]:
        """What is in it."""
        row = session_of(self.session_key or "", timezone.now())
        if row is None:
            self._session_key = None
            return {}
        data = self.decode(row.data)
        if data and _idle_seconds(data) > settings.HANDOFF_IDLE_SECONDS:
            self._session_key = None
            return {}
        self.found_user, self.found_seat = row.user, row.seat
        return data

    @classmethod
    def get_model_class(cls) -> type[AbstractBaseSession]:
        """The table of sessions, which knows whose each is."""
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        """The row of a session with what is in it."""
        row: Any = super().create_model_instance(data)
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        return row


def begin(request: HttpRequest, **_: object) -> None:
    """Somebody has just logged in: the session's time begins (a receiver of `user_logged_in`)."""
    request.session[_SEEN] = time.time()
    request.session.set_expiry(timedelta(seconds=settings.HANDOFF_SESSION_SECONDS))


class Authentication(AuthenticationMiddleware):
    """Django's, but whom the session was read with is not read once more. After SessionMiddleware."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        user: Any = SimpleLazyObject(lambda: _user_of(request))
        request.user = user


def _user_of(request: HttpRequest) -> User | AnonymousUser:
    """Who is logged in. In all that is out of the ordinary Django decides, which ends sessions that don't hold."""
    session: Any = request.session
    is_known = session.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
    user: User | None = session.found_user
    if user is not None:
        name_caller(None, user.pk)
    if user is None or not is_known or session.get(SESSION_KEY) != str(user.pk):
        return get_user(request)
    holds = constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
    return user if holds else get_user(request)


def principal_of(request: HttpRequest) -> Principal | None:
    """Who acts where a user is logged in; None where nobody is, or they have no seat."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return None
    session: Any = request.session
    is_found = session.found_user == user
    return principal_in(user, session.found_seat) if is_found else session_principal(user)


class NoteActivity:
    """Middleware: notes that somebody is there, unless the page asks by itself. After SessionMiddleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        session = request.session
        # Who asked nothing of the session is not known to be anybody; so `/readyz` needs no database for it.
        if session.accessed and AUTOMATIC not in request.headers and SESSION_KEY in session:
            self._note(session)
        return response

    @staticmethod
    def _note(session: Any) -> None:
        if _idle_seconds(session) < NOTED_SECONDS:
            return
        session[_SEEN] = time.time()
        modified = session.modified
        try:
            session.save()
        except UpdateError:  # logged out meanwhile
            return
        session.modified = modified


def principals(keys: Collection[str]) -> dict[str, Principal]:
    """Who is logged in with these sessions now, in three statements however many they are; others are left out."""
    model = SessionStore.get_model_class()
    rows = model.objects.filter(session_key__in=list(keys), expire_date__gt=timezone.now())
    sessions = {row.session_key: SessionStore().decode(row.session_data) for row in rows}
    whose = {
        key: str(data[SESSION_KEY])
        for key, data in sessions.items()
        if SESSION_KEY in data and _idle_seconds(data) <= settings.HANDOFF_IDLE_SECONDS
    }
    users = {str(user.pk): user for user in User.objects.filter(pk__in=set(whose.values()), is_active=True)}
    by_id = principals_of(users.values())
    return {
        key: by_id[user.pk]
        for key, pk in whose.items()
        if (user := users.get(pk)) and user.pk in by_id and is_of(user, sessions[key])
    }


def seen_of(user: User) -> list[datetime | None]:
    """When somebody was last there in each of their sessions that hold, the newest first; at most `SESSION_ROWS`."""
    rows = Session.objects.filter(user=user, expire_date__gt=timezone.now()).order_by("-expire_date")
    sessions = [SessionStore().decode(row.session_data) for row in rows[:SESSION_ROWS]]
    current = [
        data
        for data in sessions
        if is_of(user, data) and _idle_seconds(data) <= settings.HANDOFF_IDLE_SECONDS
    ]
    times = [datetime.fromtimestamp(data[_SEEN], UTC) if _SEEN in data else None for data in current]
    return sorted(times, key=lambda at: at.timestamp() if at else 0.0, reverse=True)


def end_all(user_id: int) -> int:
    """End all sessions of somebody; gives how many rows of sessions there were."""
    return Session.objects.filter(user_id=user_id).delete()[0]


def is_of(user: User, session: Mapping[str, Any]) -> bool:
    """Whether a session was opened with the password that the user has now."""
    hash_ = session.get(HASH_SESSION_KEY, "")
    good = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(hash_, one) for one in good)


def _idle_seconds(session: Any) -> float:
    last = session.get(_SEEN)
    # A session from before this was noted is as good as new.
    return time.time() - last if isinstance(last, int | float) else 0.0
