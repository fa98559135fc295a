"""Test cases of a workflow: kept with it, run in memory, and before it is published."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F, JSONField, QuerySet, Value
from django.db.models.functions import Now

from accounts import audit
from accounts.principal import Principal
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.catalogue import Json
from lib.refusals import Conflict, Invalid, Missing, Stale, Unprocessable
from lib.strict_json import BadJson, strict_dumps
from workflows import queries
from workflows.checking.check import Checked, check
from workflows.limits import CASE_BYTES, WORKFLOW_CASES
from workflows.models import TestCase, Workflow
from workflows.trials.case_runs import Case, Result, Subject, run_cases
from workflows.trials.prepare import pins_of, refusal
from workflows.trials.rewrite import is_sound

State = tuple[int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Before:
    """What became of the cases of a draft that is to be published, and of what `state` that was."""

    state: State
    results: list[Result]


def list_cases(tenant: int, name: str) -> QuerySet[TestCase]:
    """The test cases of a workflow. Raises Missing for an unknown workflow."""
    workflow = queries.get_workflow(tenant, name)
    return TestCase.objects.for_tenant(tenant).select_related("created_by").filter(workflow=workflow)


def get_case(tenant: int, name: str, case_id: int) -> TestCase:
    """A test case. Raises Missing."""
    case = list_cases(tenant, name).filter(pk=case_id).first()
    if case is None:
        raise Missing(f"The workflow {name} has no such test case.")
    return case


def create_case(
    principal: Principal,
    workflow: str,
    *,
    case_name: str,
    input: Json,
    stubs: Mapping[str, Json] | None = None,
    expect: Mapping[str, Json] | None = None,
    reason: str | None = None,
) -> TestCase:
    """A new test case. Raises Missing, Invalid, or Conflict for an archived workflow, a name that is taken, or one
    case too many.
    """
    principal.require(WORKFLOWS_WRITE)
    row = TestCase(
        tenant_id=principal.tenant_id,
        name=case_name,
        input=_input_value(input),
        stubs=dict(stubs or {}),
        expect=_expectation(expect),
        created_by_id=principal.user_id,
    )
    _check_size({"input": input, "stubs": row.stubs, "expect": row.expect})
    with transaction.atomic():
        # Whoever publishes holds it too: no case comes in between its tests and the new version.
        row.workflow = queries.lock_workflow(principal.tenant_id, workflow)
        if (
            TestCase.objects.for_tenant(principal.tenant_id).filter(workflow=row.workflow).count()
            >= WORKFLOW_CASES
        ):
            raise Conflict(f"A workflow has at most {WORKFLOW_CASES} test cases.", code="too_many_cases")
        with _unique_name(case_name):
            row.save()
        audit.record(principal, "workflow.create_test_case", f"{workflow} {case_name}", reason=reason)
    return get_case(principal.tenant_id, workflow, row.pk)


def change_case(
    principal: Principal,
    workflow: str,
    case_id: int,
    *,
    revision: int | None = None,
    reason: str | None = None,
    **values: Json,
) -> TestCase:
    """Changes what is given of `name`, `input`, `stubs` and `expect`.

    Raises what `create_case` raises, and Stale where it no longer is at `revision`.
    """
    principal.require(WORKFLOWS_WRITE)
    if "expect" in values:
        values["expect"] = _expectation(values["expect"])
    with transaction.atomic():
        queries.lock_workflow(principal.tenant_id, workflow)
        case = get_case(principal.tenant_id, workflow, case_id)
        if revision not in (None, case.revision):
            raise Stale("The test case was changed since you read it.", details={"revision": case.revision})
        _check_size({"input": case.input, "stubs": case.stubs, "expect": case.expect} | values)
        if "input" in values:
            values["input"] = _input_value(values["input"])
        with _unique_name(values.get("name", case.name)):
            rows = TestCase.objects.for_tenant(principal.tenant_id).filter(pk=case.pk)
            rows.update(**values, revision=F("revision") + 1, updated_at=Now())
        audit.record(principal, "workflow.change_test_case", f"{workflow} {case.name}", reason=reason)
    return get_case(principal.tenant_id, workflow, case_id)


def delete_case(principal: Principal, workflow: str, case_id: int, *, reason: str | None = None) -> None:
    """Deletes a test case. Raises Missing, or Conflict for an archived workflow."""
    principal.require(WORKFLOWS_WRITE)
    with transaction.atomic():
        queries.lock_workflow(principal.tenant_id, workflow)
        case = get_case(principal.tenant_id, workflow, case_id)
        case.delete()
        audit.record(principal, "workflow.delete_test_case", f"{workflow} {case.name}", reason=reason)


@contextmanager
def _unique_name(name: str) -> Iterator[None]:
    """Raises Conflict where another case has this name."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        message = f"A test case {name} already exists."
        raise Conflict(message, code="name_taken", field="name") from None


