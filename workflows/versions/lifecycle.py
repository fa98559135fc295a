"""Changing what people design. Every door (API, page, command) calls these; each checks its scope itself."""

import re
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from accounts import audit
from accounts.folders import folder_named, hold_folder
from accounts.guards import note
from accounts.principal import Principal
from accounts.roles import EDIT, MEMBERS_MANAGE, WORKFLOWS_PUBLISH, WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.canonical import content_hash
from engine.definition import WORKFLOW_NAME
from engine.dialects import DIALECTS, DialectError, detect, from_native, to_native
from engine.ports import RULES
from engine.problems import Problem
from lib.json import Json
from lib.refusals import Conflict, Invalid, NotAllowed, Unprocessable
from workflows import queries
from workflows.access import guard_workflow
from workflows.checking import text_pipelines
from workflows.checking.check import Checked, check
from workflows.checking.references import require_starts
from workflows.document.texts import read_text
from workflows.drafts import writing
from workflows.models import Workflow, WorkflowVersion
from workflows.trials import cases
from workflows.versions.calendars import held_calendars
from workflows.versions.examples import Example

# They would hide behind the routes of the same name.
RESERVED_NAMES = frozenset({"validate", "import", "read", "write", "new", "examples"})


@dataclass(frozen=True, slots=True)
class Drafted:
    """A workflow whose draft was written, and what was found in it."""

    workflow: Workflow
    problems: list[Problem]
    created: bool


@dataclass(frozen=True, slots=True)
class Published:
    """The version that now is the latest; `created` is False where it was so already."""

    version: WorkflowVersion
    problems: list[Problem]
    created: bool


def create_workflow(
    principal: Principal,
    *,
    name: str,
    title: str | None = None,
    definition: dict[str, Json] | None = None,
    layout: dict[str, Json] | None = None,
    folder: str | None = None,
    reason: str | None = None,
) -> Drafted:
    """A new workflow with its draft, in the folder of this name, or where new ones go.

    Raises Invalid for a bad name and where there is no such folder to edit, Conflict where the name is taken.
    """
    principal.require(WORKFLOWS_WRITE)
    check_name(name)
    place = folder_named(principal, folder, EDIT)
    draft = {"name": name, "nodes": [], "edges": []} if definition is None else definition
    if draft.get("name", name) != name:
        raise Invalid("This must equal `name`.", field="definition.name")
    checked = check(draft, name=name, tenant=principal.tenant_id)
    try:
        with transaction.atomic():
            hold_folder(place)
            workflow = Workflow.objects.create(
                tenant_id=principal.tenant_id,
                folder=place,
                name=name,
                title=writing.text(draft.get("title"), 200) if title is None else title,
                description=writing.text(draft.get("description"), 10_000),
                draft_definition=draft,
                draft_layout=layout or {},
                draft_updated_by_id=principal.user_id,
            )
            audit.change(principal, "workflow.create", name, after={"folder": place.name}, reason=reason)
    except IntegrityError:
        raise Conflict(f"A workflow {name} already exists.", code="name_taken", field="name") from None
    note("name", WORKFLOWS_WRITE, name)
    return Drafted(queries.get_workflow(principal.tenant_id, workflow.name), checked.problems, created=True)


def _require(principal: Principal, scope: str, name: str) -> None:
    principal.require(scope)
    guard_workflow(principal, scope, name)


def check_name(name: str) -> None:
    """Raises Invalid where no workflow can have this name."""
    if not re.fullmatch(WORKFLOW_NAME, name):
        raise Invalid("A name has 1 to 256 of A-Z, a-z, 0-9, _, : and -.", field="name")
    if name in RESERVED_NAMES:
        raise Invalid(f"{name} can't be the name of a workflow.", field="name")


def update_workflow(
    principal: Principal,
    name: str,
    *,
    title: str | None = None,
    description: str | None = None,
    archived: bool | None = None,
    folder: str | None = None,
    reason: str | None = None,
) -> Workflow:
    """Changes what is given; into another `folder` (its name) it is moved by who manages members: others may reach it
    there, and do more with it or less.

    Raises Missing, Forbidden and Invalid; Conflict for an archived workflow, unless `archived` is False.
    """
    _require(principal, WORKFLOWS_WRITE, name)
    if archived:
        archive(principal, name, reason=reason)
    if folder is not None:
        principal.require(MEMBERS_MANAGE)
    place = None if folder is None else folder_named(principal, folder, EDIT)
    values: dict[str, object] = {"title": title, "description": description, "folder": place}
    values = {key: value for key, value in values.items() if value is not None}
    with transaction.atomic():
        if place is not None:
            hold_folder(place)
        rows = Workflow.objects.for_tenant(principal.tenant_id).filter(name=name)
        before = _facts_of(queries.get_workflow(principal.tenant_id, name))
        if archived is False:
            rows.update(archived_at=None)
        if values or archived is False:
            queries.lock_workflow(principal.tenant_id, name)
            rows.update(**values) if values else None
            after = _facts_of(queries.get_workflow(principal.tenant_id, name))
            audit.change(principal, "workflow.update", name, before=before, after=after, reason=reason)
        return queries.get_workflow(principal.tenant_id, name)


