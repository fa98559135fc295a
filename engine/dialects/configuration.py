"""A workflow `{id, user_id, name, configuration}`, where the configuration is the array of step types (R-011)."""

import re
from collections.abc import Mapping

from engine.catalogue import Json
from engine.dialects.base import Dialect, DialectError, Document
from engine.dialects.steps import STEPS

_RECORD_FIELDS = ("id", "user_id", "created_at")
_NAME = re.compile(r"[A-Za-z0-9_:\-]{1,256}")
# The names of the example pipeline of this format, in any spelling.
_TYPES: Mapping[str, str] = {
    "clean": "text.clean",
    "clean_text": "text.clean",
    "summarize": "text.summarize",
    "summarise": "text.summarize",
    "extract_keywords": "text.keywords",
    "keywords": "text.keywords",
    "tag": "text.tag",
    "tag_category": "text.tag",
    "translate": "text.translate",
}


def _matches(document: Document) -> bool:
    return "configuration" in document and "nodes" not in document and "steps" not in document


def _to_native(document: Document) -> dict[str, Json]:
    items = document.get("configuration")
    if isinstance(items, dict):
        items = items.get("steps")
    if not isinstance(items, list):
        raise DialectError("`configuration` must be a list of step types.", "configuration")
    around = {key: value for key, value in document.items() if key not in ("configuration", *_RECORD_FIELDS)}
    record = {key: document[key] for key in _RECORD_FIELDS if key in document}
    if record:
        metadata = around.get("metadata")
        around["metadata"] = {**(metadata if isinstance(metadata, dict) else {}), **record}
    steps = [_step(item, f"configuration[{at}]") for at, item in enumerate(items)]
    return STEPS.to_native({**_named(around), "steps": steps})


def _named(around: dict[str, Json]) -> dict[str, Json]:
    """Names here are what people call a thing: where ours can't be so, it becomes the title."""
    own_name = around.get("name")
    if not isinstance(own_name, str) or _NAME.fullmatch(own_name):
        return around
    name = re.sub(r"[^a-z0-9]+", "-", own_name.lower()).strip("-")[:128]
    return {"title": own_name, **around, "name": name or own_name}


def _step(item: Json, field: str) -> dict[str, Json]:
    step = {"type": item} if isinstance(item, str) else item
    if not isinstance(step, dict):
        raise DialectError(f"`{field}` must be a step type, or an object with one.", field)
    kind = step.get("type", step.get("step_type"))
    if not isinstance(kind, str):
        raise DialectError(f"`{field}` needs a type, such as summarize.", f"{field}.type")
    rest = {key: value for key, value in step.items() if key not in ("type", "step_type")}
    known_type = _TYPES.get(re.sub(r"[\s\-]+", "_", kind.strip().lower()))
    return {"type": known_type or kind, **rest}


CONFIGURATION = Dialect("configuration", _matches, _to_native)
