"""Values within a text that is Markdown: what somebody else typed marks nothing up (SECURITY "Markdown")."""

import re

# At the beginning of a line these make headings, quotes, lists, rules and fences of what follows.
_LINE_START = re.compile(r"^([ \t]*)(?:([#>=~]|[+-](?=[\s-]|$))|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE)
# An underscore within a word marks nothing up, and stays readable in e-mail addresses and names of files.
_ANYWHERE = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
_LINE_END = re.compile(r"\r\n?")


def escaped(text: str) -> str:
    """The text as Markdown that shows it as it is: no emphasis, link, heading, list, table or entity comes of it."""
    text = _ANYWHERE.sub(r"\\\g<0>", _LINE_END.sub("\n", text))
    return _LINE_START.sub(_escaped_start, text)


def _escaped_start(found: re.Match[str]) -> str:
    blanks, sign, number, dot = found.groups()
    return f"{blanks}\\{sign}" if sign else f"{blanks}{number}\\{dot}"