def _facts_of(row: Workflow) -> dict[str, Json]:
    facts = audit.fields_of(row, "title", "description")
    return facts | {"archived": row.archived_at is not None, "folder": row.folder.name}


def archive(principal: Principal, name: str, *, reason: str | None = None) -> None:
    """No new runs and no changes from now on; versions and runs stay. A second time changes nothing.

    Raises Missing, or Conflict where something stands against it.
    """
    _require(principal, WORKFLOWS_WRITE, name)
    with transaction.atomic():
        workflow = queries.get_workflow(principal.tenant_id, name)
        if workflow.archived_at is not None:
            return
        rows = Workflow.objects.for_tenant(principal.tenant_id).filter(pk=workflow.pk, archived_at=None)
        if rows.update(archived_at=Now()):
            audit.change(principal, "workflow.archive", name, reason=reason)


def save_draft(
    principal: Principal,
    name: str,
    *,
    definition: dict[str, Json],
    expected_revision: int | frozenset[int] | None,
    layout: dict[str, Json] | None = None,
    title: str | None = None,
    description: str | None = None,
    label: str = "Saved the whole draft",
    reason: str | None = None,
) -> Drafted:
    """Replaces the draft, whatever its problems, if it is at `expected_revision`, or at one of several; None: at any.

    Title and description of the workflow follow: those given, or else those in the definition.

    Raises Stale for another revision, Missing, or Conflict for an archived workflow.
    """
    _require(principal, WORKFLOWS_WRITE, name)
    checked = check(definition, name=name, tenant=principal.tenant_id)
    with transaction.atomic():
        # The log says what became of the draft: compared under the row's lock.
        before = queries.lock_workflow(principal.tenant_id, name)
        writing.require_revision(before, expected_revision)
        writing.replace(
            principal, before, definition, layout, label=label, title=title, description=description
        )
        audit.record(principal, "workflow.save_draft", name, reason=reason)
        workflow = queries.get_workflow(principal.tenant_id, name)
    return Drafted(workflow, checked.problems, created=False)


def publish(
    principal: Principal,
    name: str,
    *,
    note: str = "",
    expected_revision: int | None = None,
    despite_failing_cases: bool = False,
    reason: str | None = None,
) -> Published:
    """Makes the draft the next version; content equal to the latest version's is that version (R-020).

    Its test cases are run before, unless `despite_failing_cases`. Raises Unprocessable with the problems or the
    results of the cases, Missing, Conflict for an archived workflow or a version that is withdrawn, or Stale where the
    draft no longer is at `expected_revision`.
    """
    _require(principal, WORKFLOWS_PUBLISH, name)
    # Outside the transaction: it may take seconds, and others save their drafts meanwhile.
    before = None if despite_failing_cases else cases.before_publishing(principal.tenant_id, name)
    with transaction.atomic():
        # The number is the last one + 1 and the content is compared with it: both under the row's lock.
        workflow = queries.lock_workflow(principal.tenant_id, name)
        if expected_revision not in (None, workflow.draft_revision):
            raise writing.stale(workflow)
        checked = check(workflow.draft_definition, name=name, tenant=principal.tenant_id)
        native = _publishable(checked)
        require_starts(principal, native)
        digest = content_hash(native)
        latest = queries.latest_version(principal.tenant_id, name)
        calendars = held_calendars(workflow, checked, native)
        # By older rules, or with other calendars, the same content is another workflow.
        same = (digest, RULES, calendars)
        if latest is not None and (latest.content_hash, latest.rules, latest.calendars) == same:
            queries.refuse_withdrawn(principal.tenant_id, latest.pk)
            return Published(latest, checked.problems, created=False)
        if not despite_failing_cases:
            cases.refuse_failing(workflow, checked, before)
        version = WorkflowVersion.objects.create(
            tenant_id=principal.tenant_id,
            workflow=workflow,
            number=(latest.number or 0) + 1 if latest else 1,
            definition=native,
            layout=workflow.draft_layout,
            content_hash=digest,
            calendars=calendars,
            note=note,
            published_by_id=principal.user_id,
        )
        after = {"version": version.number, "content_hash": digest, "note": note}
        audit.change(principal, "workflow.publish", name, after=after, reason=reason)
        return Published(version, checked.problems, created=True)


def _publishable(checked: Checked) -> dict[str, Json]:
    if checked.native is None or not checked.is_publishable:
        raise Unprocessable(
            "The draft has problems; correct them and publish again.",
            code="invalid_definition",
            details={"problems": checked.as_dicts()},
        )
    return checked.native


_NAMELESS = "The document does not name its workflow: add `name`, a text, at its top level."


