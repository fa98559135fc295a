"""The statements of files of tasks as typed functions (SQL in `sql/`)."""

from collections.abc import Collection, Iterable
from uuid import UUID

from lib.clock import now_or_none
from runs.files.store import FileRow
from runs.store.hot import Row
from tasks_inbox.store.statements import SQL


def hold_open_task(tenant: int, task: UUID) -> bool:
    """Have an OPEN task of the tenant alone; False where it is none."""
    return bool(SQL.column("hold_open_task", {"tenant": tenant, "task": task}))


def add_file(file: str, *, task: UUID, content: bytes, details: Row, by: str, most: int) -> bool:
    """Write a file of a task that is held; False where it has so many. `details`: name, media_type, size, sha256."""
    params = {"file": file, "task": task, "content": content, "by": by, "most": most, "now": now_or_none()}
    return bool(SQL.column("add_file", {**params, **details}))


def withdraw_file(task: UUID, file: UUID, *, by: str) -> bool:
    """Take a file of a task that is held back, and forget its content; False where somebody has decided with it."""
    params = {"task": task, "file": file, "by": by, "now": now_or_none()}
    if not SQL.column("withdraw_file", params):
        return False
    SQL.execute("forget_file", {"file": file})
    return True


def files_in_trees(
    tenant: int, trees: Collection[str], ids: Collection[str]
) -> dict[tuple[str, str], FileRow]:
    """By tree and id those of these files that are of tasks of these trees and were not withdrawn."""
    params = {"tenant": tenant, "trees": sorted(trees), "files": sorted(ids)}
    return {(tree, row["id"]): row for tree, row in SQL.value("files_in_trees", params)}


def file_content(tenant: int, file: str) -> bytes | None:
    """The bytes of a file of a task."""
    for content in SQL.column("file_content", {"tenant": tenant, "file": file}):
        return bytes(content)
    return None


def files_held(tenant: int, files: Iterable[str]) -> dict[str, Row]:
    """What each of these files is said to be, by id, and as `found` the SHA-256 of its content."""
    return dict(SQL.value("files_held", {"tenant": tenant, "files": sorted(files)}))
