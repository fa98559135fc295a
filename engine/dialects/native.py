"""Our own dialect, as it stands."""

from engine.catalogue import Json
from engine.dialects.base import Dialect, Document


def _matches(document: Document) -> bool:
    return "nodes" in document


def _to_native(document: Document) -> dict[str, Json]:
    return dict(document)


NATIVE = Dialect("native", _matches, _to_native)
