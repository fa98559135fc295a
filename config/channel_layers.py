"""Where websockets hear of changes."""

from urllib.parse import parse_qsl, urlsplit

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
