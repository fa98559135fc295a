"""What a definition may say already but nothing acts upon yet: a line for each field, gone with its gap."""

from collections.abc import Iterator, Mapping

from engine.checks.outline import Outline
from engine.problems import Problem, quoted, warning

OF_NODE: Mapping[str, str] = {
    "secrets": "no secret is given to the step",
}


def fields(outline: Outline) -> Iterator[Problem]:
    """Every field that is given and has no effect."""
    for item in outline.nodes:
        for name, effect in OF_NODE.items():
            if getattr(item.node, name) is not None:
                yield _without_effect(name, f"{item.field}.{name}", effect, item.id)


def _without_effect(name: str, field: str, effect: str, node: str) -> Problem:
    return warning("not_yet", field, f"{quoted(name)} has no effect yet: {effect}.", node)
