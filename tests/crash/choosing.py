"""Which of the points that a worker comes by it dies at."""

from collections.abc import Sequence

import pytest

from tests.crash.victim import Hit


def every(hits: Sequence[Hit]) -> set[str]:
    """All points."""
    return {name for name, _ in hits}


def last_of_each(hits: Sequence[Hit]) -> set[str]:
    """The last point in each transaction, of points the first time that they are come by: who dies at an earlier one
    undoes no less.
    """
    first: dict[str, int] = {}
    for name, transaction in hits:
        first.setdefault(name, transaction)
    return {*{transaction: name for name, transaction in first.items()}.values()}


EACH_TRANSACTION_OR_POINT = (last_of_each, pytest.param(every, marks=pytest.mark.exhaustive))
"""Where a worker dies, for `parametrize`."""
