"""Which broker the settings name. The packages of the others are not imported: they may not be installed."""

from typing import Final, cast

from django.utils.module_loading import import_string

from integrations.broker.broker import Broker

_KINDS: Final = {
    "redis": "integrations.broker.redis_streams.opened",
    "kafka": "integrations.broker.kafka.opened",
}


def broker_of(name: str) -> Broker:
    """A line to the broker of this name, as the settings describe it."""
    return cast(Broker, import_string(_KINDS[name])())
