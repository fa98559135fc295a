"""How fast one may guess passwords: pauses that grow, by name and place, and nobody is locked out for others.

A place is the network that a guess comes from, or a browser that this name has logged in with before. The failures of
a name at a place make its next guess there wait, and nothing else does: whoever knows the password gets in from any
other network, and with a known browser from anywhere. Where a name is guessed at from many places, or a network guesses
at many names, the pause begins after the first failure instead of the fifth; and such a network may try once a second,
known browsers apart, because each check of a password costs a good deal of a core.

All of it is in the database, which a login needs anyway: Redis has no part in it.
"""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from accounts.limits import LOGIN_PAUSE_SECONDS
from accounts.models import LoginAttempt
from lib.named_sql import Statements
from lib.reader import reader
from lib.refusals import TooMany

WINDOW = timedelta(hours=1)
FREE, FREE_WATCHED = 5, 1
NAME_WATCHED, PLACE_WATCHED = 30, 100
PLACE_PAUSE = 1.0

_SQL = Statements(Path(__file__).parent / "sql")


@dataclass(frozen=True, slots=True)
class Counted:
    """Failures in the window, and how many seconds ago the last one was: of this name here, of any name here, of this
    name anywhere.
    """

    own: int
    own_ago: float
    here: int
    here_ago: float
    named: int

    @property
    def wait(self) -> float:
        """How long the next guess has to wait."""
        watched = self.named >= NAME_WATCHED or self.here >= PLACE_WATCHED
        over = self.own - (FREE_WATCHED if watched else FREE)
        own = min(LOGIN_PAUSE_SECONDS, 2.0 ** min(over, 20)) - self.own_ago if over >= 0 else 0.0
        here = PLACE_PAUSE - self.here_ago if self.here >= PLACE_WATCHED else 0.0
        return max(own, here, 0.0)


def begin(name: str, place: str, *, too_many: str = "Too many wrong passwords.") -> None:
    """Count a guess before it is looked at, so that those made at the same time count, too; call it in a transaction.

    Raises TooMany while the pause of this name at this place lasts; that costs nothing more.
    """
    _SQL.execute("hold_place", {"place": place})
    row = _SQL.execute("count_failures", {"name": name, "place": place, "window": WINDOW}).fetchone()
    assert row is not None  # noqa: S101 (an aggregate has a row)
    if wait := Counted(*row).wait:
        seconds = math.ceil(wait)
        until = reader().time(datetime.now(UTC) + timedelta(seconds=seconds), seconds=True)
        message = f"{too_many} Try again in {_spelled(seconds)}, at {until}."
        raise TooMany(message, retry_after=seconds)
    LoginAttempt.objects.create(username=name, address=place)


def succeeded(name: str, place: str) -> None:
    """Forget the failures of this name at this place."""
    LoginAttempt.objects.filter(username=name, address=place).delete()


def failed() -> None:
    """Let go of what is too old to count."""
    _SQL.execute("forget_failures", {"window": 2 * WINDOW})


def _spelled(seconds: int) -> str:
    if seconds > 90:
        return f"{math.ceil(seconds / 60)} minutes"
    return f"{seconds} second{'s' if seconds > 1 else ''}"
