"""Pages by their number: what rochallor's clients ask for, within bounds."""

from typing import Any, Final

from django.db.models import QuerySet

from integrations.rochallor.limits import COUNTED_ROWS, PAGE_ROWS

DEFAULT_SIZE: Final = 20


def bounds_of(page: int, size: int, largest: int = PAGE_ROWS) -> tuple[int, int]:
    """From which row to which a page goes; a size that is none is the default."""
    size = min(size if size > 0 else DEFAULT_SIZE, largest)
    first = min(max(page, 0) * size, COUNTED_ROWS)
    return first, min(first + size, COUNTED_ROWS)


def count_of(rows: QuerySet[Any]) -> int:
    """How many rows there are, as far as anybody counts."""
    return rows.order_by().values("pk")[:COUNTED_ROWS].count()
