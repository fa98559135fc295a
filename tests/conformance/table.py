"""Who plays which case: `sdks/conformance/table.md`, which `make conformance` and `make kafka` write (R-193)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.conformance.playing import CASES, PLAYERS, SDKS

FILE: Final = SDKS / "conformance" / "table.md"
PLAYED, DIFFERS, UNKNOWN = "yes", "no", ""
_HEAD = """# Who does what each case expects

A row is a file of `cases`, a column a player of it ([which](../README.md)). `make conformance` writes this, and
`make kafka` its own column.
"""
Cells = Mapping[tuple[str, str], str]
"""By player and case."""


def kept(file: Path = FILE) -> dict[tuple[str, str], str]:
    """What the table says, of players and cases that there are no more, too."""
    if not file.exists():
        return {}
    names = {player.title: name for name, player in PLAYERS.items()}
    head, *rows = [_cells(line) for line in file.read_text().splitlines() if line.startswith("|")]
    return {
        (names.get(title, title), row[0].strip("`")): said
        for row in rows[1:]
        for title, said in zip(head[2:], row[2:], strict=True)
    }


def write(cells: Cells, file: Path = FILE) -> None:
    """Write the table of all players and cases that there are."""
    file.write_text("\n".join(lines(cells)))


def lines(cells: Cells) -> Iterator[str]:
    """The lines of the table."""
    yield _HEAD
    yield _row(["case", "what it is about", *(player.title for player in PLAYERS.values())])
    yield _row(["---"] * (2 + len(PLAYERS)))
    for case in CASES:
        said = [cells.get((name, case.stem), UNKNOWN) for name in PLAYERS]
        yield _row([f"`{case.stem}`", str(json.loads(case.read_text())["title"]), *said])
    yield ""


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]
