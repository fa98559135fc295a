"""Our own dialect, as it stands, but for options of activities in the words of other engines."""

from engine.catalogue import Json
from engine.dialects.activity_options import in_our_words
from engine.dialects.base import Dialect, Document


def _matches(document: Document) -> bool:
    return "nodes" in document


def _to_native(document: Document) -> dict[str, Json]:
    return {**document, "nodes": in_our_words(document.get("nodes"))}


NATIVE = Dialect("native", _matches, _to_native)
