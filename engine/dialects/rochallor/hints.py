"""What `metadata.s4` keeps of a rochallor document that nodes and edges can't say, so that an export says it again.

`{"steps": {NODE: {"keep": {…}, "choice": NODE, "copy_of": NODE}}, "keep": {…}, "own": …}`: `keep` has fields that an
export would say otherwise, null for none; conditions and transformations are lists of pairs there, because stored
objects have no order. `own`: what the document has in `metadata.s4` itself. A hint that doesn't fit any more is left
out.
"""

from collections.abc import Mapping
from typing import Final

from engine.catalogue import Json
from engine.dialects.rochallor.shape import Step

KEY: Final = "s4"
ORDERED: Final = ("conditionalNextSteps", "transformations")
SAYS_NOTHING: Final = ("id", "description", "delegateClass")
"""Kept fields that fit whatever becomes of the step."""

KeptFields = Mapping[str, Json]


def difference(original: Mapping[str, Json], derived: Mapping[str, Json]) -> dict[str, Json]:
    """What to keep of a step, or of a document, so that it comes back from what would be said of it."""
    keep = {
        name: [[*pair] for pair in value.items()] if name in ORDERED else value
        for name, value in original.items()
        if name not in derived or not _alike(name, value, derived[name])
    }
    return keep | {name: None for name in derived if name not in original}


def _alike(name: str, one: Json, other: Json) -> bool:
    if name == "conditionalNextSteps":
        return bool([*one.items()] == [*other.items()])
    return type(one) is type(other) and bool(one == other)


def applied(derived: Mapping[str, Json], keep: KeptFields) -> Step:
    """What would be said, with what was kept over it."""
    merged: Step = {**derived}
    for name, value in keep.items():
        if value is None:
            merged.pop(name, None)
        elif name in ORDERED and isinstance(value, list):
            merged[name] = {
                str(pair[0]): pair[1] for pair in value if isinstance(pair, list) and len(pair) == 2
            }
        else:
            merged[name] = value
    return merged


def hints_of(metadata: Json) -> Mapping[str, Json]:
    """The hints in the metadata of a definition, whatever is there."""
    hints = metadata.get(KEY) if isinstance(metadata, Mapping) else None
    return hints if isinstance(hints, Mapping) else {}


def of_steps(hints: Mapping[str, Json]) -> dict[str, Mapping[str, Json]]:
    """By node what is kept of it."""
    steps = hints.get("steps")
    items = steps.items() if isinstance(steps, Mapping) else ()
    return {name: hint for name, hint in items if isinstance(hint, Mapping)}


def kept_in(hint: Mapping[str, Json]) -> KeptFields:
    """The fields that a hint keeps."""
    keep = hint.get("keep")
    return keep if isinstance(keep, Mapping) else {}
