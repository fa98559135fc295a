"""How many streams there may be: of each token, and in all."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from accounts.principal import Principal
from lib.refusals import TooMany

MOST_OF_ONE, MOST = 50, 500

_open: Counter[str] = Counter()


@contextmanager
def place(principal: Principal) -> Iterator[None]:
    """A place for a stream while it lasts; for the event loop. Raises TooMany where there is none."""
    who = principal.token or principal.username
    if _open[who] >= MOST_OF_ONE or _open.total() >= MOST:
        message = f"There are too many streams: {MOST_OF_ONE} of a token and {MOST} in all may be open here."
        raise TooMany(message, retry_after=5)
    _open[who] += 1
    try:
        yield
    finally:
        _open[who] -= 1
        if not _open[who]:
            del _open[who]
