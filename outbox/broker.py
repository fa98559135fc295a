"""What a broker is to the relay: it takes events in their order, and says of each what became of it."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple, Protocol


class Event(NamedTuple):
    """One job that consumers are told of. `row`: its row of the outbox; `key`: events with the same one stay in order.

    `value` is a `workflow.v1.JobDispatchEvent`; `headers` have `content-type`, `dedup-id` and `job-id` at least.
    """

    row: int
    topic: str
    key: str
    value: bytes
    headers: Mapping[str, str]


class Verdict(Enum):
    """What became of an event. POISON: it never can be sent; others must not wait for it."""

    SENT = "sent"
    RETRY = "retry"
    POISON = "poison"


class Outcome(NamedTuple):
    """The verdict on the event of a row of the outbox; `why` says what was in its way."""

    row: int
    verdict: Verdict
    why: str = ""


class Broker(Protocol):
    """A line to a broker."""

    def publish(self, events: Sequence[Event]) -> list[Outcome]:
        """Send these in their order and wait until the broker has them, for ten seconds at most; never raises.

        One outcome for each. Where one can't be sent now, those behind it with its key are to be sent again, too,
        unless they were sent.
        """

    def close(self) -> None:
        """It is not needed any more."""
