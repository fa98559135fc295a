"""Values within a text that is Markdown: what somebody else typed marks nothing up (docs/security.md, "Markdown")."""

import re
from collections.abc import Iterable

# At the beginning of a line these make headings, quotes, lists, rules and fences of what follows.
_LINE_START = re.compile(r"^([ \t]*)(?:([#>=~]|[+-](?=[\s-]|$))|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE)
# An underscore within a word marks nothing up, and stays readable in e-mail addresses and names of files.
_ANYWHERE = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
_LINE_END = re.compile(r"\r\n?")
_BLANKS = re.compile(r"\s+")
_HOLE = "\x00"
_SIGN = re.compile(r"\\[^\x00]|`+|\x00")


def escaped(text: str) -> str:
    """The text as Markdown that shows it as it is: no emphasis, link, heading, list, table or entity comes of it."""
    text = _ANYWHERE.sub(r"\\\g<0>", _LINE_END.sub("\n", text))
    return _LINE_START.sub(_escaped_start, text)


def within_code(text: str) -> str:
    """The text as it is shown within an author's `code`, where nothing can be escaped: it stays in its line, and its
    backticks end nothing.
    """
    return _BLANKS.sub(_in_one_line, text).replace("`", "\u02cb") or " "


def in_code(parts: Iterable[str | None]) -> list[bool]:
    """Of each hole (None) in an author's text, whether it stands between backticks of one line.

    Where that isn't sure, for tables and code of several lines, none does: values are escaped there.
    """
    text = "".join(_HOLE if part is None else part.replace(_HOLE, "|") for part in parts)
    flags: list[bool] = []
    may_be_table = "|" in text
    for line in text.splitlines():
        at = 0
        while sign := _SIGN.search(line, at):
            at = sign.end()
            if sign[0] == _HOLE:
                flags.append(False)
            elif sign[0][0] == "`":
                end = re.compile(f"(?<!`){sign[0]}(?!`)").search(line, at)
                if end is None or may_be_table:
                    return [False] * text.count(_HOLE)
                flags += [True] * line.count(_HOLE, at, end.start())
                at = end.end()
    return flags


def before_hole(text: str) -> str:
    """An author's text before a value that is escaped: a backslash at its end is one, and takes no escape away."""
    return text + "\\" if (len(text) - len(text.rstrip("\\"))) % 2 else text


def _in_one_line(blanks: re.Match[str]) -> str:
    return " " if "\n" in blanks[0] or "\r" in blanks[0] else blanks[0]


def _escaped_start(match: re.Match[str]) -> str:
    blanks, sign, number, dot = match.groups()
    return f"{blanks}\\{sign}" if sign else f"{blanks}{number}\\{dot}"
