"""SQL statements in `.sql` files, by name: `-- name: claim` starts one, `/* include part */` pulls in a fragment."""

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

watchers: list[Callable[[str], None]] = []
"""Called with the name of each statement that is executed: for tests and benchmarks that count them."""


def load(folder: Path, *others: Path) -> dict[str, str]:
    """All statements of the `.sql` files below `folder`, includes resolved, fragments left out.

    What is included may be in `others`.
    """
    whole: dict[str, str] = {}
    fragments: set[str] = set()
    own = sorted(folder.glob("*.sql"))
    for path in [*own, *(path for other in others for path in sorted(other.glob("*.sql")))]:
        parts = _NAME.split(path.read_text())[1:]
        for name, fragment, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            if name in whole:
                raise ValueError(f"{path.name} names the statement {name} again")
            whole[name] = text.strip()
            if fragment or path not in own:
                fragments.add(name)

    def resolved(text: str) -> str:
        return _INCLUDE.sub(lambda match: resolved(whole[match[1]]), text)

    return {name: resolved(text) for name, text in whole.items() if name not in fragments}


class Statements:
    """The statements of a folder, executed on Django's connection; they may include what is in `others`."""

    def __init__(self, folder: Path, *others: Path) -> None:
        self.texts = load(folder, *others)

    def execute(self, name: str, params: Mapping[str, Any]) -> psycopg.Cursor[tuple[Any, ...]]:
        """Execute a statement; its parameters are bound by the server, so that its plan is made once."""
        connection.ensure_connection()
        crash_points.hit(f"before_{name}")
        for watcher in watchers:
            watcher(name)
        cursor = psycopg.Cursor(connection.connection)
        cursor.execute(self.texts[name].encode(), params, prepare=True)
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
