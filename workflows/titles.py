"""What workflows are called on pages: by their title, where they have one. Records and programs know them by name."""

from collections.abc import Iterable

from lib.calling import Names
from workflows.models import Workflow


def _find(tenant_id: int, names: set[str]) -> Iterable[tuple[str, str]]:
    return Workflow.objects.for_tenant(tenant_id).filter(name__in=names).values_list("name", "title")


_NAMES = Names("workflow", _find)
learn, learn_titles, title_of = _NAMES.learn, _NAMES.learn_known, _NAMES.name_of
