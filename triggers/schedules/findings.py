"""What `manage.py doctor` says of schedules."""

from collections.abc import Iterator

from lib.english import counted
from triggers.schedules import reading

Found = tuple[str, str, str]
"""How bad it is, what it is, and what to do about it."""


def findings() -> Iterator[Found]:
    """Of all tenants."""
    if count := reading.count_stopped():
        advice = "hand them over (Settings, Members), or have somebody who may start them switch them on"
        yield "problem", f"{counted(count, 'schedule')} stopped: who they act for may not start them", advice
