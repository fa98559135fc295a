"""From where a change comes: the door, and the address of the client as far as proxies are trusted."""

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

PAGE, REST, GRPC, COMMAND, SERVER = "page", "rest", "grpc", "command", "server"
DOORS = (PAGE, REST, GRPC, COMMAND, SERVER)


@dataclass(frozen=True, slots=True)
class Origin:
    """A door, and the address at the other end of it."""

    door: str
    address: str = ""


_origin: ContextVar[Callable[[], Origin] | None] = ContextVar("origin", default=None)


@contextmanager
def coming_from(find: Callable[[], Origin]) -> Iterator[None]:
    """What is changed meanwhile comes from there; it is asked for only if something is changed."""
    token = _origin.set(find)
    try:
        yield
    finally:
        _origin.reset(token)


def current(via: str) -> Origin:
    """From where somebody acts who came `via` this; what nobody asks for at the moment is done by the server."""
    if (find := _origin.get()) is not None:
        return find()
    return Origin(COMMAND, os_user()) if via == "command" else Origin(SERVER)


@cache
def os_user() -> str:
    """Who runs this process, as `os:NAME`; no username has a colon."""
    try:
        return f"os:{getpass.getuser()}"[:64]
    except (OSError, KeyError):
        return "os:unknown"
