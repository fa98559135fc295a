"""The files of a run's tree as its steps read and keep them, in whatever thread they work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import connection

from engine.errors import StepError
from lib.database_errors import OPERATIONAL_ERRORS
from lib.refusals import Invalid
from runs.files import store, trees
from runs.files.limits import FILE_BYTES
from runs.files.store import FileRow
from runs.files.uploads import described_content
from steps.files import FileInfo

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FilesOfRun:
    """The files that a step may read and keep. Raises StepError FileUnavailable, retried, without the database."""

    tenant: int
    run_id: str
    node: str

    @property
    def most_bytes(self) -> int:
        """How large one that is kept may be."""
        return FILE_BYTES

    def described(self, ids: Sequence[str]) -> Mapping[str, FileInfo]:
        """Those of these ids that are files of the run's tree, by id."""
        rows = _asked(lambda: trees.files_of_run(self.tenant, self.run_id, ids))
        return {id_: _info(row) for id_, row in rows.items()}

    def content(self, id: str) -> bytes:
        """The bytes of one of them."""
        content = _asked(lambda: trees.content_of(self.tenant, id))
        if content is None:
            raise StepError("FileNotFound", "The content of this file was deleted.", details={"file": id})
        return content

    def keep(self, name: str, content: bytes) -> FileInfo:
        """Keep a new file of the run's tree. Raises StepError FileRefused for what the scan refuses, TooManyFiles."""
        try:
            row = described_content(f"step {self.node}", name, content)
        except Invalid as error:
            raise StepError("FileRefused", str(error)) from None
        if not _asked(lambda: store.keep_result(self.tenant, self.run_id, row, content)):
            message = (
                "The run and those that it belongs to have kept too many files, or too large ones together."
            )
            raise StepError("TooManyFiles", message)
        return _info(row)


def _info(row: FileRow) -> FileInfo:
    return FileInfo(row["id"], row["name"], row["media_type"], row["size"], row["sha256"])


def _asked(read: Callable[[], T]) -> T:
    """What the database answers on this thread's connection, which is closed again where it was."""
    was_open = connection.connection is not None
    try:
        return read()
    except OPERATIONAL_ERRORS as error:
        raise StepError("FileUnavailable", f"The file can't be read now: {error}", retryable=True) from None
    finally:
        if not was_open:
            connection.close()
