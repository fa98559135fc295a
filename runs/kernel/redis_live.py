"""Which topics are watched, in Redis: a sorted set of groups, by the time until which somebody watches."""

import time
from typing import Any

from django.conf import settings
from redis import RedisError
from redis import asyncio as aioredis

NAME = "Redis"
ERRORS = (RedisError,)
WATCHED = "live:watched"


class RedisWatchers:
    """By one client, of one event loop."""

    def __init__(self, client: aioredis.Redis) -> None:
        self._client = client

    async def groups(self) -> frozenset[str]:
        """Those that are watched now."""
        groups: Any = await self._client.zrangebyscore(WATCHED, time.time(), "+inf")
        return frozenset(group.decode() for group in groups)

    async def watch(self, group: str, seconds: float) -> bool:
        """Have this one count as watched for so long; gives whether it didn't until now."""
        now = time.time()
        async with self._client.pipeline(transaction=False) as commands:
            commands.zremrangebyscore(WATCHED, "-inf", now)
            commands.zadd(WATCHED, {group: now + seconds})
            _, added = await commands.execute()
        return bool(added)

    async def answers(self) -> None:
        """Return if Redis answers."""
        await self._client.ping()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def watchers(seconds: float) -> RedisWatchers:
    """A client of the event loop that uses it; it waits for Redis so long at most."""
    return RedisWatchers(
        aioredis.Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=seconds,
            socket_connect_timeout=seconds,
            retry_on_error=[],
            retry=None,
        )
    )
