"""The clock that sends the ticks: Celery's, but quick and quiet while Redis doesn't take them."""

from typing import Any

from celery.beat import ScheduleEntry, Scheduler

from config.duties import register
from lib import pulse
from runs.kernel import dispatch
from runs.kernel.redis_hints import TICK_TASK
from runs.maintenance import duties
from runs.maintenance.duties import TICKS

_LOOK_SECONDS = 1.0
_EXPIRES_SECONDS = 1.0
"""A tick that waits for so long is dropped: the next one comes, or another worker does the duty meanwhile."""


class Clock(Scheduler):  # type: ignore[misc]  # Celery has no types
    """In memory: no file is left behind. Ticks that can't be sent now are sent once when they can (the database shows
    workers that none has come, and they do without).
    """

    def setup_schedule(self) -> None:
        """Have a tick for each duty."""
        super().setup_schedule()
        register()
        self.update_from_dict(ticks())

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due; gives the seconds until the next look."""
        pulse.beat()
        line = dispatch.dispatcher()
        line.listen()
        if line.is_broken():
            return _LOOK_SECONDS
        return min(_LOOK_SECONDS, float(super().tick(*args, **kwargs)))

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send one tick, or have the line to Redis say once that it is broken."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except Exception as error:
            # kombu wraps what Redis raises in several ways.
            dispatch.dispatcher().failed(error)


def ticks() -> dict[str, dict[str, Any]]:
    """A tick for each registered duty, as often as the duty says, to the worker of its queue."""
    return {
        duty.name: {
            "task": TICK_TASK,
            "schedule": duty.every,
            "args": (duty.name,),
            "options": {
                "queue": duty.queue,
                "expires": _EXPIRES_SECONDS if duty.queue == TICKS else duty.every,
            },
        }
        for duty in duties.all_duties()
    }
