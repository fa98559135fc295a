"""Our own dialect, as it stands."""

from engine.dialects.base import Dialect, Document, Json


def _matches(document: Document) -> bool:
    return "nodes" in document


def _to_native(document: Document) -> dict[str, Json]:
    return dict(document)


NATIVE = Dialect("native", _matches, _to_native)
