"""The trace that somebody's call is of (W3C Trace Context): read from headers, kept, and told with calls of ours.

What is not as the standard says is as if it were not there. Which one is passed on holds for a thread or a task.
"""

from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass, replace
from hashlib import blake2b

_LENGTH, _DASHES = 55, (2, 35, 52)
_HEX = frozenset("0123456789abcdef")
MOST_STATE, _MOST_MEMBERS = 512, 32
_NO_TRACE, _NO_SPAN = "0" * 32, "0" * 16


@dataclass(frozen=True, slots=True)
class Trace:
    """A `traceparent` that is valid, and the `tracestate` beside it, if any."""

    parent: str
    state: str | None = None

    @property
    def id(self) -> str:
        """The id of the trace: 32 hexadecimal digits."""
        return self.parent[3:35]

    @property
    def span(self) -> str:
        """The id of the span that is its parent: 16 hexadecimal digits."""
        return self.parent[36:52]

    @property
    def flags(self) -> int:
        """The flags; the lowest bit says whether it is recorded."""
        return int(self.parent[53:], 16)

    def within(self, span: str) -> "Trace":
        """The same trace for whoever is called by this span of it."""
        return replace(self, parent=f"{self.parent[:36]}{span}{self.parent[52:]}")

    def headers(self) -> dict[str, str]:
        """With which headers it is told on."""
        parent = {"traceparent": self.parent}
        return parent | {"tracestate": self.state} if self.state else parent


def parse(parent: str | None, state: str | None = None) -> Trace | None:
    """The trace of these two headers; None where there is none, or where the first is not as version 00 says."""
    if parent is None or len(parent) != _LENGTH or any(parent[place] != "-" for place in _DASHES):
        return None
    version, trace, span, flags = parent[:2], parent[3:35], parent[36:52], parent[53:]
    if version != "00" or not _HEX.issuperset(trace + span + flags):
        return None
    if trace == _NO_TRACE or span == _NO_SPAN:
        return None
    return Trace(parent, state if state and _is_simple(state) else None)


def begun_by(uuid: str) -> Trace:
    """The trace that begins with what has this UUID (of version 4 or 7): whoever knows that one knows its ids."""
    digits = uuid.replace("-", "")
    return Trace(f"00-{digits}-{first_span(uuid)}-01")


def first_span(uuid: str) -> str:
    """The id of the span of what has this UUID: the half of it that is random, and never all zeros."""
    return uuid.replace("-", "")[16:]


def span_id(*names: str | int) -> str:
    """The id of a span that has these names: the same whoever asks, and at any time."""
    return (
        blake2b("/".join(map(str, names)).encode(), digest_size=8)
        .hexdigest()
        .replace(_NO_SPAN, "0" * 15 + "1")
    )


def of_headers(headers: Mapping[str, str]) -> Trace | None:
    """The trace that a request is of."""
    return parse(headers.get("traceparent"), headers.get("tracestate"))


def _is_simple(state: str) -> bool:
    """Whether it is a list of `key=value` in plain signs, of the length that everybody must take."""
    if len(state) > MOST_STATE or not state.isascii() or not state.isprintable():
        return False
    members = state.split(",")
    return len(members) <= _MOST_MEMBERS and all("=" in one[1:] for one in members if one.strip())


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def begin(trace: Trace | None) -> Token[Trace | None]:
    """What is called from now on is told of this trace, until `end` is given what this gives."""
    return _current.set(trace)


def end(token: Token[Trace | None]) -> None:
    """What is called is told what it was told before."""
    _current.reset(token)


def headers() -> dict[str, str]:
    """The headers that tell a call of the trace that it is of; none where it is of none."""
    trace = _current.get()
    return trace.headers() if trace else {}