def _input_value(input: Json) -> Json:
    """An input as it is written: null is a value as any, and not that there is none."""
    return Value(None, JSONField()) if input is None else input


def _expectation(expect: Mapping[str, Json] | None) -> dict[str, Json]:
    return {"status": "COMPLETED", "path": None, **(expect or {})}


def _check_size(values: Mapping[str, Json]) -> None:
    try:
        strict_dumps(dict(values), max_bytes=CASE_BYTES)
    except BadJson as bad:
        raise Invalid(f"This can't be saved as a test case: {bad.message}.", field="input") from None


def run_saved(
    principal: Principal,
    name: str,
    *,
    definition: Mapping[str, Json] | None = None,
    ids: Sequence[int] | None = None,
) -> list[Result]:
    """What becomes of the cases of a workflow, or of some of them, with its draft or with a `definition`.

    Raises Missing, also for a case that isn't there, and Unprocessable for what can't be read as a definition.
    """
    principal.require(WORKFLOWS_READ)
    workflow = queries.get_workflow(principal.tenant_id, name)
    cases = _cases(workflow)
    if ids is not None:
        if missing := set(ids) - {case.id for case in cases}:
            raise Missing(f"The workflow {name} has no test case {min(missing)}.", field="ids")
        cases = [case for case in cases if case.id in ids]
    document = workflow.draft_definition if definition is None else dict(definition)
    checked = check(document, name=name)
    if checked.native is None or not is_sound(checked.native):
        raise refusal([one for one in checked.problems if one.severity == "error"])
    return run_cases(_subject(workflow, checked, checked.native), cases)


def _cases(workflow: Workflow) -> list[Case]:
    rows = TestCase.objects.for_tenant(workflow.tenant_id).filter(workflow=workflow).order_by("name")
    return [Case(row.pk, row.name, row.input, row.stubs, row.expect) for row in rows]


def _subject(workflow: Workflow, checked: Checked, native: Mapping[str, Json]) -> Subject:
    return Subject(native, workflow.name, workflow.tenant.slug, pins_of(workflow), checked.is_publishable)


def before_publishing(tenant: int, name: str) -> Before | None:
    """What becomes of the cases of a draft as it stands; None where nothing is to be tested. Raises Missing."""
    workflow = queries.get_workflow(tenant, name)
    state = _state(workflow)
    if not state[1]:
        return None
    checked = check(workflow.draft_definition, name=name)
    return Before(state, _results(workflow, checked)) if checked.is_publishable else None


def refuse_failing(workflow: Workflow, checked: Checked, before: Before | None) -> None:
    """Raises Unprocessable where cases of a workflow fail, which is locked and whose draft was `checked`.

    What was found `before` counts if neither the draft nor a case has changed since; otherwise they are run anew.
    """
    state = _state(workflow)
    if not state[1]:
        return
    results = before.results if before and before.state == state else _results(workflow, checked)
    failing = [one.name for one in results if not one.passed]
    if failing:
        raise Unprocessable(
            f"{len(failing)} of {len(results)} test cases fail: {', '.join(failing[:5])}.",
            code="test_cases_failed",
            details={"results": [one.as_dict() for one in results]},
        )


def _results(workflow: Workflow, checked: Checked) -> list[Result]:
    return run_cases(_subject(workflow, checked, checked.native or {}), _cases(workflow))


def _state(workflow: Workflow) -> State:
    rows = TestCase.objects.for_tenant(workflow.tenant_id).filter(workflow=workflow).order_by("pk")
    return workflow.draft_revision, tuple(rows.values_list("pk", "revision"))
