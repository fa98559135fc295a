"""Pages by their number: what rochallor's clients ask for, within bounds."""

from typing import Any, Final

from django.db.models import QuerySet

DEFAULT_SIZE: Final = 20
LARGEST: Final = 200
MOST_COUNTED: Final = 10_000
"""Of longer lists the total is this number, and what lies behind it is on no page."""


def bounds_of(page: int, size: int, largest: int = LARGEST) -> tuple[int, int]:
    """From which row to which a page goes; a size that is none is the default."""
    size = min(size if size > 0 else DEFAULT_SIZE, largest)
    first = min(max(page, 0) * size, MOST_COUNTED)
    return first, min(first + size, MOST_COUNTED)


def count_of(rows: QuerySet[Any]) -> int:
    """How many rows there are, as far as anybody counts."""
    return rows.order_by().values("pk")[:MOST_COUNTED].count()
