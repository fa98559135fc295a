"""What the last run of a workflow gave: what somebody who designs it sees its expressions read."""

from typing import Any

from django.db.models import Case, F, Func, IntegerField, When

from engine.catalogue import Json
from engine.statuses import StepStatus
from lib.blobs import BlobError
from lib.stored_json import StoredJson
from runs.limits import LAST_RUN_PARTS, LAST_RUN_STEPS, LAST_RUN_VALUE_BYTES
from runs.models import Run, StepExecution
from runs.reading.inner_steps import inner_steps
from runs.reading.run_view import StepView
from runs.reading.stored import CONTAINERS, Bounds
from runs.store import payloads
from workflows.models import Workflow
from workflows.ports import LastRun

INNER_BOUNDS = Bounds(0, LAST_RUN_VALUE_BYTES, 2 * 1024 * 1024)


class _Size(Func):
    """How many bytes a value takes where it is kept; it needn't be read for that."""

    function = "pg_column_size"
    output_field = IntegerField()


def last_run(workflow: Workflow) -> LastRun | None:
    """The run that was started last, whatever became of it, in two queries, and two more where it has containers; None
    before the first. Of a step within a container it tells what it gave for the first item for which it did.
    """
    rows = Run.objects.for_tenant(workflow.tenant_id).filter(workflow_id=workflow.pk, is_part=False)
    run = rows.only("id", "input", "business_key", "created_by", "created_at").order_by("-id").first()
    if run is None:
        return None
    steps = _steps(workflow.tenant_id, run)
    for step in steps:
        for name in ("input", "output"):
            _fill(workflow.tenant_id, step, name)
    outputs = {step["node"]: step["output_"] for step in steps if _is_there(step)}
    by_id = {step["id"]: outputs[step["node"]] for step in steps if step["node"] in outputs}
    # A start step's input is the run's: `input_from` is the run then.
    run_input = _read(workflow.tenant_id, run.input)
    by_id[run.id] = run_input
    inputs: dict[str, Json] = {}
    for step in steps:
        if step["input_size"] is not None and step["input_size"] <= LAST_RUN_VALUE_BYTES:
            inputs[step["node"]] = step["input_"]
        elif step["input_from"] in by_id:
            inputs[step["node"]] = by_id[step["input_from"]]
    if any(step["type"] in CONTAINERS for step in steps):
        inner = _inner(workflow.tenant_id, run)
        outputs = {node: step["output"] for node, step in inner.items()} | outputs
        inputs = {node: step["input"] for node, step in inner.items()} | inputs
    return LastRun(str(run.id), run.created_at, run.business_key, run.created_by, run_input, outputs, inputs)


def _inner(tenant_id: int, run: Run) -> dict[str, StepView]:
    """The steps within its containers, as they were for the first item for which they completed; none too large."""
    steps = inner_steps(tenant_id, run.id, INNER_BOUNDS, most=LAST_RUN_PARTS, failed=False)
    return {
        one.counted.node: one.first.step for one in steps if one.first and "truncated" not in one.first.step
    }


def _steps(tenant_id: int, run: Run) -> list[dict[str, Any]]:
    """The run's plain steps that were started, with the values that are not too large."""
    rows = StepExecution.objects.for_tenant(tenant_id).filter(run_id=run.id, index__isnull=True)
    sizes = {f"{name}_size": _Size(name) for name in ("input", "output")}
    values = {f"{name}_": _if_small(name) for name in ("input", "output")}
    annotated = rows.order_by("-id").annotate(**sizes).annotate(**values)
    return list(
        annotated.values("id", "node", "type", "status", "input_from", *sizes, *values)[:LAST_RUN_STEPS]
    )


def _if_small(name: str) -> Case:
    small = When(**{f"{name}_size__lte": LAST_RUN_VALUE_BYTES}, then=F(name))
    return Case(small, default=None, output_field=StoredJson())


def _fill(tenant_id: int, step: dict[str, Any], name: str) -> None:
    """Put what is kept beside the database in its place, unless that is too large."""
    value = step[f"{name}_"]
    if payloads.has_references(value):
        size = payloads.size_of(value)
        step[f"{name}_size"] = size
        step[f"{name}_"] = _read(tenant_id, value) if size <= LAST_RUN_VALUE_BYTES else None


def _read(tenant_id: int, value: Json) -> Json:
    """A whole value; None where it can't be read: who designs sees what there is."""
    try:
        return payloads.whole(tenant_id, value)
    except BlobError:
        return None


def _is_there(step: dict[str, Any]) -> bool:
    """Whether the step has an output, and not too large a one."""
    size = step["output_size"]
    return bool(size <= LAST_RUN_VALUE_BYTES if size is not None else step["status"] == StepStatus.COMPLETED)
