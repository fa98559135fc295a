"""The workflows that Handoff comes with: definitions that explain themselves, each with a sample input."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from workflows.drawing import Drawing, draw

Json = Any
FOLDER = Path(__file__).parent / "example_definitions"


@dataclass(frozen=True, slots=True)
class Example:
    """One of them; its description is a sentence on what it shows."""

    name: str
    title: str
    description: str
    definition: dict[str, Json]

    @property
    def drawing(self) -> Drawing:
        """Its picture."""
        return draw(self.definition)


@cache
def examples() -> tuple[Example, ...]:
    """All of them, in the order in which they are best looked at."""
    found = [orjson.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))]
    return tuple(Example(each["name"], each["title"], each["description"], each) for each in found)
