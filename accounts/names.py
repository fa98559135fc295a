"""When two names of people or groups are the same."""

import unicodedata


def key_of(name: str) -> str:
    """What two names share that count as one: case, and how letters are put together, make no difference."""
    return unicodedata.normalize("NFKC", name).strip().lower()
