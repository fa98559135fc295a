"""Mails that were tried in vain and are not about accounts: an app above says in its `ready` how to find them."""

from collections.abc import Callable, Sequence

from runs.store.alerts import MailRow

Find = Callable[[int], Sequence[MailRow]]
_finders: list[Find] = []


def find_unsent(finder: Find) -> None:
    """`finder(limit)` gives so many of them at most, of all tenants."""
    if finder not in _finders:
        _finders.append(finder)


def unsent(limit: int) -> list[MailRow]:
    """The mails of others that were tried in vain."""
    return [mail for finder in _finders for mail in finder(limit)]
