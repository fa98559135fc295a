"""Versions without a number: what test runs run, and what containers do for their items. Each content is kept once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.bodies import definition_of
from engine.canonical import content_hash
from engine.catalogue import BODY, Json
from engine.ports import RULES
from engine.value_types import part_with_types
from steps.catalogue import EXECUTABLE
from workflows.models import Workflow, WorkflowVersion
from workflows.ports import pinned_calendars


@dataclass(frozen=True, slots=True)
class _Content:
    """What a version without a number is of, whose it is, and the hash by which it is found."""

    tenant: int
    workflow: int
    definition: Mapping[str, Json]
    by: int
    rules: int
    calendars: Mapping[str, int]
    digest: str


def keep(workflow: Workflow, definition: Mapping[str, Json], by: int) -> int:
    """The version without a number that has this content, made where there is none."""
    calendars, _ = pinned_calendars(workflow.tenant_id, workflow.folder_id, definition)
    return _kept(_content(workflow.tenant_id, workflow.pk, definition, by, RULES, calendars))


def version_of_part(version_id: int, container: str) -> int:
    """The version that does for an item what a container of that version says. Raises DoesNotExist, LookupError."""
    return _kept(_part(version_id, container))


def _content(
    tenant: int,
    workflow: int,
    definition: Mapping[str, Json],
    by: int,
    rules: int,
    calendars: Mapping[str, int],
) -> _Content:
    # One definition by two rules, or with other calendars, is two versions; without these it keeps its hash.
    more = {**({} if rules == 1 else {"rules": rules}), **({"calendars": calendars} if calendars else {})}
    return _Content(tenant, workflow, definition, by, rules, calendars, content_hash({**definition, **more}))


def _kept(content: _Content) -> int:
    rows = WorkflowVersion.with_tests.for_tenant(content.tenant).filter(
        workflow_id=content.workflow, is_test=True, content_hash=content.digest
    )
    ids = rows.values_list("pk", flat=True)
    if (pk := ids.first()) is not None:
        return pk
    version = WorkflowVersion(
        tenant_id=content.tenant,
        workflow_id=content.workflow,
        is_test=True,
        definition=content.definition,
        content_hash=content.digest,
        rules=content.rules,
        calendars=content.calendars,
        published_by_id=content.by,
    )
    # Somebody else may make it at the same moment.
    WorkflowVersion.objects.bulk_create([version], ignore_conflicts=True)
    return ids.get()


@lru_cache(maxsize=500)
def _part(version_id: int, container: str) -> _Content:
    """Asked for each batch of items, and for good: a version never changes."""
    version = WorkflowVersion.unsafe_all_tenants.get(pk=version_id)
    node = next(node for node in version.definition["nodes"] if node["id"] == container)
    definition = definition_of(node, node["params"][BODY], EXECUTABLE)
    if definition is None:
        raise LookupError(container)
    definition = part_with_types(version.definition, container, definition, EXECUTABLE)
    return _content(
        version.tenant_id,
        version.workflow_id,
        definition,
        version.published_by_id,
        version.rules,
        version.calendars,
    )
