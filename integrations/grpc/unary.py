"""Calls with one answer: done in a thread, tried again while they wait, undone for who has left."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from grpc.aio import ServicerContext

from accounts.principal import Principal
from integrations.grpc.calls import Call, Do, NativeRequest, admitted
from integrations.grpc.contract import message_class
from integrations.grpc.limits import WARNING_CHARACTERS
from integrations.grpc.news import News
from integrations.grpc.problems import Describe, problem_of, refuse, told
from integrations.grpc.rows import filled, given, parsed
from integrations.grpc.strangers import let_in
from integrations.grpc.threads import Threads
from lib.api.errors import Problem
from lib.waiting import Attempt

Answering = Callable[[Call, bytes, Attempt], bytes]
# So much earlier than a deadline a poll without jobs is answered.
_EARLY_SECONDS = 0.3
WARNING = "handoff-warning-bin"


class Unary:
    """Makes handlers of calls with one answer."""

    def __init__(self, threads: Threads, news: News) -> None:
        self._threads, self._news = threads, news

    def handler(
        self, answer: Answering, describe: Describe = problem_of
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """A handler of bytes: they are read and written by the thread that answers."""
        return grpc.unary_unary_rpc_method_handler(partial(self._handle, answer, describe))

    async def _handle(
        self, answer: Answering, describe: Describe, raw: bytes, context: "ServicerContext[Any, Any]"
    ) -> bytes:
        call = Call.of(context)
        clock = asyncio.get_running_loop().time
        ends_at: float | None = None
        while True:
            attempt = Attempt(is_first=ends_at is None)
            work = partial(answer, call, raw, attempt)
            response = await self._threads.do(
                partial(told, call, work, describe, is_first=attempt.is_first), partial(_undo, attempt)
            )
            if isinstance(response, Problem):
                await refuse(context, call, response)
            let_in()
            ends_at = ends_at or clock() + _patience(attempt, call)
            left = ends_at - clock()
            if not attempt.wait_seconds or left <= 0 or not await self._news.wait(attempt, left):
                break
        if call.warnings:
            context.set_trailing_metadata(((WARNING, " ".join(call.warnings)[:WARNING_CHARACTERS].encode()),))
        if context.cancelled() and attempt.undo is not None:
            self._threads.later(attempt.undo)
        return response


def _patience(attempt: Attempt, call: Call) -> float:
    if call.deadline is None:
        return attempt.wait_seconds
    return min(attempt.wait_seconds, call.deadline - _EARLY_SECONDS)


def _undo(attempt: Attempt) -> None:
    if attempt.undo is not None:
        attempt.undo()


def native(method: MethodDescriptor, scope: str, do: Do) -> Answering:
    """Answers a call of ours by a function of what is asked; who asks must hold the scope."""
    takes, gives = message_class(method.input_type.full_name), message_class(method.output_type.full_name)

    def answer(call: Call, raw: bytes, attempt: Attempt) -> bytes:
        principal: Principal = admitted(call, scope)
        request = NativeRequest(principal, given(parsed(takes, raw)), call, attempt)
        response = do(request)
        message = response if isinstance(response, Message) else filled(gives, response)
        return bytes(message.SerializeToString())

    return answer
