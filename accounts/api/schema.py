"""How the OpenAPI document describes our authentication."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema


class BearerScheme(OpenApiAuthenticationExtension):
    """API tokens."""

    target_class = "accounts.api.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "An API token (`manage.py create_token`)."}


class SessionScheme(OpenApiAuthenticationExtension):
    """The session cookie of the pages."""

    target_class = "accounts.api.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "session"}
