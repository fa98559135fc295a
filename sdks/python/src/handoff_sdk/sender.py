"""Sending calls, one way that blocks and one for asyncio: again where that is safe."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from handoff_sdk.calls import (
    Attempts,
    Call,
    Retries,
    arguments_of,
    decode,
    is_result,
    next_page,
    no_response,
    settings,
)
from handoff_sdk.errors import ApiError, NoResponse, error_of

T = TypeVar("T")


class Sender:
    """Sends calls with a token. `Client` adds a method for each thing that can be asked for."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        """`url` is that of the API (`http://…/api/v1`); both come from `HANDOFF` and `TOKEN` where they are left out.

        `http` is a client of your own (proxies, certificates); its address and headers are set. Raises ValueError.
        """
        set_up = settings(url, token)
        self._http = http or httpx.Client()
        self._http.base_url = set_up["base_url"]
        self._http.headers.update(set_up["headers"])
        self._retries = retries or Retries()

    def send(self, call: Call[T]) -> T:
        """What the call is answered with. Raises ApiError and NoResponse once no other try may help."""
        arguments, attempts = arguments_of(call), Attempts(call, self._retries)
        while True:
            error: ApiError | NoResponse
            try:
                answer = self._http.request(**arguments)
            except httpx.TransportError as problem:
                error = no_response(problem)
            else:
                if is_result(call, answer):
                    value: T = decode(call, answer)
                    return value
                error = error_of(answer)
            pause = attempts.pause_after(error)
            if pause is None:
                raise error
            time.sleep(pause)

    def pages(self, call: Call[Any]) -> Iterator[Any]:
        """What a list holds, page after page."""
        following: Call[Any] | None = call
        while following is not None:
            page = self.send(following)
            yield from page["results"]
            following = next_page(following, page)

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncSender:
    """As `Sender`, for asyncio."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        retries: Retries | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """As `Sender`'s."""
        set_up = settings(url, token)
        self._http = http or httpx.AsyncClient()
        self._http.base_url = set_up["base_url"]
        self._http.headers.update(set_up["headers"])
        self._retries = retries or Retries()

    async def send(self, call: Call[T]) -> T:
        """As `Sender.send`."""
        value: T = decode(call, await self.send_raw(call))
        return value

    async def send_raw(self, call: Call[Any]) -> httpx.Response:
        """The HTTP response, which is no error. Raises as `send`."""
        arguments, attempts = arguments_of(call), Attempts(call, self._retries)
        while True:
            error: ApiError | NoResponse
            try:
                answer = await self._http.request(**arguments)
            except httpx.TransportError as problem:
                error = no_response(problem)
            else:
                if is_result(call, answer):
                    return answer
                error = error_of(answer)
            pause = attempts.pause_after(error)
            if pause is None:
                raise error
            await asyncio.sleep(pause)

    async def pages(self, call: Call[Any]) -> AsyncIterator[Any]:
        """What a list holds, page after page."""
        following: Call[Any] | None = call
        while following is not None:
            page = await self.send(following)
            for row in page["results"]:
                yield row
            following = next_page(following, page)

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
