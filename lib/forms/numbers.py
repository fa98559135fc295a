"""Numbers as people write them: a comma or a point before the decimals, thousands in groups or not; pure.

What can be read in two ways is not guessed.
"""

import re
from decimal import Decimal

from lib.json import JsonValue

_NO_DECIMALS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
NO_DECIMALS = frozenset(_NO_DECIMALS.split())
THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
MOST_DIGITS = 15
"""So many a float tells apart."""
_SPACES = re.compile("[\u00a0\u2009\u202f]")
_WRITTEN = re.compile(r"([+-]?)([0-9][0-9 .,']*)")
_ONE_GROUP = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
_MARK = re.compile(r"[ .,']")


def decimals_of(currency: str) -> int:
    """How many decimals amounts of a currency have (ISO 4217)."""
    return 0 if currency in NO_DECIMALS else 3 if currency in THREE_DECIMALS else 2


def number_of(entry: str, decimals: int | None = None) -> tuple[int | float | None, str]:
    """The number that is written, or None and what is wrong; an amount has so many `decimals` at most."""
    if len(entry) > 4 * MOST_DIGITS:
        return None, _refusal(decimals)
    text = _SPACES.sub(" ", entry.replace("’", "'").replace("−", "-"))
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None, _refusal(decimals)
    sign, body = match[1], match[2]
    parts = _parts(body, decimals)
    if parts is None:
        return None, _refusal(decimals)
    whole, fraction, is_unclear = parts
    if is_unclear:
        return None, _unclear(entry, whole, fraction, decimals)
    if len(whole) + len(fraction) > MOST_DIGITS:
        return None, _refusal(decimals)
    if decimals is not None and len(fraction) > decimals:
        return None, _too_fine(decimals)
    value = float(f"{sign}{whole}.{fraction or 0}")
    is_whole = not fraction or (decimals is not None and value.is_integer())
    return (int(value) if is_whole else value), ""


def is_unclear(entry: str, group: str) -> bool:
    """Whether a number as JSON has it reads as one of thousands to whoever writes `group` between those."""
    return group == "." and _ONE_GROUP.fullmatch(entry) is not None


def amount_text(value: JsonValue, decimals: int) -> str | None:
    """How an amount stands in its field; None where it has more decimals, or more digits, than can stand there."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    exact = Decimal(repr(value))
    if not exact.is_finite() or abs(exact) >= Decimal(10) ** (MOST_DIGITS - decimals):
        return None
    text = f"{exact:.{decimals}f}"
    return text if Decimal(text) == exact else None


def _parts(body: str, decimals: int | None) -> tuple[str, str, bool] | None:
    """The digits before and behind the decimal mark, and whether it may as well be one of thousands."""
    marks = _MARK.findall(body)
    kinds = list(dict.fromkeys(marks))
    if not marks:
        return body, "", False
    at = body.rfind(marks[-1])
    head, tail = body[:at], body[at + 1 :]
    if len(kinds) == 2 and marks.count(kinds[1]) == 1 and kinds[1] in ".,":
        whole = _ungrouped(head, kinds[0])
        return None if whole is None or not tail else (whole, tail, False)
    if len(kinds) > 1 or not tail:
        return None
    if len(marks) > 1 or kinds[0] not in ".," or (decimals == 0 and len(tail) == 3):
        whole = _ungrouped(body, kinds[0])
        return None if whole is None else (whole, "", False)
    may_group = len(tail) == 3 and len(head) <= 3 and not head.startswith("0")
    return head, tail, may_group and decimals != 3


def _ungrouped(text: str, mark: str) -> str | None:
    """The digits of thousands in groups; None where they are no groups of three."""
    first, *rest = text.split(mark)
    is_grouped = 1 <= len(first) <= 3 and all(len(group) == 3 for group in rest)
    return first + "".join(rest) if is_grouped and text.replace(mark, "").isdecimal() else None


def _refusal(decimals: int | None) -> str:
    if decimals is None:
        return "Write a number, such as 12.5."
    return f"Write an amount, such as {_example(decimals)}."


def _unclear(entry: str, whole: str, fraction: str, decimals: int | None) -> str:
    says = f"“{entry}” can be read in two ways."
    if decimals is None:
        # What was typed is no way out.
        decimal = f"{whole}.{fraction}{'0' if '.' in entry else ''}"
        return f"{says} Write {whole}{fraction}, or {decimal}."
    return f"{says} Write {whole}{fraction}.{'0' * decimals}, or {whole}.{fraction[:decimals]}."


def _too_fine(decimals: int) -> str:
    if decimals == 0:
        return "This currency has no decimals. Write a whole number, such as 1250."
    return f"Write at most {decimals} decimals, such as {_example(decimals)}."


def _example(decimals: int) -> str:
    return f"1250.{'0' * decimals}" if decimals else "1250"
