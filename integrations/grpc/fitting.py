"""How many jobs one answer holds: clients take 4 MiB unless told otherwise, and lose what they don't take."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from integrations.grpc.limits import POLL_BYTES

# What goes before each of them: a field's number and its length.
_FRAME_BYTES: Final = 6


def fill_fitting(items: Any, values: Sequence[Any], fill: Callable[[Any, Any], None]) -> int:
    """Have a repeated field say the first of these, as many as fit; gives how many. The first one always does."""
    size = 0
    for count, value in enumerate(values):
        one = items.add()
        fill(one, value)
        size += one.ByteSize() + _FRAME_BYTES
        if count and size > POLL_BYTES:
            del items[-1]
            return count
    return len(values)
