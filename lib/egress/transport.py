"""An httpx transport that makes one connection for one request, through the checks."""

import ssl
from collections.abc import Iterator
from functools import cache

import httpcore
import httpx

from lib.egress.deadline import Deadline
from lib.egress.errors import EgressFailed, EgressRefused, EgressTooLarge
from lib.egress.network import CheckedNetwork
from lib.egress.rules import EgressRules

MOST_HEADERS = 200
MOST_HEADER_BYTES = 64 * 1024


class CheckedTransport(httpx.BaseTransport):
    """For one request, and to be closed after it. Neither proxies nor cookies nor anything else of the environment."""

    def __init__(self, rules: EgressRules, deadline: Deadline) -> None:
        self._rules = rules
        self._deadline = deadline
        self._connection: httpcore.HTTPConnection | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it; the body of the answer is read as it is iterated over. Raises EgressError."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        self._connection = httpcore.HTTPConnection(
            url.origin,
            ssl_context=_tls(self._rules.ca_file) if request.url.scheme == "https" else None,
            network_backend=CheckedNetwork(self._rules, self._deadline),
        )
        answer = self._sent(
            self._connection,
            httpcore.Request(request.method, url, headers=request.headers.raw, content=request.read()),
        )
        _check_headers(answer)
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer))

    @staticmethod
    def _sent(connection: httpcore.HTTPConnection, request: httpcore.Request) -> httpcore.Response:
        try:
            return connection.handle_request(request)
        except httpcore.LocalProtocolError as error:
            raise EgressRefused(f"The request can't be sent: {error}.") from None
        except httpcore.RemoteProtocolError as error:
            if getattr(error.__cause__, "error_status_hint", None) == _TOO_LARGE:
                raise _too_many() from None
            raise EgressFailed(f"The answer is not valid HTTP: {str(error).rstrip('.')}.") from None

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()


_TOO_LARGE = 431


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._answer.iter_stream()
        except httpcore.RemoteProtocolError as error:
            raise EgressFailed(f"The answer broke off: {str(error).rstrip('.')}.") from None

    def close(self) -> None:
        self._answer.close()


def _check_headers(answer: httpcore.Response) -> None:
    headers = answer.headers
    if len(headers) > MOST_HEADERS or sum(len(n) + len(v) for n, v in headers) > MOST_HEADER_BYTES:
        error = _too_many()
        error.status = answer.status
        raise error


def _too_many() -> EgressTooLarge:
    return EgressTooLarge(
        f"The answer has more than {MOST_HEADERS} headers, or {MOST_HEADER_BYTES // 1024} KiB of them."
    )


@cache
def _tls(ca_file: str | None) -> ssl.SSLContext:
    """Certificates are always checked: against the public authorities, the system's and those of `ca_file`."""
    context = httpx.create_ssl_context(verify=True, trust_env=False)
    context.load_default_certs()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context
