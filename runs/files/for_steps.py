"""The files of a run's tree as its steps read them, in whatever thread they work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import connection

from engine.errors import StepError
from lib.database_errors import OPERATIONAL_ERRORS
from runs.files import trees
from steps.files import FileInfo

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FilesOfRun:
    """The files that the steps of a run may read. Raises StepError FileUnavailable, retried, without the database."""

    tenant: int
    run_id: str

    def described(self, ids: Sequence[str]) -> Mapping[str, FileInfo]:
        """Those of these ids that are files of the run's tree, by id."""
        rows = _read(lambda: trees.files_of_run(self.tenant, self.run_id, ids))
        names = ("id", "name", "media_type", "size", "sha256")
        return {id_: FileInfo(*(row[name] for name in names)) for id_, row in rows.items()}  # type: ignore[literal-required]

    def content(self, id: str) -> bytes:
        """The bytes of one of them."""
        content = _read(lambda: trees.content_of(self.tenant, id))
        if content is None:
            raise StepError("FileNotFound", "The content of this file was deleted.", details={"file": id})
        return content


def _read(read: Callable[[], T]) -> T:
    """What is read with this thread's connection, which is closed again where it was."""
    was_open = connection.connection is not None
    try:
        return read()
    except OPERATIONAL_ERRORS as error:
        raise StepError("FileUnavailable", f"The file can't be read now: {error}", retryable=True) from None
    finally:
        if not was_open:
            connection.close()
