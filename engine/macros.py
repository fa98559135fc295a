"""Children that evaluate expressions with list macros, whose memory and time nothing else bounds.

Each process keeps two of its own, started at the first use (docs/security.md, "Expression language"). Their fate is
tied to pipes: a child ends when its parent has gone, and a fork starts with none, because it closes its copies of them.
"""

import atexit
import contextlib
import marshal
import os
import queue
import select
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

import orjson

from engine.catalogue import Json

CHILDREN = 2
WALL_MS = 250
# A child that had no answer by then, and had not computed for long enough to be ended for it, had no processor.
STARVED_MS = 2000
START_MS = 30_000
ANSWER_BYTES = 64 * 1024 + 16 * 1024
LIMIT = f"{WALL_MS} ms"
LENGTH = struct.Struct("<I")
VALUE, ERROR, GOES_ON, ENDS = b"v", b"e", b"+", b"."
OUT_OF_MEMORY = "it needs more memory than an expression may use"

_TOO_LONG = f"it takes longer than the {LIMIT} that an expression may take"
_MAIN = "import sys; sys.path += sys.argv[1:]; from engine.macro_child import main; main()"
_ROOT = str(Path(__file__).resolve().parents[1])
_TIME_SIGNALS = (-signal.SIGPROF, -signal.SIGXCPU)


class Breach(Exception):
    """The expression has no value: it broke a limit, ended its process, or failed (the message says why).

    `is_whole`: the message is a whole sentence, not only the reason; `is_late`: it took too long.
    """

    def __init__(self, reason: str, *, is_whole: bool = False) -> None:
        super().__init__(reason)
        self.is_whole = is_whole
        self.is_late = reason == _TOO_LONG


def evaluate_apart(source: str, data: Mapping[str, object], *, is_condition: bool) -> tuple[Json, int]:
    """The value of an expression that reads `data`, from a child process; true or false for a condition. With it the
    milliseconds that the child computed.

    Any number of threads may ask; they take turns. Raises Breach, and OSError where no child can be started: that
    says nothing about the expression.
    """
    request = _packed(source, data, is_condition)
    pool = _pool()
    slot = pool.free.get()
    try:
        answer = slot.ask(request)
    finally:
        pool.free.put(slot)
    if answer[:1] == VALUE:
        return orjson.loads(answer[3:]), answer[2]
    raise Breach(answer[3:].decode(), is_whole=True)


def _packed(source: str, data: Mapping[str, object], is_condition: bool) -> bytes:
    # JSON would turn NaN into null.
    scope: Any = data
    try:
        text = marshal.dumps((source, is_condition, scope))
    except ValueError:
        # Subclasses of plain types, which JSON takes as what they are.
        text = marshal.dumps((source, is_condition, orjson.loads(orjson.dumps(scope))))
    return LENGTH.pack(len(text)) + text


