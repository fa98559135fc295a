"""The functions that expressions have beyond those of CEL, in Python. Pure; each raises ValueError with a reason.

Amounts are computed as decimal numbers, digit by digit: the sum of 0.1 and 0.2 is 0.3. An amount may be a text such as
"12.50"; the result is a text then, so that no digit is lost.
"""

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final

from engine.limits import AMOUNT_DIGITS, JOINED_CHARACTERS, ROUNDED_PLACES

EXACT_INT: Final = 2**53
"""Up to here each whole number is a double, too."""

_AMOUNT = re.compile(rf"[+-]?[0-9]{{1,{AMOUNT_DIGITS}}}(?:\.[0-9]{{1,{AMOUNT_DIGITS}}})?")
# The sum of the largest and of the smallest double has 633 digits.
_EXACT = Context(prec=700, rounding=ROUND_HALF_UP)
_INT64 = 2**63


def total(values: object) -> int | float | str:
    """The sum of a list of amounts."""
    amounts = _list("sum", values)
    if all(type(amount) is int for amount in amounts):
        return _small(sum(amounts))
    result = Decimal(0)
    for amount in amounts:
        result = _EXACT.add(result, _decimal("sum", amount))
    return f"{result:f}" if any(isinstance(amount, str) for amount in amounts) else float(result)


def rounded(value: object, places: int = 0) -> int | float | str:
    """The amount with so many decimals; halves go away from zero."""
    if not 0 <= places <= ROUNDED_PLACES:
        raise ValueError(f"`round` gives 0 to {ROUNDED_PLACES} decimals, not {places}")
    amount = _decimal("round", value)
    if type(value) is int or (isinstance(value, float) and abs(value) > EXACT_INT):
        return value
    result = amount.quantize(Decimal(1).scaleb(-places), context=_EXACT)
    if isinstance(value, str):
        return f"{result:f}"
    # "-0" is no whole number, and nobody wants "-0.0" either.
    return float(result) + 0.0 if places else int(result)


def least(values: object) -> Any:
    """The smallest of a list."""
    return _first("min", min, values)


def greatest(values: object) -> Any:
    """The largest of a list."""
    return _first("max", max, values)


def joined(values: object, separator: str) -> str:
    """The texts and whole numbers of a list as one text, with the separator between them."""
    items = _list("join", values)
    if not all(type(item) in (str, int) for item in items):
        raise ValueError(
            "`join` works on a list of texts: write `list.map(item, string(item.name)).join(separator)`"
        )
    texts = [str(item) for item in items]
    if sum(map(len, texts)) + len(separator) * (len(texts) - 1) > JOINED_CHARACTERS:
        raise ValueError(f"`join` makes texts of {JOINED_CHARACTERS:,} characters at most")
    return separator.join(texts)


def _first(name: str, choose: Callable[[list[Any]], Any], values: object) -> Any:
    items = _list(name, values)
    if not items:
        raise ValueError(f"`{name}` of an empty list has no value: check `size(list) > 0` first")
    for kinds in ((int, float), (str,)):
        if all(type(item) in kinds for item in items):
            if any(item != item for item in items):
                raise ValueError(f"`{name}` cannot compare what is not a number")
            return choose(items)
    raise ValueError(f"`{name}` compares numbers with numbers and texts with texts only")


def _list(name: str, values: object) -> list[Any]:
    if not isinstance(values, list):
        raise ValueError(f"`{name}` works on a list")
    return values


def _decimal(name: str, amount: object) -> Decimal:
    if type(amount) is int:
        return Decimal(amount)
    if isinstance(amount, float) and amount - amount == 0:
        return Decimal(repr(amount))
    if isinstance(amount, str) and _AMOUNT.fullmatch(amount):
        return Decimal(amount)
    raise ValueError(f"`{name}` works on numbers, and on texts such as '12.50', only")


def _small(number: int) -> int:
    if not -_INT64 <= number < _INT64:
        raise ValueError("integer overflow")
    return number
