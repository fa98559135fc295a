"""Families of like cases (all routes, all step types): `make test` shows some of each, `make exhaustive` the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def shown(members: Iterable[Any], most: int) -> list[Any]:
    """The `members` of a family for `parametrize`, in their order: `most` of them, evenly spread with the first and the
    last, for `make test`; each other one is marked `exhaustive`.

    For families whose members fail together where the rule itself breaks: what stands for itself is always shown.
    """
    every = list(members)
    if most < 2 or len(every) <= most:
        kept = set(range(min(most, len(every))))
    else:
        kept = {round(place * (len(every) - 1) / (most - 1)) for place in range(most)}
    return [one if place in kept else _exhaustive(one) for place, one in enumerate(every)]


def _exhaustive(member: Any) -> Any:
    if hasattr(member, "values") and hasattr(member, "marks"):
        return pytest.param(*member.values, marks=[*member.marks, pytest.mark.exhaustive], id=member.id)
    values = member if isinstance(member, tuple) else (member,)
    return pytest.param(*values, marks=pytest.mark.exhaustive)
