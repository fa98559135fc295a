"""Writing a draft, and the log of what was changed in it. The workflow's row is locked by whoever calls these."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import orjson
from django.db.models import F, Func, JSONField, QuerySet
from django.db.models.functions import Now

from accounts.principal import Principal
from engine.dialects import DialectError, detect, to_native
from lib.json import Json
from lib.refusals import Stale
from lib.uuid7 import uuid7
from workflows import queries
from workflows.comments import following
from workflows.document.changes import NOTHING, Change, Document, NotKeyable, Path, diff, keyed
from workflows.document.rebase import NOBODY, Meanwhile, meanwhile
from workflows.limits import LOGGED_CHANGE_BYTES
from workflows.models import DraftChange, Workflow

KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Entry:
    """What is written to the log; without `changes` the draft was replaced as a whole."""

    group_id: str
    label: str
    changes: Sequence[Change] | None


def stale(workflow: Workflow) -> Stale:
    """The refusal of a change to another revision than the present one."""
    return Stale("The draft was changed since you read it.", details={"revision": workflow.draft_revision})


def require_revision(workflow: Workflow, expected: int | frozenset[int] | None) -> None:
    """Raises Stale if the draft is at another revision, or at none of several; None takes any."""
    revisions = {expected} if isinstance(expected, int) else expected
    if revisions is not None and workflow.draft_revision not in revisions:
        raise stale(workflow)


def text(value: Json, length: int) -> str:
    """A text of a draft, which may hold anything."""
    return value[:length] if isinstance(value, str) else ""


def document_of(definition: dict[str, Json], layout: dict[str, Json]) -> Document:
    """A draft of any dialect as a document of the native one. Raises NotKeyable."""
    try:
        native = definition if detect(definition) == "native" else to_native(definition)
    except DialectError:
        # A draft may be nothing but a name so far.
        native = definition
    return keyed(native, layout)


def replace(
    principal: Principal,
    workflow: Workflow,
    definition: dict[str, Json],
    layout: dict[str, Json] | None,
    *,
    label: str,
    title: str | None = None,
    description: str | None = None,
) -> None:
    """Makes this the draft, as its next revision; the log says what is different then."""
    new_layout = workflow.draft_layout if layout is None else layout
    try:
        before = document_of(workflow.draft_definition, workflow.draft_layout)
        changes = diff(before, document_of(definition, new_layout))
    except NotKeyable:
        changes = None
    write(principal, workflow, definition, new_layout, title=title, description=description)
    following.follow(workflow, changes or ())
    log(principal, workflow, workflow.draft_revision + 1, [Entry(uuid7(), label, changes)])


def write(
    principal: Principal,
    workflow: Workflow,
    definition: dict[str, Json],
    layout: dict[str, Json],
    *,
    title: str | None = None,
    description: str | None = None,
) -> None:
    """Stores the next revision of a draft; title and description of the workflow follow."""
    Workflow.objects.for_tenant(principal.tenant_id).filter(pk=workflow.pk).update(
        draft_definition=definition,
        draft_layout=layout,
        draft_revision=F("draft_revision") + 1,
        draft_updated_at=Now(),
        draft_updated_by_id=principal.user_id,
        **_about(definition, title, description),
    )


def _about(definition: dict[str, Json], title: str | None, description: str | None) -> dict[str, Json]:
    """What changes of the workflow's own title and description with its draft."""
    values = {
        "title": text(definition.get("title"), 200) or None if title is None else title[:200],
        "description": (
            text(definition.get("description"), 10_000) or None
            if description is None
            else description[:10_000]
        ),
    }
    return {name: value for name, value in values.items() if value is not None}


def log(principal: Principal, workflow: Workflow, revision: int, entries: Iterable[Entry]) -> None:
    """Writes to the log what led to a revision; the oldest entries go."""
    DraftChange.objects.bulk_create(
        DraftChange(
            tenant_id=workflow.tenant_id,
            workflow=workflow,
            revision=revision,
            group_id=entry.group_id,
            label=entry.label,
            changes=_changes_body(entry.changes),
            by_id=principal.user_id,
        )
        for entry in entries
    )
    rows = _rows(workflow)
    for oldest in rows.order_by("-id").values_list("id", flat=True)[KEPT : KEPT + 1]:
        rows.filter(id__lte=oldest).delete()


def _changes_body(changes: Sequence[Change] | None) -> list[Json] | None:
    if changes is None:
        return None
    body = [change.as_dict() for change in changes]
    return body if len(orjson.dumps(body)) <= LOGGED_CHANGE_BYTES else None


def _rows(workflow: Workflow) -> QuerySet[DraftChange]:
    return DraftChange.objects.for_tenant(workflow.tenant_id).filter(workflow=workflow)


def known_groups(workflow: Workflow, group_ids: Iterable[str]) -> set[str]:
    """Which of these groups were applied before."""
    ids = _rows(workflow).filter(group_id__in=list(group_ids)).values_list("group_id", flat=True)
    return {str(group_id) for group_id in ids}


def meanwhile_of(workflow: Workflow, since: int, but: Collection[str]) -> Meanwhile:
    """What was done to the draft after revision `since`, but for these groups."""
    if workflow.draft_revision <= since:
        return NOBODY
    rows = _rows(workflow).filter(revision__gt=since).order_by("id").annotate(entries=_OfEntries("changes"))
    return meanwhile(_all_changes(rows.values_list("revision", "group_id", "entries"), since, but))


class _OfEntries(Func):
    """Of changes those of whole steps and connections: what others did counts by these alone, and they are few."""

    template = "jsonb_path_query_array(%(expressions)s, '$[*] ? (@.path.size() == 2)')"
    output_field = JSONField()


def _all_changes(
    rows: QuerySet[DraftChange, tuple[int, UUID, list[Json] | None]], since: int, but: Collection[str]
) -> Iterator[list[Change] | None]:
    """The changes of each row; None also where the log begins too late."""
    last = since
    for revision, group_id, changes in rows.iterator(chunk_size=50):
        if revision > last + 1:
            yield None
        last = revision
        if str(group_id) not in but:
            yield None if changes is None else [_change(change) for change in changes]


def _change(body: Mapping[str, Json]) -> Change:
    return Change(tuple(body["path"]), body.get("from", NOTHING), body.get("to", NOTHING))


def changed_last(workflow: Workflow, since: int, paths: Iterable[Path]) -> dict[Path, tuple[str, datetime]]:
    """Who changed what is at, above or below each of these paths last, and when, after revision `since`.

    A path that nobody is known to have changed is left out.
    """
    open_paths = set(paths)
    authors: dict[Path, tuple[str, datetime]] = {}
    rows = _rows(workflow).filter(revision__gt=since).select_related("by").order_by("-id")
    for row in rows.iterator(chunk_size=50):
        row_paths = None if row.changes is None else [tuple(change["path"]) for change in row.changes]
        for path in [path for path in open_paths if row_paths is None or _meets(path, row_paths)]:
            authors[path] = (row.by.username, row.at)
            open_paths.discard(path)
        if not open_paths:
            break
    return authors


def _meets(path: Path, others: Iterable[Path]) -> bool:
    return any(path[: len(other)] == other or other[: len(path)] == path for other in others)


def draft_log(tenant_id: int, name: str) -> QuerySet[DraftChange]:
    """The log of a workflow's draft. Raises Missing."""
    return _rows(queries.get_workflow(tenant_id, name)).select_related("by")
