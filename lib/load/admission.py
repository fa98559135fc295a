"""Who may ask: limits for tokens, persons and networks, and a share of the CPU where others wait.

All is counted in the memory of this process. A caller is known by what it shows, a token or a session, from the first
answer to it on; until then only its network is.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from lib.load.ceilings import current
from lib.token_bucket import MOST, Care, TokenBuckets

WINDOW_SECONDS = 10
SHARE = 0.5
"""Of the CPU time of one interpreter in the window: who uses more is refused while others wait."""
HEAVY = 0.1
"""Of the same: who uses more shares a few places with all others who do."""
WAIT_SECONDS = 0.25
"""A request waits if it has no answer for so long."""
BURST_SECONDS = 10.0
TOKEN, PERSON, NETWORK, PROBE = "token", "person", "network", "probe"
BUSY = "You have used more than half of this server's computing time for the last {seconds} s, and others are waiting."
OFTEN = "This {what} may make {rate} requests a minute here."


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a request is not let in, and after how many whole seconds it may be."""

    message: str
    retry_after: int


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a caller shows: a token, a session, or both; empty for none."""

    token: str = ""
    session: str = ""


@dataclass(slots=True)
class Entry:
    """A request that was let in and has no answer yet. `names`: the caller's, the one that is charged first."""

    credentials: Credentials
    names: tuple[str, ...]
    since: float


def name_caller(token: str | None, person: int) -> None:
    """Say on whose behalf the request of this thread is done: a person's, by a token."""
    if (request := current()) is not None:
        of_token = () if token is None else (f"{TOKEN} {token}",)
        network = request.names[-1:]
        request.names = (f"{PERSON} {person}", *of_token, *network)


class Shares:
    """CPU seconds of each name within the window."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._usage: dict[str, deque[tuple[int, float]]] = {}
        self._care = Care()

    def charge(self, name: str, seconds: float) -> None:
        """Add what was computed just now for a name."""
        now = int(self._clock())
        usage = self._usage.get(name)
        if usage is None:
            if self._care.is_due(len(self._usage), now):
                usages = list(self._usage.items())
                self._usage = {one: it for one, it in usages if it[-1][0] > now - WINDOW_SECONDS}
            usage = self._usage[name] = deque([(now, 0.0)], maxlen=WINDOW_SECONDS)
        if usage and usage[-1][0] == now:
            usage[-1] = now, usage[-1][1] + seconds
        else:
            usage.append((now, seconds))

    def seconds_over(self, name: str, most: float) -> int:
        """After how many seconds a name has used less than `most` in the window; 0 where it has."""
        now = int(self._clock())
        # In one piece: threads that watch and compute add to it meanwhile.
        usage = [one for one in list(self._usage.get(name, ())) if one[0] > now - WINDOW_SECONDS]
        total = sum(seconds for _, seconds in usage)
        for second, seconds in usage:
            if total < most:
                return 0
            total -= seconds
            if total < most:
                return max(1, second + WINDOW_SECONDS - now)
        return 0


class Admission:
    """The door of one of several `processes`.

    `rates` are the requests that each token, person and network may make in a minute, 0 for any number.
    """

    def __init__(
        self, rates: Mapping[str, int], processes: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._shares = Shares(clock)
        self._rates = {what: rate for what, rate in rates.items() if rate}
        self._buckets = {what: _buckets(rate / 60 / processes, clock) for what, rate in self._rates.items()}
        self._known: dict[str, tuple[str, ...]] = {}
        self._inside: dict[int, Entry] = {}

    def enter(
        self, credentials: Credentials, network: str, *, is_first: bool = True, is_counted: bool = True
    ) -> Entry | Refused:
        """Let a request in, or refuse it.

        `credentials`: what the caller shows; `is_first`: whether it is the caller's own, not one more try at its
        answer, which is not refused; `is_counted`: whether the rates count it.
        """
        # Whichever is known: with another one beside it nobody becomes a stranger.
        known = self._known.get(f"{TOKEN} {credentials.token}") or self._known.get(
            f"{PERSON} {credentials.session}", ()
        )
        names = (*known, f"{NETWORK} {network}")
        if is_first and (refused := (is_counted and self._too_often(names)) or self._too_much(names[0])):
            return refused
        return self._let_in(credentials, names)

    def enter_probe(self, network: str) -> Entry:
        """Let a question in that is about this process: it is never refused, and charged to nobody else."""
        return self._let_in(Credentials(), (f"{PROBE} {network}",))

    def _let_in(self, credentials: Credentials, names: tuple[str, ...]) -> Entry:
        entry = Entry(credentials, names, self._clock())
        self._inside[id(entry)] = entry
        return entry

    def leave(self, entry: Entry, names: Sequence[str] = ()) -> None:
        """A request has its answer. `names`: what was learnt of its caller meanwhile."""
        self._inside.pop(id(entry), None)
        learnt = tuple(names[:-1])
        # A person of whom no token is known was let in by the session: a proxy's own `Authorization` is many people's.
        is_by_token = len(learnt) > 1
        text = entry.credentials.token if is_by_token else entry.credentials.session
        key = f"{TOKEN if is_by_token else PERSON} {text}"
        if text and learnt and self._known.get(key) != learnt:
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[key] = learnt

    def is_heavy(self, name: str) -> bool:
        """Whether a caller has computed much in the window."""
        if name.startswith(PROBE):
            return False
        return self._shares.seconds_over(name, HEAVY * WINDOW_SECONDS) > 0

    def charge(self, names: Sequence[str], seconds: float) -> None:
        """Add what was computed for a caller: the first of its names has it."""
        if names and seconds > 0:
            self._shares.charge(names[0], seconds)

    def _too_often(self, names: Sequence[str]) -> Refused | None:
        for name in names if self._buckets else ():
            what = name.partition(" ")[0]
            if what in self._buckets and not self._buckets[what].take(name):
                rate = self._rates[what]
                return Refused(OFTEN.format(what=what, rate=f"{rate:,}"), ceil(60 / rate))
        return None

    def _too_much(self, name: str) -> Refused | None:
        seconds = self._shares.seconds_over(name, SHARE * WINDOW_SECONDS)
        if seconds == 0:
            return None
        late = self._clock() - WAIT_SECONDS
        if not any(one.names[0] != name and one.since <= late for one in list(self._inside.values())):
            return None
        return Refused(BUSY.format(seconds=WINDOW_SECONDS), seconds)


def _buckets(rate: float, clock: Callable[[], float]) -> TokenBuckets[str]:
    return TokenBuckets(rate, max(1.0, rate * BURST_SECONDS), clock)
