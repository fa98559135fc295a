"""Definitions of rochallor: uploading one publishes it."""

from django.db.models import Exists, OuterRef

from accounts.principal import Principal
from accounts.roles import WORKFLOWS_PUBLISH, WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.catalogue import Json
from integrations.rochallor.errors import BAD_REQUEST, CONFLICT, NOT_FOUND, RochallorError, in_rochallor_words
from integrations.rochallor.paging import bounds_of, count_of
from integrations.rochallor.values import Definition, Page, Uploaded
from lib.refusals import Conflict, Stale, Unprocessable
from workflows import queries
from workflows.access import guard_workflow
from workflows.models import WorkflowVersion
from workflows.versions import lifecycle

_TRIES = 5


@in_rochallor_words
def upload_definition(principal: Principal, document: Json) -> Uploaded:
    """Import a document and publish it; what says the same as the latest version is that version.

    Raises RochallorError: bad-request with all that is wrong with it, conflict where the workflow is archived or others
    change it all the time.
    """
    principal.require(WORKFLOWS_WRITE)
    principal.require(WORKFLOWS_PUBLISH)
    if not isinstance(document, dict):
        raise RochallorError(BAD_REQUEST, "parse error: a definition is a JSON object")
    for _ in range(_TRIES):
        try:
            return _uploaded(_published(principal, document))
        except Stale:
            # Somebody else has changed the draft between our two steps.
            continue
        except Conflict as conflict:
            if conflict.code != "name_taken":
                raise
        except Unprocessable as refusal:
            raise _invalid(refusal) from refusal
    raise RochallorError(CONFLICT, "the definition is being changed by others: upload it again")


def _published(principal: Principal, document: dict[str, Json]) -> WorkflowVersion:
    drafted = lifecycle.import_definition(principal, document, dialect="s4")
    workflow = drafted.workflow
    return lifecycle.publish(
        principal, workflow.name, expected_revision=workflow.draft_revision, note="Uploaded"
    ).version


def _invalid(refusal: Unprocessable) -> RochallorError:
    problems = refusal.details.get("problems")
    if not isinstance(problems, list):
        return RochallorError(BAD_REQUEST, f"validation error: {refusal.message}")
    errors = [one for one in problems if one.get("severity", "error") == "error"]
    texts = [f"{one['field']}: {one['message']}" if one.get("field") else one["message"] for one in errors]
    return RochallorError(BAD_REQUEST, f"validation error: {'; '.join(texts) or refusal.message}")


@in_rochallor_words
def get_definition(principal: Principal, definition_id: str, version: int | None = None) -> Definition:
    """A version of a definition; the latest where none is named (None or 0).

    Raises RochallorError: not-found, conflict for a workflow that rochallor has no words for.
    """
    row = _version(principal, definition_id, version or None)
    try:
        document = lifecycle.export(principal, definition_id, version=row.number, dialect="s4")
    except Unprocessable as refusal:
        raise RochallorError(CONFLICT, refusal.message) from refusal
    return Definition(definition_id, row.number or 0, document)


def _version(principal: Principal, name: str, number: int | None) -> WorkflowVersion:
    principal.require(WORKFLOWS_READ)
    name = name.replace("\x00", "")
    guard_workflow(principal, WORKFLOWS_READ, name)
    # What no column can hold names no version.
    if number is not None and not 0 < number < 2**31:
        raise RochallorError(NOT_FOUND, f"definition {name!r} has no version {number}")
    versions = queries.list_versions(principal.tenant_id, name)
    rows = versions.order_by("-number") if number is None else versions.filter(number=number)
    version = rows.defer("layout").first()
    if version is None:
        raise RochallorError(NOT_FOUND, f"definition {name!r} has no version {number or 'yet'}")
    return version


@in_rochallor_words
def list_definitions(
    principal: Principal, keyword: str = "", page: int = 0, page_size: int = 0
) -> Page[Uploaded]:
    """The latest version of each definition that was ever published, by id; those with `keyword` in id or name.

    Pages count from 0; a size of 0 is 20.
    """
    principal.require(WORKFLOWS_READ)
    first, last = bounds_of(page, page_size)
    workflows = queries.list_workflows(principal, q=keyword.replace("\x00", "") or None)
    published = WorkflowVersion.objects.for_tenant(principal.tenant_id).filter(workflow=OuterRef("pk"))
    workflows = workflows.filter(Exists(published)).order_by("name")
    rows = list(workflows.defer("draft_definition", "draft_layout")[first:last])
    versions = WorkflowVersion.objects.for_tenant(principal.tenant_id).filter(
        workflow__in=[one.pk for one in rows]
    )
    at = dict(versions.order_by("number").values_list("workflow_id", "published_at"))
    items = [Uploaded(one.name, one.latest, one.title or one.name, at[one.pk]) for one in rows]  # type: ignore[attr-defined]  # annotated
    return Page(items, count_of(workflows))


def _uploaded(version: WorkflowVersion) -> Uploaded:
    name = version.workflow.name
    return Uploaded(
        name, version.number or 0, str(version.definition.get("title") or name), version.published_at
    )
