"""Who is logged in by a test's client, in two statements: Django's takes fourteen, for it makes an empty session first,
then one with another key, and looks each time whether somebody has that.
"""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.http import HttpRequest
from django.test import Client
from django.utils.crypto import get_random_string

from accounts.models import User
from accounts.sessions import SessionStore

_as_django_does = Client._login


class _New(SessionStore):
    """A session that is written once, under a key that nobody has."""

    # Its data are signed with the name of the class that reads them.
    key_salt = SessionStore().key_salt

    def cycle_key(self) -> None:
        self._session_key = get_random_string(32, VALID_KEY_CHARS)

    def save(self, must_create: bool = False) -> None:
        self.create_model_instance(self._session).save(force_insert=True)


def log_in(client: Client, user: User, backend: str | None = None) -> None:
    """Stands for `Client._login`, behind `force_login` and `login`."""
    if client.cookies.get(settings.SESSION_COOKIE_NAME):
        _as_django_does(client, user, backend)
        return
    request = HttpRequest()
    request.session = _New()
    login(request, user, backend)
    request.session.save()
    client._set_login_cookies(request)
