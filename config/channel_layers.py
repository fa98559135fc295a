"""Where websockets hear of changes, and Celery of work."""

from urllib.parse import parse_qsl, quote, urlsplit

POSTGRES_LAYER: dict[str, dict[str, object]] = {
    "default": {"BACKEND": "runs.kernel.postgres_live.PostgresLayer"}
}
"""Where there is no Redis."""


def channel_layers(redis_url: str) -> dict[str, dict[str, object]]:
    """Channels over pub/sub of that Redis. Messages know no databases there, so the prefix does."""
    parts = urlsplit(redis_url)
    path = "" if parts.scheme == "unix" else parts.path.strip("/")
    number = dict(parse_qsl(parts.query)).get("db") or path or "0"
    host = {"address": redis_url, "socket_timeout": 2.0, "socket_connect_timeout": 1.0}
    return {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [host], "prefix": f"handoff-{number}-"},
        }
    }


def broker_url(redis_url: str) -> str:
    """A Redis URL as redis-py reads it, spelled for Celery: only a unix socket is written otherwise there."""
    if not redis_url.startswith("unix://"):
        return redis_url
    parts = urlsplit(redis_url)
    query = dict(parse_qsl(parts.query))
    password = parts.password or quote(query.get("password", ""), safe="")
    return f"redis+socket://:{password}@{parts.path}?virtual_host={query.get('db', '0')}"
