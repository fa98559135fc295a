"""A length of time as people say it."""

_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def seconds_in_words(seconds: float) -> str:
    """So many seconds in their two largest units: `3 min 20 s`."""
    left = max(0, round(seconds))
    parts = []
    for unit, size in _UNITS:
        many, left = divmod(left, size)
        if many:
            parts.append(f"{many} {unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"
