"""How many streams there may be: of each token, and in all."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from accounts.principal import Principal
from integrations.grpc.limits import PROCESS_STREAMS, TOKEN_STREAMS
from lib.refusals import TooMany

_open: Counter[str] = Counter()


@contextmanager
def place(principal: Principal) -> Iterator[None]:
    """A place for a stream while it lasts; for the event loop. Raises TooMany where there is none."""
    who = principal.token or principal.username
    if _open[who] >= TOKEN_STREAMS or _open.total() >= PROCESS_STREAMS:
        most = f"{TOKEN_STREAMS} of a token and {PROCESS_STREAMS} in all"
        message = f"There are too many streams: {most} may be open here."
        raise TooMany(message, retry_after=5)
    _open[who] += 1
    try:
        yield
    finally:
        _open[who] -= 1
        if not _open[who]:
            del _open[who]
