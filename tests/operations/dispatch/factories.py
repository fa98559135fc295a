"""Samples as a test wishes them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from operations.dispatch.models import DispatchSample
from operations.dispatch.store import Sample

BEGAN = datetime(2031, 1, 1, 9, tzinfo=UTC)
CALM = {"lock_waits": 0, "workers": 4, "ready": 0, "rate": 10, "share": 0.0}
"""Minutes in which no gauge is high."""
HARD = {"lock_waits": 3, "workers": 8, "ready": 5_000, "rate": 4_000, "share": 0.5}
"""One in which all three gauges are high."""


def samples(*stretches: tuple[int, dict[str, float]], began: datetime = BEGAN) -> list[Sample]:
    """A sample a minute: of each stretch so many, with these figures; `share`: of 100 polls a minute."""
    made: list[Sample] = []
    finished, claims, contended, empty = 1_000, 1_000, 1_000, 1_000
    for count, figures in stretches:
        for _ in range(count):
            locked = round(100 * figures["share"])
            finished += round(60 * figures["rate"])
            claims, contended = claims + 100 - locked, contended + locked
            empty += round(60 * figures.get("empty", 0))
            workers = int(figures["workers"])
            at = began + timedelta(minutes=len(made))
            made.append(
                Sample(
                    at,
                    "here",
                    int(figures["lock_waits"]),
                    0,
                    workers,
                    workers,
                    0,
                    int(figures["ready"]),
                    finished,
                    claims,
                    contended,
                    empty,
                )
            )
    return made


def kept(made: Sequence[Sample]) -> None:
    """The same in the database."""
    DispatchSample.objects.bulk_create(DispatchSample(**one._asdict()) for one in made)
