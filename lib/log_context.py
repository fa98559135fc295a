"""What log lines are about, beside their words: the request, the run, the step. It holds for a thread or a task."""

from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import MappingProxyType

NOTHING: Mapping[str, str | int] = MappingProxyType({})
_about: ContextVar[Mapping[str, str | int]] = ContextVar("log_context", default=NOTHING)


def begin(about: Mapping[str, str | int]) -> Token[Mapping[str, str | int]]:
    """Lines are about this from now on, until `end` is given what this gives."""
    return _about.set(about)


def end(token: Token[Mapping[str, str | int]]) -> None:
    """Lines are about what they were about before."""
    _about.reset(token)


def current() -> Mapping[str, str | int]:
    """What lines are about now."""
    return _about.get()
