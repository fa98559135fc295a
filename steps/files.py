"""Files that a step passes on: those of its own run's tree, and no others (docs/files.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.errors import StepError


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What a file is; `media_type` is detected from its bytes."""

    id: str
    name: str
    media_type: str
    size: int
    sha256: str


class Files(Protocol):
    """The files that a run may read, and keep."""

    @property
    def most_bytes(self) -> int:
        """How large one that is kept may be."""
        ...

    def described(self, ids: Sequence[str]) -> Mapping[str, FileInfo]:
        """Those of these ids that are files of the run's tree, by id."""
        ...

    def content(self, id: str) -> bytes:
        """The bytes of one of them."""
        ...

    def keep(self, name: str, content: bytes) -> FileInfo:
        """Keep a new file of the run. Raises StepError where the scan refuses it, or the run has too many."""
        ...


class NoFiles:
    """The files of a step that is executed outside of a run."""

    most_bytes = 0

    def described(self, ids: Sequence[str]) -> Mapping[str, FileInfo]:
        return {}

    def content(self, id: str) -> bytes:
        raise LookupError(id)

    def keep(self, name: str, content: bytes) -> FileInfo:
        raise StepError("FileRefused", "A file can be kept only in a run.")


def read(files: Files, named: Sequence[tuple[str, str]], *, most_bytes: int) -> list[tuple[FileInfo, bytes]]:
    """The files that params name, each as (id, field), with their bytes, in their order.

    Raises StepError, not retried, naming the field: FileNotFound for no file of the run's tree, FilesTooLarge.
    """
    infos = files.described([id for id, _ in named]) if named else {}
    size = 0
    for id, field in named:
        if id not in infos:
            message = f"There is no file {id[:100]!r} in this run."
            raise StepError("FileNotFound", message, details={"field": field})
        size += infos[id].size
        if size > most_bytes:
            message = f"The files are larger than {most_bytes // 1024 // 1024} MiB together."
            raise StepError("FilesTooLarge", message, details={"field": field})
    contents = {id: files.content(id) for id in dict.fromkeys(id for id, _ in named)}
    return [(infos[id], contents[id]) for id, _ in named]
