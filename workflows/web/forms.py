"""What the pages of workflows send, and what of it can be kept."""

from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest

from lib.json import Json
from lib.refusals import Refusal, Unprocessable
from lib.strict_json import BadJson, strict_dumps
from workflows.limits import SESSION_NOTES

_NOTES = "notes"


def message_of(refusal: Refusal) -> str:
    """A refusal to save, with what can be done so that nothing typed is lost."""
    if refusal.code != "archived":
        return refusal.message
    return f"{refusal.message} Take it out of the archive in another tab, then save again."


def note_of(form_fields: Mapping[str, str]) -> str:
    """The note of a publication, as long as one may be."""
    return form_fields.get("note", "").replace("\x00", "").strip()[:2000]


def keep_note(request: HttpRequest, name: str, note: str) -> None:
    """Keep what was written about the next version of a workflow until it is published; "" forgets it."""
    notes = request.session.get(_NOTES, {})
    if notes.get(name, "") != note:
        others = [(other, text) for other, text in notes.items() if other != name][-SESSION_NOTES:]
        request.session[_NOTES] = dict([*others, (name, note)] if note else others)


def kept_note(request: HttpRequest, name: str) -> str:
    """The note that was kept for the next version of a workflow."""
    return str(request.session.get(_NOTES, {}).get(name, ""))


def as_number(text: str | None) -> int:
    """A revision as a form sends it; 0, which no draft has, for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


def storable(definition: dict[str, Json]) -> dict[str, Json]:
    """The definition, if it can be kept. Raises Unprocessable."""
    try:
        strict_dumps(definition, max_bytes=settings.HANDOFF_MAX_BODY_BYTES)
    except BadJson as bad:
        raise Unprocessable(f"This can't be saved: {bad.located}.") from None
    return definition
