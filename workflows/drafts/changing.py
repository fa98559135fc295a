"""Changing a draft by groups of changes, so that two people at once, or one who was away, lose nothing."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from accounts import audit
from accounts.principal import Principal
from accounts.roles import WORKFLOWS_WRITE
from engine.problems import Problem
from lib.json import Json
from lib.refusals import Unprocessable
from lib.strict_json import BadJson, strict_dumps
from workflows import queries
from workflows.checking.check import check
from workflows.comments import following
from workflows.document.changes import (
    NOTHING,
    ORDERED,
    Applied,
    Conflict,
    Document,
    Group,
    NotKeyable,
    keyed,
    unkeyed,
)
from workflows.document.rebase import NOBODY, Meanwhile, apply_late
from workflows.drafts import writing
from workflows.models import Workflow


@dataclass(frozen=True, slots=True)
class Clash:
    """A change that met something else than it expected, and who is known to have put it there when."""

    conflict: Conflict
    by: str
    at: datetime

    def as_dict(self) -> dict[str, Json]:
        """The conflict as the API gives it; `yours` and `theirs` are left out where they are nothing."""
        body = {"group": self.conflict.group, "path": list(self.conflict.path)}
        values = {"yours": self.conflict.yours, "theirs": self.conflict.theirs}
        body |= {name: value for name, value in values.items() if value is not NOTHING}
        return body | {"by": self.by, "at": self.at}


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of the groups; `draft` (definition and layout) only where the sender does not have it now."""

    revision: int
    applied: list[str]
    conflicts: list[Clash]
    draft: tuple[dict[str, Json], dict[str, Json]] | None
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class _Outcome:
    revision: int
    result: Applied
    clashes: list[Clash]
    definition: dict[str, Json]
    layout: dict[str, Json]
    is_otherwise: bool


def change_draft(
    principal: Principal,
    name: str,
    *,
    revision: int,
    groups: Sequence[Group],
    reason: str | None = None,
) -> Changed:
    """Applies the groups that fit to the draft as it is now, also where the sender knows an earlier `revision` only.

    What others did after it counts where steps and connections are added or taken out: a connection follows its step
    to another id, and conflicts where the step is gone. A group that was applied before counts as applied and changes
    nothing. Raises Missing; Conflict for an archived workflow; Unprocessable where the draft, or what would become of
    it, can't be changed in parts.
    """
    principal.require(WORKFLOWS_WRITE)
    with transaction.atomic():
        workflow = queries.lock_workflow(principal.tenant_id, name)
        earlier = writing.known_groups(workflow, (group.id for group in groups))
        new_groups: dict[str, Group] = {}
        for group in groups:
            if group.id not in earlier:
                new_groups.setdefault(group.id, group)
        outcome = _apply(principal, workflow, new_groups, revision, earlier)
        if outcome.revision != workflow.draft_revision:
            audit.record(principal, "workflow.change_draft", name, reason=reason)
    group_ids = earlier.union(outcome.result.groups)
    is_current = revision == workflow.draft_revision and not outcome.clashes and not outcome.is_otherwise
    return Changed(
        outcome.revision,
        list(dict.fromkeys(group.id for group in groups if group.id in group_ids)),
        outcome.clashes,
        None if is_current else (outcome.definition, outcome.layout),
        check(outcome.definition, name=name, tenant=principal.tenant_id).problems,
    )


def _apply(
    principal: Principal,
    workflow: Workflow,
    new_groups: Mapping[str, Group],
    known_revision: int,
    group_ids: Collection[str],
) -> _Outcome:
    """Applies the new groups; `group_ids` are those of the same request that were applied before."""
    draft = dict(workflow.draft_definition), dict(workflow.draft_layout)
    if not new_groups:
        return _Outcome(workflow.draft_revision, Applied({}, [], []), [], *draft, is_otherwise=False)
    before = _document(*draft)
    others = _others(workflow, new_groups.values(), known_revision, group_ids)
    result, groups = apply_late(before, new_groups.values(), others)
    revision = workflow.draft_revision
    definition, layout = draft
    is_otherwise = False
    if result.document is not before:
        definition, layout = unkeyed(result.document)
        # Edges between the same two nodes are counted anew, and steps of a body that came as a value get paths of
        # their own; and a draft in another dialect was translated.
        is_otherwise = _is_keyed_otherwise(result.document, definition, layout) or "nodes" not in draft[0]
        _refuse_unstorable(definition, layout)
        writing.write(principal, workflow, definition, layout)
        for key in result.groups:
            following.follow(workflow, groups[key].changes)
        revision += 1
    entries = [writing.Entry(key, groups[key].label, groups[key].changes) for key in result.groups]
    writing.log(principal, workflow, revision, entries)
    return _Outcome(
        revision,
        result,
        _clashes(workflow, result.conflicts, known_revision),
        definition,
        layout,
        is_otherwise,
    )


def _others(
    workflow: Workflow, groups: Iterable[Group], known_revision: int, group_ids: Collection[str]
) -> Meanwhile:
    """What the sender of these groups does not know of, where it matters to what is added and taken out."""
    changes = (change for group in groups for change in group.changes)
    if not any(len(change.path) == 2 and change.path[0] in ORDERED for change in changes):
        return NOBODY
    return writing.meanwhile_of(workflow, known_revision, group_ids)


def _document(definition: dict[str, Json], layout: dict[str, Json]) -> Document:
    try:
        return writing.document_of(definition, layout)
    except NotKeyable as refusal:
        raise _not_keyable(refusal, "The draft can't be changed in parts") from None


def _not_keyable(refusal: NotKeyable, what: str) -> Unprocessable:
    message = f"{what}: {refusal.field}: {refusal.message} Correct it as text."
    return Unprocessable(message, code="not_keyable", details={"place": refusal.field})


def _is_keyed_otherwise(document: Document, definition: dict[str, Json], layout: dict[str, Json]) -> bool:
    try:
        now = keyed(definition, layout)
        return any(now[root] != document[root] for root in ORDERED)
    except NotKeyable as refusal:
        raise _not_keyable(refusal, "This would be a draft that can't be changed in parts") from None


def _refuse_unstorable(definition: dict[str, Json], layout: dict[str, Json]) -> None:
    """What is added bit by bit must pass the gate as a whole, too."""
    try:
        strict_dumps({"definition": definition, "layout": layout}, max_bytes=settings.HANDOFF_MAX_BODY_BYTES)
    except BadJson as bad:
        raise Unprocessable(f"The draft can't be kept then: {bad.located}.") from None


def _clashes(workflow: Workflow, conflicts: Sequence[Conflict], since: int) -> list[Clash]:
    if not conflicts:
        return []
    causes = [conflict.cause or conflict.path for conflict in conflicts]
    authors = writing.changed_last(workflow, since, causes)
    last_author = workflow.draft_updated_by.username, workflow.draft_updated_at
    return [
        Clash(conflict, *authors.get(cause, last_author))
        for conflict, cause in zip(conflicts, causes, strict=True)
    ]
