"""A start uses the files that its input names: each becomes a file of the run's tree, once (docs/files.md)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lib.forms.fields import FormField
from lib.forms.shapes import has_format
from lib.json import Json
from lib.media import is_accepted
from runs.files import store
from runs.files.store import FileRow, LockedFile
from runs.files.trees import files_of_trees, is_id


class FileRefused(Exception):
    """A file that an input names can't be used: `code`, `message`, and the `field` that names it.

    `conflict`: another run has it.
    """

    def __init__(self, code: str, message: str, field: str, *, conflict: bool = False) -> None:
        super().__init__(message)
        self.code, self.message, self.field, self.conflict = code, message, field, conflict


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that an input names, at `field`, and what its schema accepts."""

    id: str
    field: str
    accept: tuple[str, ...] = ()
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The files that a new run of a `tree` names; `sources`: runs whose files it may use as well."""

    tree: str
    files: Sequence[NamedFile]
    sources: Collection[str] = field(default_factory=tuple)


def takes_files(schema: Json) -> bool:
    """Whether a schema has a field for a file anywhere."""
    return has_format(schema, "file")


def named_files(fields: Iterable[FormField], where: str = "") -> list[NamedFile]:
    """The files that these fields name; `where` begins the names of the fields."""
    return [
        NamedFile(one.text, f"{where}{one.place or one.name}", one.accept, one.max_bytes)
        for one in fields
        if one.kind == "file" and one.text
    ]


def fault_of(file: FileRow, accept: Collection[str], max_bytes: int | None) -> str:
    """What is wrong with the file of a field; empty where it is right."""
    if not is_accepted(file["media_type"], file["name"], accept):
        return f"Only {', '.join(accept)} files are accepted."
    if max_bytes is not None and file["size"] > max_bytes:
        return f"This file is too large: at most {max_bytes:,} bytes."
    return ""


def name_fields(fields: Iterator[FormField], files: Mapping[str, FileRow], urls: Mapping[str, str]) -> None:
    """Say of fields that hold files what these are called and what is wrong; what is none of `files` is empty again."""
    for one in fields:
        if one.kind != "file":
            continue
        file = files.get(one.text)
        if file is None:
            one.text = ""
        else:
            one.file_name, one.file_url = file["name"], urls.get(file["id"], "")
            one.error = one.error or fault_of(file, one.accept, one.max_bytes)


def use(tenant: int, by: str, claims: Sequence[Claim], *, is_test: bool = False) -> None:
    """Let trees of new runs use the files that they name, within the transaction that starts them.

    A tree may use what it uses already, what a tree of its `sources` uses, and what whoever starts it has uploaded and
    no run uses yet. A test run leaves an upload unused, for the next test. Raises FileRefused.
    """
    references = [one for claim in claims for one in claim.files]
    for one in references:
        if not is_id(one.id):
            raise FileRefused("no_such_file", _NONE, one.field)
    ids = {one.id for one in references}
    if not ids:
        return
    files = store.lock_files(tenant, ids)
    source_trees = store.trees_of(tenant, {run for claim in claims for run in claim.sources})
    readable = {claim.tree for claim in claims} | set(source_trees.values())
    rows = files_of_trees(tenant, readable, ids)
    new_ids: set[str] = set()
    uses: dict[tuple[str, str], None] = {}
    adopted: dict[str, FileRow] = {}
    for claim in claims:
        own = [claim.tree, *(source_trees[run] for run in claim.sources if run in source_trees)]
        for one in claim.files:
            shared = next((rows[tree, one.id] for tree in own if (tree, one.id) in rows), None)
            if shared is not None:
                if one.id not in files and (claim.tree, one.id) not in rows:
                    adopted[one.id] = shared
            elif not any((one.id, tree) in uses for tree in own):
                _require_unused(files.get(one.id), one, by, is_taken=one.id in new_ids)
                if not is_test:
                    new_ids.add(one.id)
            file = shared or files.get(one.id)
            if file is not None and (fault := fault_of(file, one.accept, one.max_bytes)):
                raise FileRefused("bad_file", fault, one.field)
            if one.id in files or one.id in adopted:
                uses[one.id, claim.tree] = None
    store.adopt_files(tenant, [*adopted.values()])
    store.keep_files(new_ids)
    store.use_files(tenant, [*uses])


_NONE = "There is no such file that you have uploaded and not used: upload it again."


def _require_unused(file: LockedFile | None, named: NamedFile, by: str, *, is_taken: bool) -> None:
    if file is None or file["by"] != by:
        raise FileRefused("no_such_file", _NONE, named.field)
    if is_taken or not file["unused"]:
        message = "Another run uses this file: upload it again."
        raise FileRefused("file_used", message, named.field, conflict=True)