def import_definition(
    principal: Principal,
    document: Json,
    *,
    dialect: str | None = None,
    expected_revision: int | None = None,
    reason: str | None = None,
) -> Drafted:
    """Makes a document of any dialect, as text (JSON or YAML) too, the draft of the workflow that it names, new or
    not; equal content changes nothing.

    Raises Unprocessable with the problems where it can't be read as a workflow with a name; Stale where the draft is
    not, or no longer, at `expected_revision` (0: there is no such workflow yet).
    """
    principal.require(WORKFLOWS_WRITE)
    if isinstance(document, str):
        document = read_text(document, field="document").document
    checked = check(document, dialect=dialect, tenant=principal.tenant_id)
    native = checked.native
    if native is None or not isinstance(native.get("name"), str):
        where, message = (
            ("name", _NAMELESS) if native else (checked.problems[0].field, checked.problems[0].message)
        )
        raise Unprocessable(
            f"This can't be read as a workflow. {message}",
            code="invalid_definition",
            field=f"document.{where}".removesuffix("."),
            details={"problems": checked.as_dicts()},
        )
    text_pipelines.refuse(document, dialect, native)
    name = native["name"]
    workflow = Workflow.objects.for_tenant(principal.tenant_id).filter(name=name).first()
    if workflow is None:
        return create_workflow(principal, name=name, definition=native, reason=reason)
    _require(principal, WORKFLOWS_WRITE, name)
    if expected_revision not in (None, workflow.draft_revision):
        raise writing.stale(workflow)
    if workflow.draft_definition == native:
        queries.refuse_archived(workflow)
        return Drafted(queries.get_workflow(principal.tenant_id, name), checked.problems, created=False)
    return save_draft(
        principal,
        name,
        definition=native,
        expected_revision=workflow.draft_revision,
        label="Imported a definition",
        reason=reason,
    )


def restore(principal: Principal, version: WorkflowVersion, *, expected_revision: int) -> Drafted:
    """Makes what a version has the draft again; of the canvas, what the version does not say stays.

    Raises what `save_draft` raises.
    """
    layout = queries.get_workflow(principal.tenant_id, version.workflow.name).draft_layout
    places = {**_places(layout), **_places(version.layout)}
    return save_draft(
        principal,
        version.workflow.name,
        definition=dict(version.definition),
        layout={**layout, **version.layout, **({"nodes": places} if places else {})},
        expected_revision=expected_revision,
        label=f"Restored version {version.number}",
    )


def _places(layout: dict[str, Json]) -> dict[str, Json]:
    return places if isinstance(places := layout.get("nodes"), dict) else {}


def duplicate(principal: Principal, name: str) -> Workflow:
    """A new workflow with the same draft and canvas, under a name of its own. Raises Missing."""
    # What can be read by few must not become what can be read by many: the copy lies beside it.
    _require(principal, WORKFLOWS_WRITE, name)
    original = queries.get_workflow(principal.tenant_id, name)
    new_name = queries.free_name(principal.tenant_id, f"{name[:110]}-copy")
    definition = {**original.draft_definition, "name": new_name}
    if original.title:
        definition["title"] = f"{original.title[:190]} (copy)"
    layout = original.draft_layout
    return create_workflow(
        principal, name=new_name, definition=definition, layout=layout, folder=original.folder.name
    ).workflow


@transaction.atomic
def create_from_example(principal: Principal, example: Example) -> tuple[Workflow, bool]:
    """An example as a workflow, under a name of its own if it is there already, and whether it was published: it stays
    a draft where something stands against that here, such as too few people who may decide.
    """
    name = queries.free_name(principal.tenant_id, example.name)
    definition = {**example.definition, "name": name}
    workflow = create_workflow(
        principal, name=name, definition=definition, layout=dict(example.layout)
    ).workflow
    try:
        publish(principal, name, note="From the examples")
    except (Unprocessable, NotAllowed):
        return workflow, False
    return workflow, True


def export(
    principal: Principal,
    name: str,
    *,
    version: int | None = None,
    draft: bool = False,
    dialect: str | None = None,
) -> dict[str, Json]:
    """The definition of a version (the latest if none is named; the draft if asked for, or before the first), as
    import takes it, in a dialect if one is named.

    Raises Missing; Invalid for an unknown dialect; Unprocessable for one that can't say it.
    """
    _require(principal, WORKFLOWS_READ, name)
    definition = _definition_of(principal.tenant_id, name, version, draft)
    if dialect is None:
        return definition
    if dialect not in DIALECTS:
        raise Invalid(f"There is no such dialect; known ones are {', '.join(DIALECTS)}.", field="dialect")
    try:
        is_same_dialect = detect(definition) == dialect
        return definition if is_same_dialect else from_native(to_native(definition, None, name), dialect)
    except DialectError as refusal:
        details = {"place": refusal.field}
        raise Unprocessable(refusal.message, code="not_sayable", field="dialect", details=details) from None


def _definition_of(tenant_id: int, name: str, version: int | None, draft: bool) -> dict[str, Json]:
    if version is not None:
        return dict(queries.get_version(tenant_id, name, version).definition)
    latest = None if draft else queries.latest_version(tenant_id, name)
    if latest is not None:
        return dict(latest.definition)
    return dict(queries.get_workflow(tenant_id, name).draft_definition)
