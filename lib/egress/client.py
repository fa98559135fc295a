"""The one door to the outside: a request, checked, bounded in time and size, and its whole answer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from lib.egress.addresses import literal
from lib.egress.body import ENCODINGS, whole
from lib.egress.deadline import Deadline
from lib.egress.errors import EgressError, EgressFailed, EgressRedirects, EgressRefused
from lib.egress.rules import EgressRules
from lib.egress.transport import CheckedTransport

MOST_URL_BYTES = 8 * 1024
_METHOD = re.compile(r"[A-Z]{1,20}")
_FORBIDDEN_METHODS = {"CONNECT", "TRACE"}
# Where the message goes, where it ends and what becomes of the connection is decided here.
_OUR_HEADERS = frozenset(
    {
        "host",
        "content-length",
        "transfer-encoding",
        "te",
        "trailer",
        "expect",
        "connection",
        "keep-alive",
        "upgrade",
    }
    | {"proxy-authorization", "proxy-connection"}
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Any other header may be somebody's secret, whatever its name.
_FOR_EVERY_ORIGIN = frozenset(
    {"accept", "accept-encoding", "accept-language", "idempotency-key", "user-agent"}
)


@dataclass(frozen=True, slots=True)
class EgressResponse:
    """An answer: header names in lower case, repeated ones joined by commas; the body decompressed; who gave it."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


@dataclass(frozen=True, slots=True)
class Egress:
    """A client that keeps to `rules` (docs/security.md, "Egress client"); it keeps no connection and no cookie."""

    rules: EgressRules

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: bytes | None,
        timeout_seconds: float,
        max_bytes: int,
        follow_redirects: int = 0,
        is_answer: Callable[[int], bool] = lambda status: False,
    ) -> EgressResponse:
        """The whole answer to one request, whatever its status.

        `timeout_seconds` are for all of it, redirects included; `max_bytes` for the body after decompression.
        `is_answer`: whether a redirect with this status is the answer, and not followed.
        Raises EgressRefused (a rule), EgressFailed (no connection or no HTTP), EgressTimeout, EgressTooLarge.
        """
        deadline = Deadline(timeout_seconds)
        request = _request(method, url_of(url), headers, content)
        hops = 0
        try:
            while True:
                response = self._exchange(request, deadline, max_bytes)
                location = response.headers.get("location")
                is_redirect = response.status in _REDIRECTS and not is_answer(response.status)
                if not follow_redirects or not is_redirect or location is None:
                    return response
                hops += 1
                if hops > follow_redirects:
                    raise EgressRedirects(f"{request.url.host} redirects more than {follow_redirects} times.")
                request = _redirected(request, response.status, location)
        except EgressError as error:
            error.hops = hops
            raise

    def _exchange(self, request: httpx.Request, deadline: Deadline, max_bytes: int) -> EgressResponse:
        with CheckedTransport(self.rules, deadline) as transport:
            answer = transport.handle_request(request)
            if answer.status_code < 200:
                raise EgressFailed(f"{request.url.host} wants a protocol other than HTTP.")
            try:
                body = whole(answer.iter_raw(), answer.headers.get("content-encoding", ""), max_bytes)
            except EgressError as error:
                error.status = answer.status_code
                raise
        return EgressResponse(answer.status_code, dict(answer.headers), body, str(request.url))


def _request(method: str, url: httpx.URL, headers: Mapping[str, str], content: bytes | None) -> httpx.Request:
    if not _METHOD.fullmatch(method) or method in _FORBIDDEN_METHODS:
        raise EgressRefused(f"{method[:20]!r} is not an allowed method.")
    for name in headers:
        if name.lower() in _OUR_HEADERS:
            raise EgressRefused(f"The header {name} can't be set.")
    fields = {"accept-encoding": ENCODINGS, **{name.lower(): value for name, value in headers.items()}}
    try:
        return httpx.Request(method, url, headers={**fields, "connection": "close"}, content=content)
    except UnicodeEncodeError:
        raise EgressRefused("Names and values of headers can be ASCII only.") from None


def url_of(text: str) -> httpx.URL:
    """A URL that may be asked for, as far as its spelling says. Raises EgressRefused."""
    if len(text.encode(errors="replace")) > MOST_URL_BYTES:
        raise EgressRefused(f"The URL has more than {MOST_URL_BYTES:,} bytes.")
    try:
        url = httpx.URL(text).copy_with(fragment=None)
        # The name is decoded only here, and `xn--` is none.
        _ = url.host
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise EgressRefused(f"This is not a URL: {error}.") from None
    if url.scheme not in ("http", "https"):
        raise EgressRefused("Only URLs that begin with http:// or https:// may be used.")
    if url.userinfo:
        raise EgressRefused("A URL may not hold a user or password; send them in a header.")
    _check_host(url)
    return url


def _check_host(url: httpx.URL) -> None:
    host = url.raw_host.decode("ascii")
    if not host or "%" in host:
        raise EgressRefused("The URL has no valid host.")
    if url.port is not None and not 0 < url.port < 65_536:
        raise EgressRefused(f"There is no port {url.port}.")
    last = host.rstrip(".").rpartition(".")[2].lower()
    looks_numeric = last.isdigit() or re.fullmatch("0x[0-9a-f]*", last)
    # 0177.1, 2130706433: each resolver has its own idea of what these mean.
    if looks_numeric and literal(host) is None:
        raise EgressRefused(f"{host} is neither a name nor an address; write addresses with four numbers.")


def _redirected(request: httpx.Request, status: int, location: str) -> httpx.Request:
    """The request that a redirect asks for. Raises EgressRefused where it would give away what isn't meant for it."""
    try:
        target = url_of(str(request.url.join(location)))
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise EgressRefused(f"{request.url.host} redirects to an invalid URL: {error}.") from None
    if request.url.scheme == "https" and target.scheme == "http":
        raise EgressRefused(f"{request.url.host} redirects from https to http.")
    becomes_get = status == 303 or (status in (301, 302) and request.method == "POST")
    method = "GET" if becomes_get and request.method != "HEAD" else request.method
    content = None if becomes_get else request.content or None
    fields = {name: value for name, value in request.headers.items() if name not in _OUR_HEADERS}
    if becomes_get:
        fields.pop("content-type", None)
    if _origin(request.url) != _origin(target):
        if content is not None:
            raise EgressRefused(f"{request.url.host} redirects a request with a body to {target.host}.")
        fields = {name: value for name, value in fields.items() if name in _FOR_EVERY_ORIGIN}
    return _request(method, target, fields, content)


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)
