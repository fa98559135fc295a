"""The files that a run may read: those that its tree uses, and those of people who worked on it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from lib.media import SHOWN
from lib.ports import Port
from runs.files import store
from runs.files.limits import NAMED_FILES
from runs.files.store import FileRow


class Source(NamedTuple):
    """Files that another app keeps: `rows(tenant, trees, ids)`, by tree and id those of these ids that are of
    the trees, and `content(tenant, id)`.
    """

    rows: Callable[[int, Collection[str], Collection[str]], dict[tuple[str, str], FileRow]]
    content: Callable[[int, str], bytes | None]


SOURCES: Final = Port[Source]()


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as pages show it: `preview_url` is empty for what a browser must not render."""

    id: str
    name: str
    media_type: str
    size: int
    sha256: str
    url: str
    preview_url: str = ""

    @property
    def short_hash(self) -> str:
        """The first letters of its SHA-256."""
        return self.sha256[:12]

    @property
    def is_picture(self) -> bool:
        """Whether its preview is an image, and not a PDF."""
        return bool(self.preview_url) and self.media_type.startswith("image/")


def tree_of(tenant: int, run_id: UUID | str) -> str | None:
    """The topmost run of the tree of a run; None where the tenant has no such run."""
    return store.trees_of(tenant, [str(run_id)]).get(str(run_id))


def files_of_run(tenant: int, run_id: UUID | str, ids: Collection[str]) -> dict[str, FileRow]:
    """Those of these ids that are files which a run may read, by id."""
    ids_here = [one for one in dict.fromkeys(ids) if is_id(one)][:NAMED_FILES]
    tree = tree_of(tenant, run_id) if ids_here else None
    return {} if tree is None else files_of_tree(tenant, tree, ids_here)


def files_of_tree(tenant: int, tree: str, ids: Collection[str]) -> dict[str, FileRow]:
    """As `files_of_run`, of a tree."""
    return {id_: row for (_, id_), row in files_of_trees(tenant, [tree], ids).items()}


def files_of_trees(
    tenant: int, trees: Collection[str], ids: Collection[str]
) -> dict[tuple[str, str], FileRow]:
    """By tree and id those of these ids that are files of these trees, in a constant number of statements."""
    rows = dict(store.files_of_trees(tenant, trees, ids))
    for source in SOURCES:
        rows = source.rows(tenant, trees, ids) | rows
    return rows


def content_of(tenant: int, file_id: str) -> bytes | None:
    """The bytes of a file, wherever they are kept; whether somebody may read it was asked before."""
    content = store.content_of(tenant, file_id)
    sources = iter(SOURCES)
    while content is None and (source := next(sources, None)) is not None:
        content = source.content(tenant, file_id)
    return content


def described(
    tenant: int, run_id: UUID | str, ids: Collection[str], address: Callable[[str], str]
) -> dict[str, FileView]:
    """Those of these ids that are files of the run's tree, by id, as pages show them; `address` gives the URL of one.

    A constant number of statements.
    """
    return {id_: viewed(row, address(id_)) for id_, row in files_of_run(tenant, run_id, ids).items()}


def files_used(tenant: int, run_id: UUID | str, address: Callable[[str], str]) -> list[FileView]:
    """The files that the tree of a run was started with, the oldest first, as pages show them."""
    rows = store.files_used(tenant, str(run_id), NAMED_FILES)
    return [viewed(row, address(row["id"])) for row in rows]


def files_kept(tenant: int, run_id: UUID | str, address: Callable[[str], str]) -> list[FileView]:
    """The files that steps of the tree of a run have kept, the oldest first, as pages show them."""
    rows = store.files_used(tenant, str(run_id), NAMED_FILES, results=True)
    return [viewed(row, address(row["id"])) for row in rows]


def is_of_start(tenant: int, run_id: UUID | str, file_id: str) -> bool:
    """Whether the tree of a run was started with this file."""
    return any(row["id"] == file_id for row in store.files_used(tenant, str(run_id), NAMED_FILES))


def viewed(row: FileRow, url: str) -> FileView:
    """A file as pages show it."""
    preview = f"{url}?show=yes" if row["media_type"] in SHOWN else ""
    names = (row["id"], row["name"], row["media_type"], row["size"], row["sha256"])
    return FileView(*names, url=url, preview_url=preview)


def is_id(value: object) -> bool:
    """Whether a value may be the id of a file."""
    if not isinstance(value, str) or len(value) != 36:
        return False
    try:
        return str(UUID(value)) == value
    except ValueError:
        return False
