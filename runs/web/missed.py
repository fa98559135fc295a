"""What changed about a topic, by the ids of events: who comes back to it with the last one gets what they missed."""

import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from runs.limits import SOCKET_NODES


class Missed(NamedTuple):
    """What changed after an event: aspects, statuses of steps by node, the run's status."""

    changed: list[str]
    nodes: dict[str, str]
    status: str | None


class TopicLog:
    """What changed about one topic since `floor`, each with the number of its last event.

    It has the last status of each node only, so it does not grow with the number of events.
    """

    def __init__(self, floor: int) -> None:
        self.number = self._floor = floor
        self.until = 0.0
        """While it has no socket: until then the topic counts as watched, and no change was left out."""
        self._changed: dict[str, int] = {}
        self._nodes: dict[str, tuple[int, str]] = {}
        self._status: tuple[int, str] | None = None

    def add(self, number: int, changed: Iterable[str], nodes: Mapping[str, str], status: str | None) -> None:
        """Note an event."""
        self.number = number
        self._changed.update(dict.fromkeys(changed, number))
        self._nodes.update({node: (number, text) for node, text in nodes.items()})
        self._status = (number, status) if status else self._status
        if len(self._nodes) > SOCKET_NODES:
            self._nodes.clear()
            self._floor = number

    def missed(self, last: int) -> Missed | None:
        """What changed after the event of this number; None where that is not kept."""
        if not self._floor <= last <= self.number or (self.until and self.until < time.monotonic()):
            return None
        return Missed(
            sorted(aspect for aspect, number in self._changed.items() if number > last),
            {node: text for node, (number, text) in self._nodes.items() if number > last},
            self._status[1] if self._status and self._status[0] > last else None,
        )
