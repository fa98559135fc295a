"""SQL statements in `.sql` files, by name: `-- name: claim` starts one, `/* include part */` pulls in a fragment.

`clock()` in them is the server's time, `statement_clock()` its time when the statement began, by which an index can be
searched; a test that gives `now` sets both.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
import psycopg
from django.db import connection

from lib import crash_points

_NAME = re.compile(r"^-- name: (\w+)( \(fragment\))?\s*$", re.MULTILINE)
_INCLUDE = re.compile(r"/\* include (\w+) \*/")
_CLOCK = re.compile(r"\b(statement_)?clock\(\)")
_PARAM = re.compile(r"%\((\w+)\)s")

watchers: list[Callable[[str], None]] = []
"""Called with the name of each statement that is executed: for tests and benchmarks that count them."""


def load(folder: Path, *others: Path, table: str = "") -> dict[str, str]:
    """All statements of the `.sql` files below `folder`, includes resolved, fragments left out.

    What is included may be in `others`; `table` stands where `/* table */` is.
    """
    whole: dict[str, str] = {}
    fragments: set[str] = set()
    own = sorted(folder.glob("*.sql"))
    for path in [*own, *(path for other in others for path in sorted(other.glob("*.sql")))]:
        parts = _NAME.split(path.read_text().replace("/* table */", table))[1:]
        for name, fragment, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            if name in whole:
                raise ValueError(f"{path.name} names the statement {name} again")
            whole[name] = text.strip()
            if fragment or path not in own:
                fragments.add(name)

    def resolved(text: str) -> str:
        return _INCLUDE.sub(lambda match: resolved(whole[match[1]]), text)

    return {name: _CLOCK.sub(_clock, resolved(text)) for name, text in whole.items() if name not in fragments}


def _clock(place: re.Match[str]) -> str:
    return f"coalesce(%(now)s::timestamptz, {place[1] or 'clock_'}timestamp())"


def numbered(text: str) -> tuple[bytes, list[str]]:
    """A statement as the server takes it, with $1 for its first parameter and so on, and the names of these."""
    places = {name: place for place, name in enumerate(dict.fromkeys(_PARAM.findall(text)), 1)}
    return _PARAM.sub(lambda match: f"${places[match[1]]}", text).replace("%%", "%").encode(), list(places)


class Statements:
    """The statements of a folder, executed on Django's connection; they may include what is in `others`.

    `table` stands where `/* table */` is.
    """

    def __init__(self, folder: Path, *others: Path, table: str = "") -> None:
        self.texts = load(folder, *others, table=table)
        # Not at each call: the driver looks for parameters in a text as often as it is executed, if it is long.
        self._numbered = {name: numbered(text) for name, text in self.texts.items()}

    def execute(self, name: str, params: Mapping[str, Any]) -> psycopg.Cursor[tuple[Any, ...]]:
        """Execute a statement; its parameters are bound by the server, so that its plan is made once."""
        connection.ensure_connection()
        crash_points.hit(f"before_{name}")
        for watcher in watchers:
            watcher(name)
        text, order = self._numbered[name]
        cursor = psycopg.RawCursor(connection.connection)
        cursor.execute(text, [params[param] for param in order], prepare=True)
        return cursor

    def value(self, name: str, params: Mapping[str, Any]) -> Any:
        """The first column of the first row, parsed as JSON; None where there is no row or it is NULL."""
        row = self.execute(name, params).fetchone()
        if row is None or row[0] is None:
            return None
        return orjson.loads(row[0]) if isinstance(row[0], str) else row[0]

    def column(self, name: str, params: Mapping[str, Any]) -> list[Any]:
        """The first column of every row."""
        return [row[0] for row in self.execute(name, params).fetchall()]
