"""The process that evaluates expressions with list macros: one request after the other, until its pipe closes.

Started by `macros.py` and by nobody else. A request is `marshal` of (source, whether a condition, what it reads);
an answer is one letter for its kind, one for whether another request may follow, a byte for the milliseconds that it
took, and the value as JSON or the error's message. Both come behind their length. Its first, empty answer says that
it is ready.
"""

import marshal
import os
from collections.abc import Iterator, Mapping

import orjson

from engine.confinement import allow_computing, confine, stop_counting
from engine.errors import EngineError
from engine.expressions import compile_here
from engine.macros import ENDS, ERROR, GOES_ON, LENGTH, OUT_OF_MEMORY, VALUE

MESSAGE_CHARACTERS = 2000
MOST_REQUESTS = 1000
ZONES = "/usr/share/zoneinfo"


def main() -> None:
    """Answer what comes in on descriptor 0 on descriptor 1."""
    os.environ.clear()
    _load_time_zones()
    confine()
    _send(b"")
    for number, request in enumerate(_requests(), 1):
        allow_computing()
        kind, text = _answer(request)
        took = stop_counting()
        _send(kind + (GOES_ON if number < MOST_REQUESTS else ENDS) + bytes([took]) + text)


def _answer(request: bytes) -> tuple[bytes, bytes]:
    try:
        source, is_condition, data = marshal.loads(request)  # noqa: S302  the parent wrote it
        return _evaluated(source, is_condition, data)
    except EngineError as exc:
        return ERROR, str(exc)[:MESSAGE_CHARACTERS].encode("utf-8", "backslashreplace")
    except MemoryError:
        return ERROR, f"an expression failed: {OUT_OF_MEMORY}".encode()


def _evaluated(source: str, is_condition: bool, data: Mapping[str, object]) -> tuple[bytes, bytes]:
    expression = compile_here(source)
    value = expression.is_true(data) if is_condition else expression.evaluate(data)
    return VALUE, orjson.dumps(value)


def _load_time_zones() -> None:
    """CEL reads a zone's file when it is first named, and soon no file can be opened any more."""
    hour = compile_here("timestamp(0).getHours(input)")
    for folder, below, files in os.walk(ZONES):
        below[:] = [name for name in below if name not in ("posix", "right")]
        for name in files:
            zone = os.path.relpath(os.path.join(folder, name), ZONES)
            try:
                hour.evaluate({"input": zone})
            except EngineError:
                continue


def _requests() -> Iterator[bytes]:
    while head := _read(LENGTH.size):
        yield _read(LENGTH.unpack(head)[0])


def _read(size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        piece = os.read(0, size - len(content))
        if not piece:
            return b""
        content += piece
    return bytes(content)


def _send(answer: bytes) -> None:
    rest = memoryview(LENGTH.pack(len(answer)) + answer)
    while rest:
        rest = rest[os.write(1, rest) :]
