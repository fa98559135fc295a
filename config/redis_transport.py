"""kombu's Redis transport, for which a Redis that refuses to write (full, a replica, loading) is one that is away.

To kombu what Redis refuses is a fault of the program: a failover to a replica that was not promoted yet ended every
worker.
"""

from kombu.transport import TRANSPORT_ALIASES, redis
from redis.exceptions import ResponseError


class Transport(redis.Transport):
    """Workers connect anew, again and again, as when Redis is gone."""

    connection_errors = (*redis.Transport.connection_errors, ResponseError)


def install() -> None:
    """Use it for every URL of a Redis, from now on."""
    for scheme in ("redis", "rediss", "redis+socket"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
