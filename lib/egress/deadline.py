"""The time that a whole request has, from the name's resolution to the last byte of the answer."""

import time

from lib.egress.errors import EgressTimeout


class Deadline:
    """Starts when it is made."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left, more than 0. Raises EgressTimeout where none are."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.over()
        return left

    def over(self) -> EgressTimeout:
        """What to raise when the time is over."""
        return EgressTimeout(f"There was no complete answer within {self._seconds:g} seconds.")
