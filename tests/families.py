"""Families of like cases (all routes, all step types): `make test` shows some of each, `make exhaustive` the others."""

import re
from collections.abc import Iterable, Set
from typing import Any

import pytest

_NEED_MORE = frozenset({"soak", "toolchains", "kafka"})


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
    return [one if place in kept else exhaustive(one) for place, one in enumerate(every)]


def exhaustive(member: Any) -> Any:
    """This member of a family, marked `exhaustive`."""
    if hasattr(member, "values") and hasattr(member, "marks"):
        return pytest.param(*member.values, marks=[*member.marks, pytest.mark.exhaustive], id=member.id)
    values = member if isinstance(member, tuple) else (member,)
    return pytest.param(*values, marks=pytest.mark.exhaustive)


def is_asked_for(marks: Set[str], expression: str) -> bool:
    """Whether a test with these marks may run where pytest is given `-m expression`: each mark that needs time or tools
    which not everybody has must be in there; where it has none of those, `exhaustive`, if it has that.
    """
    asked = set(re.findall(r"\w+", expression))
    if needs := _NEED_MORE & marks:
        return needs <= asked
    return "exhaustive" not in marks or "exhaustive" in asked
