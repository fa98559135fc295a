"""Which queues' names somebody may know: those of the workflows that they may read."""

from collections.abc import Iterator, Sequence

from django.db.models import OuterRef

from accounts.principal import Principal
from accounts.roles import READ
from engine.catalogue import Json
from engine.checks.nodes import BUILT_IN_QUEUES
from lib.shared_answers import SharedAnswers
from steps.catalogue import CATALOGUE
from workflows.limits import QUEUE_NAME_ENTRIES
from workflows.models import WorkflowVersion

SECONDS = 5.0
NEWEST = 5
"""So many versions of a workflow are looked at: a queue that only older ones use is told to admins alone."""
_names_of: dict[int, frozenset[str]] = {}


def known_queues(principal: Principal) -> frozenset[str] | None:
    """The queues of the workflows that they may read, and Handoff's own; None for all queues."""
    folders = principal.reach.folders(READ)
    return None if folders is None else _known((principal.tenant_id, tuple(sorted(folders))))


def _found(key: tuple[int, tuple[int, ...]]) -> frozenset[str]:
    tenant, folders = key
    rows = WorkflowVersion.objects.for_tenant(tenant).filter(workflow__folder__in=folders)
    newest = (
        WorkflowVersion.objects.for_tenant(tenant).filter(workflow=OuterRef("workflow")).order_by("-number")
    )
    versions = list(rows.filter(pk__in=newest.values("pk")[:NEWEST]).values_list("pk", flat=True))
    return frozenset(BUILT_IN_QUEUES).union(*_names(tenant, versions))


_known = SharedAnswers(_found, seconds=SECONDS)


def _names(tenant: int, versions: Sequence[int]) -> list[frozenset[str]]:
    """The names that each of these versions gives away; what they are never changes."""
    if len(_names_of) > QUEUE_NAME_ENTRIES:
        _names_of.clear()
    unknown = [version for version in versions if version not in _names_of]
    rows = WorkflowVersion.objects.for_tenant(tenant).filter(pk__in=unknown).values_list("pk", "definition")
    _names_of.update((version, frozenset(_in(definition))) for version, definition in rows.iterator())
    return [_names_of.get(version, frozenset()) for version in versions]


def _in(value: Json) -> Iterator[str]:
    """Queues that a definition names, and ids of its nodes whose type has no other queue."""
    if isinstance(value, dict):
        spec = CATALOGUE.get(value["type"]) if isinstance(value.get("type"), str) else None
        if spec is not None and spec.default_queue is None and isinstance(value.get("id"), str):
            yield value["id"]
        for name, each in value.items():
            if name == "queue" and isinstance(each, str):
                yield each
            else:
                yield from _in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _in(each)
