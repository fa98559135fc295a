"""Places in the tree of a run: the steps that lead from the root down."""

from collections.abc import Iterable, Mapping

from engine.catalogue import Json


def in_words(place: Iterable[Mapping[str, Json]]) -> str:
    """A place as people read it: `each 2 › ask`."""
    return " › ".join(
        one["node"] if one["index"] is None else f"{one['node']} {one['index']}" for one in place
    )
