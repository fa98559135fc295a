"""What is said of documents and changes to them."""

from collections.abc import Sequence
from dataclasses import replace

from lib.strict_json import same
from workflows.document.changes import ORDERED, ROOTS, Change, Document


def same_document(one: Document, other: Document) -> bool:
    """Whether both say the same, the order of nodes and edges included."""
    in_order = all(list(one[root]) == list(other[root]) for root in ORDERED)
    return in_order and all(same(one[root], other[root]) for root in ROOTS)


def inverse(change: Change) -> Change:
    """The change that takes this one back."""
    return replace(change, before=change.after, after=change.before, at=change.was_at, was_at=change.at)


def inverses(changes: Sequence[Change]) -> tuple[Change, ...]:
    """What takes a group's changes back, the last one first."""
    return tuple(inverse(change) for change in reversed(changes))
