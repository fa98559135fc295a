"""The files that inputs of new runs name: found before the start, used within it."""

from collections.abc import Sequence

from lib.forms.fields import FormField
from lib.json import Json
from runs.commands.start_fields import fields_naming
from runs.files import claims
from runs.files.claims import Claim, FileRefused, NamedFile
from runs.kernel.graphs import Compiled
from runs.kernel.refused import RunRefused
from runs.store.rows import RunRow

StartFiles = tuple[RunRow, Sequence[NamedFile], str | None]
"""The row of a new run, the files that its input names, and a run whose files it may use."""


def files_in(fields: Sequence[FormField], place: int = 0, count: int = 1) -> list[NamedFile]:
    """The files that these fields of the item at a `place` name, of so many items."""
    return claims.named_files(fields, f"items[{place}]." if count > 1 else "")


def refuse_files(version: Compiled, value: Json) -> None:
    """Refuse an input with files for what starts runs again and again. Raises RunRefused naming the field."""
    for file in files_in(fields_naming(version, value)):
        message = "One run uses a file: what starts runs again and again can't have one."
        raise RunRefused("file_used_once", message, field=file.field)


def use_files(tenant: int, by: str, starts: Sequence[StartFiles], *, is_test: bool) -> None:
    """Let new runs use the files that their inputs name: those of the run that they follow or repeat, and new ones.

    Raises RunRefused naming the field.
    """
    references = []
    for row, files, files_of in starts:
        sources = [run for run in (row.get("rerun_of"), row.get("follows"), files_of) if run]
        if files:
            references.append(Claim(row.get("tree") or row.get("root") or row["id"], files, sources))
    if not references:
        return
    try:
        claims.use(tenant, by, references, is_test=is_test)
    except FileRefused as error:
        raise RunRefused(error.code, str(error), field=error.field, conflict=error.conflict) from None
