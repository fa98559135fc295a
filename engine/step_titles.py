"""What people read as the name of a step: its title, or that of its type with its id."""

from collections.abc import Mapping
from typing import Any

from engine.catalogue import Catalogue, StepSpec


def step_title(raw: Mapping[str, Any], catalogue: Catalogue) -> str:
    """What a step of a definition is called, which may be a draft of any shape.

    Args:
        raw: The step, as in `nodes` of a definition.
        catalogue: The step types that are installed.

    Returns:
        Its title; without one the title of its type and its id, `External job (charge)`. A type that is not installed
        stands there by its name.
    """
    kind = raw.get("type")
    spec = catalogue.get(kind) if isinstance(kind, str) else None
    return title_of(raw.get("title"), str(raw.get("id", "")), kind, spec)


def title_of(title: object, id: str, kind: object, spec: StepSpec | None) -> str:
    """What a step is called that has this title, this id and a type of this name."""
    if isinstance(title, str) and _is_text(title):
        return title
    type_title = spec.title if spec else kind
    return f"{type_title} ({id})" if _is_text(type_title) else id


def card_lines(title: str, id: str, type_title: str) -> tuple[str, str]:
    """The two lines of a card: the title and the type of a step; of a step without a title its type and its id."""
    return (type_title, id) if title == f"{type_title} ({id})" else (title, type_title)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
