"""What workflows are called on pages: by their title, where they have one. Records and programs know them by name.

Whoever makes a page says whose titles it will show (`learn`), so that they are asked for once and not row by row.
"""

from collections.abc import Iterable

from lib.reader import is_read, reader
from workflows.models import Workflow

_KIND = "workflow"


def learn(tenant_id: int, names: Iterable[str]) -> None:
    """Ask what these workflows are called, in one statement; in none where that is known, or where nobody reads."""
    if not is_read():
        return
    unknown = {name for name in names if (_KIND, name) not in reader().called}
    if not unknown:
        return
    rows = Workflow.objects.for_tenant(tenant_id).filter(name__in=unknown).values_list("name", "title")
    learn_titles([*((name, "") for name in unknown), *rows])


def learn_titles(titles: Iterable[tuple[str, str]]) -> None:
    """Names with their titles that are at hand need not be asked for."""
    if is_read():
        reader().called.update(((_KIND, name), title) for name, title in titles)


def title_of(name: str) -> str:
    """What a workflow is called; its name where it has no title, or nobody has learned it."""
    return reader().called.get((_KIND, name)) or name
