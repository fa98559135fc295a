"""How a caller of the API says who they are: a Bearer token, or the session of a page."""

from rest_framework import authentication, exceptions
from rest_framework.request import Request

from accounts.devices import address_of
from accounts.models import User
from accounts.principal import Principal
from accounts.services import BadToken, authenticate_token
from accounts.sessions import principal_of


class BearerAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer TOKEN`; a token that is shown but not valid is a 401, whatever else is there."""

    def authenticate(self, request: Request) -> tuple[User, Principal] | None:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        if not scheme:
            return None
        if scheme.lower() != "bearer":
            raise exceptions.AuthenticationFailed("Use `Authorization: Bearer TOKEN`.")
        try:
            principal = authenticate_token(text.strip(), address_of(request._request))
        except BadToken as refusal:
            raise exceptions.AuthenticationFailed(refusal.message) from None
        return User(pk=principal.user_id, username=principal.username), principal

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class SessionAuthentication(authentication.SessionAuthentication):
    """The session of a logged-in page; changes need its CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, Principal] | None:
        login = super().authenticate(request)
        principal = principal_of(request._request) if login else None
        if login is None or principal is None:
            return None
        return login[0], principal

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as error:
            raise CsrfFailed(str(error.detail)) from None


class CsrfFailed(exceptions.PermissionDenied):
    """The CSRF token is missing or wrong."""

    default_code = "csrf_failed"
