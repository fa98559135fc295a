"""What a broker is to the relay: it takes events in their order, and says of each what became of it."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple, Protocol

BEHIND: Final = "an earlier event of its run and queue must go first"
"""Why an event is to be sent again of which nobody has tried whether it can be sent."""


class Event(NamedTuple):
    """One job that consumers are told of. `row`: its row of the outbox; `key`: events of a topic with the same one stay
    in order.

    `value` is a `workflow.v1.JobDispatchEvent`; `headers` have `content-type`, `dedup-id` and `job-id` at least.
    """

    row: int
    topic: str
    key: str
    value: bytes
    headers: Mapping[str, str]


class Verdict(Enum):
    """What became of an event. RETRY: others of its topic and key wait for it. POISON: it never can be sent, so none
    does.
    """

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

        One outcome for each. Where one can't be sent now, those behind it with its topic and key are to be sent
        again, too, unless they were sent.
        """

    def close(self) -> None:
        """It is not needed any more."""
