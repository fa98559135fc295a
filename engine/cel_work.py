"""What an expression costs at most, in units of work (about a microsecond each) by the bytes that it reads.

A regular expression that is found without backtracking costs text times its own size: `[ab]{900}` is 900 classes.
"""

import re
from dataclasses import dataclass

from engine.cel_ast import Call, Const, Expr, walk

# Measured: a byte by a state takes RE2 six nanoseconds (and a state counts for two), a byte of a list that is copied
# and compared fifty.
_UNITS_OF_A_STATE = 0.003
_UNITS_OF_A_BYTE = 0.05
# An item of two bytes, such as "1,", is added up in Python.
_UNITS_OF_A_LISTED_BYTE = 1.0
_OVER_LISTS = frozenset({"sum", "min", "max", "join"})
_UNITS_OF_A_SQUARE = 2.5e-6
# What the expression of a pattern costs before any text: it is compiled each time.
_BYTES_OF_COMPILING = 100

_ATOM = re.compile(
    r"\\(?P<kind>[pPC])(?:\{[^}]*\}?|.)?|\\(?P<escape>.)|(?P<set>\[\^?\]?(?:[^\]\\\[]|\\.|\[:[a-z^]*:\]|\[)*\]?)"
    r"|\((?P<open>\?[^:)]{0,20}[:)])?|(?P<close>\))|\{(?P<least>\d{1,5})(?P<comma>,)?(?P<most>\d{1,5})?\}|(?P<any>.)",
    re.DOTALL,
)
_OF_UNICODE, _OF_ANY, _MOST_WEIGHT = 600, 14, 10**9


@dataclass(frozen=True, slots=True)
class Cost:
    """Units by the bytes that are read. `is_unknown`: a pattern is computed, so that nobody can say."""

    fixed: float = 0
    by_byte: float = 0
    by_square: float = 0
    is_unknown: bool = False

    def of(self, size: int) -> float:
        """The units where so many bytes are read."""
        return self.fixed + size * (self.by_byte + size * self.by_square)


def cost_of(tree: Expr) -> Cost:
    """What the expression costs, without what list macros repeat."""
    fixed = by_byte = by_square = 0.0
    is_unknown = False
    for call in walk(tree):
        if not isinstance(call, Call):
            continue
        by_byte += _UNITS_OF_A_BYTE
        if call.function in _OVER_LISTS:
            by_byte += _UNITS_OF_A_LISTED_BYTE
        last = call.args[-1] if call.args else None
        if call.function == "matches":
            if isinstance(last, Const) and isinstance(last.value, str):
                units = pattern_weight(last.value) * _UNITS_OF_A_STATE
                by_byte, fixed = by_byte + units, fixed + units * _BYTES_OF_COMPILING
            else:
                is_unknown = True
        elif call.function == "contains" and not isinstance(last, Const):
            by_square += _UNITS_OF_A_SQUARE
    return Cost(fixed, by_byte, by_square, is_unknown)


def match_cost(pattern: str, text: str) -> float:
    """The units that it takes to look for a pattern in a text."""
    return pattern_weight(pattern) * _UNITS_OF_A_STATE * (4 * len(text) + _BYTES_OF_COMPILING)


def pattern_weight(pattern: str) -> int:
    """At most so many states an automaton for the pattern has; what it repeats counts as often."""
    sums, last, has_case = [0], 0, True
    for match in _ATOM.finditer(pattern):
        kind = match.lastgroup
        if kind in ("least", "comma", "most"):
            times = max(int(match["least"]), int(match["most"] or 0), 1) + (kind == "comma")
            sums[-1] += last * (times - 1)
            last = min(last * times, _MOST_WEIGHT)
            continue
        if kind is None or kind == "open":
            has_case = has_case and "i" not in (match["open"] or "")
            sums.append(0)
            last = 0
        elif kind == "close":
            last = 2 + sums.pop()
            sums = sums or [0]
            sums[-1] = min(sums[-1] + last, _MOST_WEIGHT)
        else:
            last = _weight(match, kind)
            sums[-1] += last
    return min(sum(sums) * (1 if has_case else 3) + 1, _MOST_WEIGHT)


def _weight(match: re.Match[str], kind: str) -> int:
    """The states of one character, or of a class of them."""
    text = match[0]
    if kind == "kind":
        return _OF_UNICODE
    if kind == "escape":
        return _OF_ANY if text[-1] in "DSW" else 2
    if kind == "set":
        plain = 2 if text.isascii() and "\\x" not in text else 8
        return (
            _OF_UNICODE * text.count("\\p")
            + _OF_UNICODE * text.count("\\P")
            + plain * (len(text) // 4 + 1 if text[1:2] != "^" else len(text) // 4 + _OF_ANY)
        )
    return _OF_ANY if text == "." else 2 if text.isascii() else 8
