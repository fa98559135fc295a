"""Calls as they are counted for Prometheus: how they ended, how long they took, and how many streams are open.

`config.metrics` shows them. The process asks itself each second whether it lives; that is no call.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import grpc
from grpc.aio import ServicerContext

from lib import process_metrics

NO_METHOD = "none"
"""Names of methods that there are not are the callers' own: there would be no end of them."""
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

_calls = process_metrics.counter(
    "handoff_grpc_requests", "Calls of gRPC that ended, by their status.", method=(), code=()
)
_seconds = process_metrics.histogram(
    "handoff_grpc_request_seconds", "How long calls with one answer took.", _SECONDS, ("method",)
)
_streams = process_metrics.latest_gauge("handoff_grpc_streams_open", "Streams that are open.", ("method",))

_BY_NUMBER = {status.value[0]: status for status in grpc.StatusCode}

Behaviour = Callable[[Any, "ServicerContext[Any, Any]"], Any]


class Meter(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # it has no types
    """Counts each call; the outermost that a call passes."""

    def __init__(self, stream_methods: tuple[str, ...] = ()) -> None:
        """Of these methods there are no streams yet, whatever a process before this one has said."""
        self._open: Counter[str] = Counter()
        for method in stream_methods:
            _streams.labels(method).set(0)

    async def intercept_service(
        self,
        continuation: Callable[[Any], Awaitable["grpc.RpcMethodHandler[Any, Any] | None"]],
        handler_call_details: Any,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """The handler of a call, which counts it."""
        handler: Any = await continuation(handler_call_details)
        if handler is None:
            _calls.labels(NO_METHOD, grpc.StatusCode.UNIMPLEMENTED.name).inc()
            return None
        kind = f"{_word(handler.request_streaming)}_{_word(handler.response_streaming)}"
        inner = getattr(handler, kind)
        method = handler_call_details.method.removeprefix("/")
        if inspect.isasyncgenfunction(inner):
            outer: Behaviour = partial(self._each, method, inner)
        else:
            outer = partial(self._one, method, handler.response_streaming, inner)
        factory = getattr(grpc, f"{kind}_rpc_method_handler")
        counted: grpc.RpcMethodHandler[Any, Any] = factory(
            outer, handler.request_deserializer, handler.response_serializer
        )
        return counted

    async def _one(
        self,
        method: str,
        is_stream: bool,
        inner: Behaviour,
        request: Any,
        context: "ServicerContext[Any, Any]",
    ) -> Any:
        with self._counted(method, is_stream, context):
            return await inner(request, context)

    async def _each(
        self, method: str, inner: Behaviour, request: Any, context: "ServicerContext[Any, Any]"
    ) -> AsyncIterator[Any]:
        with self._counted(method, True, context):
            async for answer in inner(request, context):
                yield answer

    @contextmanager
    def _counted(self, method: str, is_stream: bool, context: "ServicerContext[Any, Any]") -> Iterator[None]:
        if context.peer().startswith("unix"):
            yield
            return
        began, code = perf_counter(), grpc.StatusCode.OK
        if is_stream:
            self._stands(method, 1)
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            code = grpc.StatusCode.CANCELLED
            raise
        except BaseException:
            # What was refused has said so to the context.
            code = _said(context) or grpc.StatusCode.UNKNOWN
            raise
        finally:
            _calls.labels(method, code.name).inc()
            if is_stream:
                self._stands(method, -1)
            else:
                _seconds.labels(method).observe(perf_counter() - began)

    def _stands(self, method: str, more: int) -> None:
        self._open[method] += more
        _streams.labels(method).set(self._open[method])


def _word(is_streaming: bool) -> str:
    return "stream" if is_streaming else "unary"


def _said(context: "ServicerContext[Any, Any]") -> grpc.StatusCode | None:
    code: Any = context.code()
    return code if isinstance(code, grpc.StatusCode) else _BY_NUMBER.get(code)