class _Child:
    """One process and the parent's ends of its pipes."""

    __slots__ = ("_in", "_is_ready", "_out", "_readable", "_writable", "process")

    def __init__(self) -> None:
        paths = [_ROOT, *(os.path.abspath(path) for path in sys.path)]
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _MAIN, *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
            cwd="/",
            # What a terminal or a supervisor sends to the group of the parent must not end an evaluation.
            process_group=0,
        )
        self._in = cast(IO[bytes], self.process.stdin).fileno()
        self._out = cast(IO[bytes], self.process.stdout).fileno()
        os.set_blocking(self._in, False)
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(self._in, select.POLLOUT)
        self._readable.register(self._out, select.POLLIN)
        self._is_ready = False

    def ask(self, request: bytes, patience_ms: int) -> bytes:
        """The answer. Raises TimeoutError, BrokenPipeError where it was gone before, EOFError where it ended."""
        if not self._is_ready:
            self._await_start()
        rest = memoryview(request)
        while rest:
            if not self._writable.poll(patience_ms):
                raise TimeoutError
            rest = rest[os.write(self._in, rest) :]
        return self._receive(patience_ms)

    def _await_start(self) -> None:
        try:
            self._receive(START_MS)
        except (EOFError, TimeoutError) as exc:
            raise OSError("a process for list macros did not start") from exc
        self._is_ready = True

    def _receive(self, patience_ms: int) -> bytes:
        content = bytearray()
        size = LENGTH.size
        while len(content) < size:
            if not self._readable.poll(patience_ms):
                raise TimeoutError
            piece = os.read(self._out, ANSWER_BYTES)
            content += piece
            if len(content) >= LENGTH.size:
                size = LENGTH.size + LENGTH.unpack(content[: LENGTH.size])[0]
            if not piece or size > ANSWER_BYTES:
                raise EOFError
        return bytes(content[LENGTH.size :])

    def close(self) -> None:
        """Let go of the pipes."""
        cast(IO[bytes], self.process.stdin).close()
        cast(IO[bytes], self.process.stdout).close()

    def end(self) -> int:
        """Kill it; gives what it ended of: it may have ended before."""
        self.process.kill()
        return self.process.wait()

    def disown(self) -> None:
        """It belongs to another process: close the copies of its pipes, and never wait for it."""
        self.close()
        self.process.returncode = 0


class _Slot:
    """The place of one child, made with `_lock` held; who holds the slot may use it."""

    __slots__ = ("child",)

    def __init__(self) -> None:
        self.child: _Child | None = None
        with contextlib.suppress(OSError):
            self.child = _Child()

    def ask(self, request: bytes) -> bytes:
        """The answer of this slot's child, or of the one after it where it was gone or had no processor.

        Raises Breach, or OSError where none can be started.
        """
        for patience_ms in (WALL_MS, STARVED_MS):
            try:
                answer = (self.child or self.start()).ask(request, patience_ms)
            except (TimeoutError, BrokenPipeError):
                self.replace()
            except EOFError:
                raise Breach(_reason(self.replace())) from None
            except BaseException:
                # An answer that nobody waited for would be taken for the next one's.
                self.discard()
                raise
            else:
                if answer[1:2] != GOES_ON:
                    self.replace()
                return answer
        raise Breach(_TOO_LONG)

    def start(self) -> _Child:
        """Start a child without waiting until it is ready. Raises OSError."""
        with _lock:
            self.child = child = _Child()
        return child

    def discard(self) -> int:
        """End the child, if there is one; gives what it ended of."""
        with _lock:
            child, self.child = self.child, None
            if child is None:
                return 0
            child.close()
        return child.end()

    def replace(self) -> int:
        """End the child and start the next one, so that it is warm when it is wanted."""
        code = self.discard()
        with contextlib.suppress(OSError):
            self.start()
        return code


class _Pool:
    """The slots of one process; made with `_lock` held, because its children start at once."""

    def __init__(self) -> None:
        self.slots = tuple(_Slot() for _ in range(CHILDREN))
        self.free: queue.SimpleQueue[_Slot] = queue.SimpleQueue()
        for slot in self.slots:
            self.free.put(slot)


def _reason(code: int) -> str:
    if code in _TIME_SIGNALS:
        return _TOO_LONG
    return f"{OUT_OF_MEMORY}, or it broke its process"


# --- which processes there are -----------------------------------------------------------------------------------

# Held while children appear or go, and across a fork: a fork must know every pipe whose copy it has to close.
_lock = threading.Lock()
_current: _Pool | None = None


def _pool() -> _Pool:
    global _current
    with _lock:
        if _current is None:
            _current = _Pool()
        return _current


def _after_fork() -> None:
    global _current
    for slot in _current.slots if _current else ():
        if slot.child is not None:
            slot.child.disown()
    _current = None
    _lock.release()


def _at_exit() -> None:
    for slot in _current.slots if _current else ():
        slot.discard()


os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_after_fork)
atexit.register(_at_exit)
