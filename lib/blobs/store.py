"""What a store of blobs can do."""

from collections.abc import Iterable, Iterator
from typing import Protocol


class Blobs(Protocol):
    """Bytes by key. Keys have parts divided by `/`, of letters, digits and `-` alone. All of it raises BlobAway."""

    def put(self, key: str, raw: bytes) -> None:
        """Keep bytes; when it returns they outlast a crash. The same key again has the same bytes."""

    def get(self, key: str, most: int) -> bytes:
        """The bytes of a key. Raises BlobMissing, and BlobChanged for more than `most`."""

    def keys(self, prefix: str) -> Iterator[str]:
        """All keys whose first parts are `prefix`, in no order; remains of what was interrupted, too."""

    def prefixes(self) -> list[str]:
        """The first parts of all keys, in order."""

    def delete(self, keys: Iterable[str]) -> None:
        """Forget these; those that are gone already are no error."""
