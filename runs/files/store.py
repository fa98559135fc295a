"""The statements about files as typed functions (`sql/files.sql`)."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypedDict

from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.files.limits import (
    PERSON_UNUSED_BYTES,
    PERSON_UNUSED_FILES,
    RESULT_BYTES,
    RESULT_FILES,
    TENANT_UNUSED_BYTES,
    UNUSED_PERIOD,
)
from runs.store.hot import document

SQL = Statements(Path(__file__).parent / "sql")


class FileRow(TypedDict):
    """What a file is."""

    id: str
    name: str
    media_type: str
    size: int
    sha256: str
    by: str


class LockedFile(FileRow):
    """A file that a start has alone; `unused`: whether it may become that of a run."""

    unused: bool


def add_file(tenant: int, row: FileRow, content: bytes) -> str:
    """Keep an uploaded file; empty, or of what there is too much: `files`, `own` bytes, or those of the `tenant`."""
    SQL.execute("lock_uploads", {"tenant": tenant})
    params = {
        "tenant": tenant,
        "file": row["id"],
        "content": content,
        "period": UNUSED_PERIOD.total_seconds(),
    }
    params |= {key: row[key] for key in ("name", "media_type", "size", "sha256", "by")}
    params |= {"most_files": PERSON_UNUSED_FILES, "most_own": PERSON_UNUSED_BYTES}
    params |= {"most_whole": TENANT_UNUSED_BYTES, "now": now_or_none()}
    (excess,) = SQL.column("add_file", params)
    return str(excess)


def lock_files(tenant: int, ids: Collection[str]) -> dict[str, LockedFile]:
    """The files with these ids, locked until the transaction ends."""
    rows: dict[str, LockedFile] = SQL.value(
        "lock_files", {"tenant": tenant, "files": sorted(ids), "now": now_or_none()}
    )
    return rows


def unused_files(tenant: int, by: str, ids: Collection[str]) -> dict[str, FileRow]:
    """Those of these files that somebody uploaded and no start has used yet."""
    params = {"tenant": tenant, "by": by, "files": sorted(ids), "now": now_or_none()}
    rows: dict[str, FileRow] = SQL.value("unused_files", params)
    return rows


def use_files(tenant: int, uses: Sequence[tuple[str, str]]) -> None:
    """Note that trees use files, each as (file, tree)."""
    files, trees = [file for file, _ in uses], [tree for _, tree in uses]
    SQL.execute("use_files", {"tenant": tenant, "files": files, "trees": trees})


def keep_files(ids: Collection[str]) -> None:
    """These files belong to runs now and do not expire."""
    if ids:
        SQL.execute("keep_files", {"files": sorted(ids)})


def adopt_files(tenant: int, rows: Sequence[FileRow]) -> None:
    """Note files whose bytes are kept elsewhere."""
    if rows:
        SQL.execute("adopt_files", {"tenant": tenant, "rows": document([*rows]), "now": now_or_none()})


def keep_result(tenant: int, run: str, row: FileRow, content: bytes) -> bool:
    """Keep a file that a step has made, for the tree of its run; False where that has enough, or is gone."""
    params = {"tenant": tenant, "run": run, "file": row["id"], "content": content, "now": now_or_none()}
    params |= {key: row[key] for key in ("name", "media_type", "size", "sha256", "by")}
    params |= {"most_files": RESULT_FILES, "most_bytes": RESULT_BYTES}
    return bool(SQL.column("keep_result", params))


def trees_of(tenant: int, runs: Collection[str]) -> dict[str, str]:
    """By run the topmost run of its tree."""
    trees: dict[str, str] = SQL.value("trees_of", {"tenant": tenant, "runs": sorted(runs)})
    return trees


def files_of_trees(
    tenant: int, trees: Collection[str], ids: Collection[str]
) -> dict[tuple[str, str], FileRow]:
    """By tree and id those of these files that these trees use."""
    params = {"tenant": tenant, "trees": sorted(trees), "files": sorted(ids)}
    return {(tree, row["id"]): row for tree, row in SQL.value("files_of_trees", params)}


def files_used(tenant: int, run_id: str, limit: int, *, results: bool = False) -> list[FileRow]:
    """The files that the tree of a run was started with, or with `results` those that its steps have kept; the oldest
    first, at most so many.
    """
    params = {"tenant": tenant, "run": run_id, "limit": limit, "results": results}
    rows: list[FileRow] = SQL.value("files_used", params)
    return rows


def content_of(tenant: int, file: str) -> bytes | None:
    """The bytes of a file, where they are kept here."""
    for content in SQL.column("content_of_file", {"tenant": tenant, "file": file}):
        return bytes(content)
    return None


def expire(limit: int) -> int:
    """Delete expired files with their bytes; gives how many were looked at."""
    count: int = SQL.value("expire_files", {"limit": limit, "now": now_or_none()})
    return count
