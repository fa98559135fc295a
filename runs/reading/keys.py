"""Runs by how their business keys begin, along an index."""

from uuid import UUID

from django.db.models import QuerySet

from runs.models import Run


def spellings_of(text: str) -> list[str]:
    """How a key may be written: as it is, in capitals, in small letters or with one capital."""
    return list(dict.fromkeys((text, text.upper(), text.lower(), text.capitalize())))


def of_key_begun(runs: QuerySet[Run], text: str, most: int) -> list[UUID]:
    """The newest of these runs whose keys begin so, at most so many. A union, since an `or` would have every run looked
    at.
    """
    parts = [
        runs.filter(business_key__startswith=one).order_by("-id").values_list("id", flat=True)[:most]
        for one in spellings_of(text)
    ]
    return sorted(parts[0].union(*parts[1:]), reverse=True)[:most]
