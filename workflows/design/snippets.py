"""Pure: groups of steps that the builder's palette offers ready made, to be put into a draft as they are."""

from functools import cache
from pathlib import Path

import orjson

from lib.json import Json

FILE = Path(__file__).with_name("snippets.json")


@cache
def snippets() -> list[dict[str, Json]]:
    """All of them in the order in which they are offered: `name`, `title`, `help`, `icon`, and the steps with their
    edges and places; the first step is where a group begins.
    """
    entries: list[dict[str, Json]] = orjson.loads(FILE.read_bytes())
    return entries
