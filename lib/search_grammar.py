"""The one grammar of searches, for runs, tasks, requests and the palette; pure, and linear in the text.

A search is words, `field:value` (also `>`, `<`, `>=`, `<=`) and texts in quotes, all of which must hold. `-` or `not`
before one of them: it must not hold. `or` between two: one of them is enough; it binds closer than the space between
conditions, so `workflow:a status:failed or status:cancelled` are the runs of `a` that failed or were cancelled. In
quotes nothing has a meaning but `\\"` and `\\\\`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

CONDITIONS = 50
"""Conditions of one search."""
COMPARED = (">=", "<=", ">", "<")
_QUOTED = r'"(?:[^"\\]|\\.)*"?'
_TOKEN = re.compile(
    rf"(?P<minus>-(?=[^\s-]))?(?:(?P<name>[A-Za-z][\w.-]{{0,127}})(?P<sign>>=|<=|:|>|<)"
    rf"(?P<more>>=|<=|>|<)?(?P<value>{_QUOTED}|[^\s\"]\S*)|(?P<text>{_QUOTED}|\S+))"
)
_ESCAPED = re.compile(r"\\(.)")


class NotUnderstood(ValueError):
    """A search, or a condition of it, that can't be read; its text says what may stand there."""


@dataclass(frozen=True, slots=True)
class Term:
    """A condition: the name of a field, how it is compared (`:`, `>`, `<`, `>=`, `<=`), with what; a text has no name.

    `is_not`: it must not hold.
    """

    name: str
    compared: str
    value: str
    is_not: bool = False


Clause = tuple[Term, ...]
"""Conditions of which one is enough."""


@dataclass(frozen=True, slots=True)
class Fields:
    """What a list can be searched by: names of fields, other spellings of them, and what the names of values begin
    with, as `input.`.
    """

    names: Iterable[str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    prefixes: tuple[str, ...] = ()

    def known(self, name: str) -> str | None:
        """The field that is meant; None where there is none. Names of values stay as they are written."""
        if name.lower().startswith(self.prefixes):
            return name
        name = name.lower()
        name = self.aliases.get(name, name)
        return name if name in self.names else None

    def refusal(self, term: Term, text: str) -> NotUnderstood:
        """Why a condition of an unknown field is none, with the field that is most like it."""
        sign = "" if term.compared == ":" else term.compared
        value = quoted(term.value)
        near = get_close_matches(term.name.lower(), [*self.names, *self.aliases], n=1)
        instead = [f"{near[0]}:{sign}{value}"] if near else []
        if not near and self.prefixes and term.compared != ":":
            instead = [f"{self.prefixes[0]}{term.name}{term.compared}{value}"]
        hint = f"Did you mean {instead[0]}?" if instead else f"Fields are {', '.join(self.names)}."
        return NotUnderstood(
            f"There is no field “{term.name}”. {hint} Put “{text[:50]}” in quotes to search for the text."
        )


def parse(text: str, fields: Fields) -> list[Clause]:
    """The conditions of a search, each of which must hold. Raises NotUnderstood."""
    clauses: list[Clause] = []
    is_not = is_or = False
    for term, raw, is_last in _terms(text, fields):
        operator = raw.lower() if not term.name and not term.is_not else ""
        if operator == "not" and not is_last:
            is_not = not is_not
            continue
        if operator == "or" and clauses and not is_or and not is_not and not is_last:
            is_or = True
            continue
        one = Term(term.name, term.compared, term.value, term.is_not != is_not)
        if is_or:
            clauses[-1] = (*clauses[-1], one)
        else:
            clauses.append((one,))
        is_not = is_or = False
    if sum(map(len, clauses)) > CONDITIONS:
        raise NotUnderstood(f"A search has at most {CONDITIONS} conditions.")
    return clauses


def _terms(text: str, fields: Fields) -> Iterator[tuple[Term, str, bool]]:
    """The conditions one after the other, each as it is written, and whether nothing follows."""
    matches = list(_TOKEN.finditer(text))
    for place, match in enumerate(matches):
        is_not, raw, is_last = bool(match["minus"]), match[0], place == len(matches) - 1
        if match["name"] is None or match["value"].startswith("//"):
            # An address has no field before its colon.
            plain = match["text"] or match[0].removeprefix("-" if is_not else "")
            if text_value := unquoted(plain):
                yield Term("", ":", text_value, is_not), raw, is_last
            continue
        sign = match["more"] if match["more"] and match["sign"] == ":" else match["sign"]
        value = (
            match["value"] if match["sign"] == ":" or not match["more"] else match["more"] + match["value"]
        )
        term = Term(match["name"], sign, unquoted(value), is_not)
        if (name := fields.known(term.name)) is None:
            raise fields.refusal(term, raw)
        yield Term(name, sign, term.value, is_not), raw, is_last


def unquoted(text: str) -> str:
    """What a text in quotes is; another text as it is."""
    if not text.startswith('"'):
        return text
    inner = text[1:-1] if len(text) > 1 and text.endswith('"') and not _is_open(text) else text[1:]
    return _ESCAPED.sub(r"\1", inner)


def _is_open(text: str) -> bool:
    """Whether the last quote is one of the text."""
    body = text[1:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1


def quoted(value: str, *, always: bool = False) -> str:
    """A value as a search has it: in quotes where it has a space or a quote, or says something else without."""
    is_plain = bool(value) and not re.search(r'[\s"]', value) and value[0] not in "-<>=/"
    if is_plain and not always and value.lower() not in ("or", "not"):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
