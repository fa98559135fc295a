"""A call as the threads that do it see it, and who makes it."""

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote
from uuid import UUID

from django.conf import settings
from google.protobuf.message import Message
from grpc.aio import ServicerContext
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated

from accounts.guards import require_parts
from accounts.principal import Principal
from accounts.services import BadToken, authenticate_token
from lib.api.serializers import Parsed
from lib.client_address import client_address, is_on_this_machine
from lib.refusals import Invalid, Missing
from lib.waiting import Attempt
from runs.api.run_ids import PREFIX, run_named

REQUEST_ID: Final = "x-request-id"
_ACCEPTABLE = re.compile(r"[A-Za-z0-9_\-]{1,64}")


@dataclass(frozen=True, slots=True)
class Call:
    """What a call says of itself beside its message. `peer`: who is connected; `deadline`: seconds until it is over.

    `warnings`: what is told beside a good answer. `attempt`: what whoever answers it learns to undo.
    `callers`: who makes it, as soon as that is known.
    """

    metadata: Mapping[str, str]
    peer: str
    request_id: str
    deadline: float | None = None
    warnings: list[str] = field(default_factory=list)
    attempt: Attempt = field(default_factory=Attempt)
    callers: list[Principal] = field(default_factory=list)

    @classmethod
    def of(cls, context: "ServicerContext[Any, Any]") -> "Call":
        """The call that gRPC tells of; of values that come more than once the last one counts."""
        pairs = context.invocation_metadata() or ()
        metadata = {key: value for key, value in pairs if isinstance(value, str)}
        header = metadata.get(REQUEST_ID, "")
        request_id = header if _ACCEPTABLE.fullmatch(header) else uuid.uuid4().hex
        return cls(metadata, context.peer(), request_id, context.time_remaining())

    @property
    def address(self) -> str:
        """The address of the client, behind proxies that are trusted."""
        _, _, remote = unquote(self.peer).partition(":")
        forwarded = self.metadata.get("x-forwarded-for", "")
        return client_address(remote, forwarded, settings.HANDOFF_TRUSTED_PROXIES)

    @property
    def is_local(self) -> bool:
        """Whether the client is on this machine."""
        _, _, remote = unquote(self.peer).partition(":")
        return is_on_this_machine(remote, self.metadata, settings.HANDOFF_TRUSTED_PROXIES)


@dataclass(frozen=True, slots=True)
class NativeRequest:
    """A call of the native services: who asks for what."""

    principal: Principal
    payload: Parsed
    call: Call
    attempt: Attempt = field(default_factory=Attempt)

    def take_id(self, name: str, missing: str) -> UUID:
        """As `id_in`, of the payload."""
        return id_in(self.payload, name, missing)


Do = Callable[[NativeRequest], Mapping[str, Any] | Message]
"""What is answered: the message, or the row of REST's that it says."""


def id_in(payload: Parsed, name: str, missing: str) -> UUID:
    """Take the id of this name out of a body. Raises Invalid where there is none; Missing, saying `missing`, for what
    is no id of ours.
    """
    text = payload.pop(name, None)
    if text is None:
        raise Invalid("This field is required.", code="required", field=name)
    try:
        return (run_named(text) if text.startswith(PREFIX) else None) or UUID(text)
    except ValueError:
        raise Missing(missing, field=name) from None


def principal_of(call: Call) -> Principal:
    """Who makes the call, by the token in its `authorization`. Raises what REST raises."""
    scheme, _, text = call.metadata.get("authorization", "").partition(" ")
    if not scheme:
        raise NotAuthenticated
    if scheme.lower() != "bearer":
        raise AuthenticationFailed("Use `authorization: Bearer TOKEN`.")
    try:
        call.callers.append(authenticate_token(text.strip(), call.address))
        return call.callers[-1]
    except BadToken as refusal:
        raise AuthenticationFailed(refusal.message) from None


def admitted(call: Call, scope: str) -> Principal:
    """Who makes the call, if they hold the scope. Raises what REST raises, and Invalid for a key without effect."""
    principal = principal_of(call)
    principal.require(scope)
    if "idempotency-key" in call.metadata:
        message = (
            "gRPC takes no Idempotency-Key: a business_key, signal_id or lease_token does the same here."
        )
        raise Invalid(message, field="idempotency-key")
    return principal


def require_run(principal: Principal, scope: str, run_id: UUID) -> None:
    """Let pass who may do what the scope is about with the run. Raises Missing and Forbidden."""
    require_parts(principal, scope, {"run_id": run_id})
