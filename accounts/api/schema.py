"""What the OpenAPI document says of authentication and of `Idempotency-Key`."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from accounts.idempotency import HEADER, KEPT_HOURS, VISIBLE
from accounts.limits import IDEMPOTENCY_KEY_CHARACTERS
from lib.api import schema

_IDEMPOTENCY_KEY = OpenApiParameter(
    HEADER,
    {"type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARACTERS, "pattern": f"^{VISIBLE}$"},
    OpenApiParameter.HEADER,
    description=f"Sent again with the same key within {KEPT_HOURS} hours, the request is not repeated: you get the same"
    " response.",
)


class Schema(schema.Schema):
    """Operations with the header that every POST which changes something takes."""

    def get_override_parameters(self) -> list[Any]:
        if self.method != "POST" or not getattr(self.view, "takes_idempotency_key", False):
            return []
        return [_IDEMPOTENCY_KEY]


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
