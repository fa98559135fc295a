"""Calls of whoever has not shown a good token yet: they are a part of all calls, and few of them are of one address.

A stranger's place is taken before the message of the call is there, and given back when the call was answered well. Who
was, is known by the token for some minutes: so others' calls leave half of the process to them.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from contextlib import ExitStack
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

import grpc
from grpc.aio import ServicerContext

from integrations.grpc.calls import Call
from integrations.grpc.limits import ADDRESS_CALLS, KNOWN_TOKENS, STRANGERS_CALLS
from integrations.grpc.problems import problem_of, refuse
from integrations.grpc.standard import StrangersPlaces
from lib.refusals import Invalid, TooMany

MESSAGE_SECONDS = 60.0
"""So long may the message of a stranger's call take to come."""
KNOWN_SECONDS = 600.0
"""How long a token counts as known after a call of a stranger with it was answered."""
_FULL: Final = "Too many calls at once have a token that was not verified recently: try again."
_LATE: Final = "The message of the call has not come in time: try again."

Inner = Callable[[Any, "ServicerContext[Any, Any]"], Awaitable[Any]]


def _nothing() -> None:
    """Nobody is at the door."""


_let_in: ContextVar[Callable[[], None]] = ContextVar("let_in", default=_nothing)


def let_in() -> None:
    """Have the caller of this call known: it was answered well. On the event loop."""
    _let_in.get()()


def _token_digest(metadata: Iterable[tuple[str, str | bytes]] | None) -> bytes:
    """What stands for the token of a call: the token itself needn't be in memory for as long as that."""
    token = next((value for key, value in metadata or () if key == "authorization"), "")
    return hashlib.blake2b(token.encode() if isinstance(token, str) else token, digest_size=16).digest()


class Door(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # it has no types
    """What each call passes, before its message is there."""

    def __init__(self) -> None:
        self._places = StrangersPlaces(ADDRESS_CALLS, STRANGERS_CALLS)
        self._known: dict[bytes, float] = {}

    async def intercept_service(
        self,
        continuation: Callable[[Any], Awaitable["grpc.RpcMethodHandler[Any, Any] | None"]],
        handler_call_details: Any,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """The handler of a call; a stranger's is asked when the call has a place and its message is there."""
        handler = await continuation(handler_call_details)
        digest = _token_digest(handler_call_details.invocation_metadata)
        # Reflection has places of its own.
        if handler is None or handler.request_streaming or self._is_known(digest):
            return handler
        coders = handler.request_deserializer, handler.response_serializer
        if handler.response_streaming:
            enter = partial(self._enter, digest, handler.unary_stream)
            return grpc.stream_stream_rpc_method_handler(enter, *coders)
        return grpc.stream_unary_rpc_method_handler(
            partial(self._enter, digest, handler.unary_unary), *coders
        )

    async def _enter(
        self, digest: bytes, inner: Inner, messages: AsyncIterable[Any], context: "ServicerContext[Any, Any]"
    ) -> Any:
        call = Call.of(context)
        with ExitStack() as place:
            # This process asks itself whether it lives.
            if not call.peer.startswith("unix") and not place.enter_context(self._places.place(call.peer)):
                await refuse(context, call, problem_of(TooMany(_FULL, retry_after=1)))
            _let_in.set(partial(self._know, digest, place))
            message = await self._message(messages, call, context)
            return await inner(message, context)

    async def _message(
        self, messages: AsyncIterable[Any], call: Call, context: "ServicerContext[Any, Any]"
    ) -> Any:
        try:
            async with asyncio.timeout(MESSAGE_SECONDS):
                return await anext(aiter(messages))
        except TimeoutError:
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, _LATE)
        except StopAsyncIteration:
            await refuse(context, call, problem_of(Invalid("The call has no message.")))

    def _is_known(self, digest: bytes) -> bool:
        return self._known.get(digest, 0.0) > asyncio.get_running_loop().time()

    def _know(self, digest: bytes, place: ExitStack) -> None:
        place.close()
        if len(self._known) >= KNOWN_TOKENS:
            self._known.clear()
        self._known[digest] = asyncio.get_running_loop().time() + KNOWN_SECONDS
