"""What `lib.quiet_redis` keeps in Redis, in the memory of the processes that ask for it: each tells the others what it
changes. Who starts anew has forgotten it.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from lib.noticeboard import MOST_BYTES, board

CHANNEL = "handoff_quiet"
MOST_KEYS = 20_000
_CHANGES = frozenset({"HSET", "HDEL", "EXPIRE", "SADD", "LPUSH", "LTRIM"})


class Memory:
    """The commands that are asked for, on dictionaries; keys end by themselves, and are `MOST_KEYS` at most."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._values: dict[str, Any] = {}
        self._ends: dict[str, float] = {}
        self._lock = threading.Lock()

    def run(self, command: Sequence[object]) -> Any:
        """Do one command; gives what Redis would answer. Raises KeyError for one that is not known here."""
        name, key, *arguments = command
        act = _ACTS[str(name).upper()]
        with self._lock:
            self._forget(str(key))
            return act(self, str(key), arguments)

    def _forget(self, key: str) -> None:
        """What has ended; where there are too many, those that end first."""
        now = self._clock()
        if self._ends.get(key, now) < now:
            self._drop(key)
        if len(self._values) >= MOST_KEYS and key not in self._values:
            for old in sorted(self._values, key=lambda one: self._ends.get(one, now))[: MOST_KEYS // 10]:
                self._drop(old)

    def _drop(self, key: str) -> None:
        self._values.pop(key, None)
        self._ends.pop(key, None)

    def _hset(self, key: str, arguments: Sequence[object]) -> int:
        self._values.setdefault(key, {})[_bytes(arguments[0])] = _bytes(arguments[1])
        return 1

    def _hdel(self, key: str, arguments: Sequence[object]) -> int:
        fields = self._values.get(key, {})
        return sum(fields.pop(_bytes(field), None) is not None for field in arguments)

    def _hgetall(self, key: str, arguments: Sequence[object]) -> dict[bytes, bytes]:
        return dict(self._values.get(key, {}))

    def _sadd(self, key: str, arguments: Sequence[object]) -> int:
        members = self._values.setdefault(key, set())
        before = len(members)
        members.update(map(_bytes, arguments))
        return len(members) - before

    def _smembers(self, key: str, arguments: Sequence[object]) -> set[bytes]:
        return set(self._values.get(key, ()))

    def _lpush(self, key: str, arguments: Sequence[object]) -> int:
        self._values[key] = [*reversed([*map(_bytes, arguments)]), *self._values.get(key, [])]
        return len(self._values[key])

    def _ltrim(self, key: str, arguments: Sequence[object]) -> bool:
        self._values[key] = self._lrange(key, arguments)
        return True

    def _lrange(self, key: str, arguments: Sequence[object]) -> list[bytes]:
        first, last = int(str(arguments[0])), int(str(arguments[1]))
        return list(self._values.get(key, []))[first : last + 1]

    def _expire(self, key: str, arguments: Sequence[object]) -> bool:
        if is_there := key in self._values:
            self._ends[key] = self._clock() + float(str(arguments[0]))
        return is_there


_ACTS: dict[str, Callable[[Memory, str, Sequence[object]], Any]] = {
    "HSET": Memory._hset,
    "HDEL": Memory._hdel,
    "HGETALL": Memory._hgetall,
    "SADD": Memory._sadd,
    "SMEMBERS": Memory._smembers,
    "LPUSH": Memory._lpush,
    "LTRIM": Memory._ltrim,
    "LRANGE": Memory._lrange,
    "EXPIRE": Memory._expire,
}


class _Shared:
    """The memory of this process, as one of several."""

    def __init__(self) -> None:
        self.memory = Memory()
        self._lock = threading.Lock()
        self._hears = False

    def begin(self) -> None:
        """Hear from now on what other processes change."""
        with self._lock:
            if not self._hears:
                self._hears = True
                board.hear(CHANNEL, self._told)

    def tell(self, changes: Sequence[tuple[object, ...]]) -> None:
        """Have the others change the same. One that is too long for a message is known here alone."""
        text = orjson.dumps([board.name, changes], default=_text).decode()
        if len(text.encode()) <= MOST_BYTES:
            board.post(CHANNEL, text)

    def _told(self, text: str) -> None:
        sender, changes = orjson.loads(text)
        if sender != board.name:
            for command in changes:
                if str(command[0]).upper() in _CHANGES:
                    self.memory.run(command)


_shared = _Shared()


class QuietMemory:
    """A `QuietStore` without Redis. `missing` is of no use: it always answers."""

    def __init__(self, missing: str) -> None:
        self._missing = missing

    def ask(self, commands: Sequence[tuple[object, ...]]) -> list[Any] | None:
        """What Redis would answer to each of these commands."""
        begin()
        answers = [_shared.memory.run(command) for command in commands]
        if changes := [command for command in commands if str(command[0]).upper() in _CHANGES]:
            _shared.tell(changes)
        return answers


def begin() -> None:
    """Keep what other processes tell from now on; a web process says so when it starts."""
    _shared.begin()


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode()
    raise TypeError
