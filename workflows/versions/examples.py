"""The workflows that Handoff comes with: definitions that explain themselves, each with a sample input."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

from engine.catalogue import Json
from engine.problems import Problem
from workflows.design.drawing import Drawing, draw
from workflows.ports import judged_each

COMPLIANCE = 3
"""How many of them, the first, are what people decide in compliance; they are what an empty page offers."""
FOLDER = Path(__file__).parent / "example_definitions"


@dataclass(frozen=True, slots=True)
class Example:
    """One of them; its description is a sentence on what it shows, `layout` has the notes on its canvas."""

    name: str
    title: str
    description: str
    definition: dict[str, Json]
    layout: dict[str, Json]

    @property
    def drawing(self) -> Drawing:
        """Its picture."""
        return draw(self.definition)


@cache
def examples() -> tuple[Example, ...]:
    """All of them, in the order in which they are best looked at."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.json"), key=_place))


def _place(path: Path) -> int:
    return int(path.name.partition("-")[0])


def _read(path: Path) -> Example:
    definition = orjson.loads(path.read_bytes())
    layout = definition.pop("layout", {})
    return Example(definition["name"], definition["title"], definition["description"], definition, layout)


@dataclass(frozen=True, slots=True)
class Offer:
    """An example, and what stands in a tenant against publishing it as things are, such as too few people."""

    example: Example
    problems: list[Problem]


def offered(tenant: int, most: int | None = None) -> list[Offer]:
    """The first of the examples, or all, for a tenant."""
    selection = examples()[:most]
    judgements = judged_each(tenant, [example.definition for example in selection])
    return [
        Offer(example, [problem for problem in problems if problem.severity == "error"])
        for example, problems in zip(selection, judgements, strict=True)
    ]
