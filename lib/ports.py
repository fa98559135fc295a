"""Ports: what an app lets the apps above it provide."""

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Port(Generic[T]):
    """Apps above register what they provide in their `AppConfig.ready`; whoever owns the port goes through it."""

    def __init__(self, *own: T) -> None:
        self._provided = [*own]

    def register(self, *provided: T) -> None:
        """Provide these, once each."""
        self._provided += [one for one in provided if one not in self._provided]

    @property
    def first(self) -> T | None:
        """What was registered first; None where nothing was."""
        return self._provided[0] if self._provided else None

    def __iter__(self) -> Iterator[T]:
        return iter(self._provided)
