"""What the pages of workflows send, and what of it can be kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings

from lib.refusals import Unprocessable
from lib.strict_json import BadJson, Json, strict_dumps
from workflows.models import Workflow
from workflows.pipelines import Pipeline

NEW: dict[str, Json] = {"nodes": [], "edges": []}


@dataclass(slots=True)
class Form:
    """The pipeline form: what was typed, the draft it was made from, and what stands against saving it."""

    pipeline: Pipeline
    workflow: Workflow | None = None
    name: str = ""
    note: str = ""
    revision: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    stale: Workflow | None = None


def note_of(posted: Mapping[str, str]) -> str:
    """The note of a publication, as long as one may be."""
    return posted.get("note", "").replace("\x00", "").strip()[:2000]


def as_number(text: str | None) -> int:
    """A revision as a form sends it; 0, which no draft has, for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


def storable(definition: dict[str, Json]) -> dict[str, Json]:
    """The definition, if it can be kept. Raises Unprocessable."""
    try:
        strict_dumps(definition, max_bytes=settings.HANDOFF_MAX_BODY_BYTES)
    except BadJson as bad:
        raise Unprocessable(f"This can't be saved: {bad.message} {bad.pointer}".strip()) from None
    return definition
