"""Numbers with their nouns in sentences."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 step`, `2 steps`, `1,000 steps`; `plural` where it does not end in s."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
