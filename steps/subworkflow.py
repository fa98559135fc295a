"""subworkflow: a run of another workflow, for whose end the step waits; what it gives is the step's output."""

from typing import Annotated

from pydantic import Field

from engine.catalogue import Json
from engine.definition import WORKFLOW_NAME
from engine.limits import WORKFLOW_NAME_CHARACTERS
from steps.base import Params, StepContext, StepType, WholeNumber, widget
from steps.waiting import for_run


class SubworkflowParams(Params):
    """Which workflow, and what its run is given."""

    workflow: str = Field(
        title="Workflow",
        description="The name of the workflow.",
        pattern=WORKFLOW_NAME,
        max_length=WORKFLOW_NAME_CHARACTERS,
        json_schema_extra=widget("workflow"),
    )
    version: Annotated[WholeNumber, Field(ge=1)] | None = Field(
        None, title="Version", description="The number of a version. Empty: the latest when the step begins."
    )
    input: Json = Field(None, title="Input", description="Input of its run. Empty: the input of this step.")


def run(context: StepContext) -> Json:
    """The run to wait for."""
    params: SubworkflowParams = context.params
    run_input = params.input if "input" in params.model_fields_set else context.input
    return for_run(params.workflow, run_input, version=params.version)


SUBWORKFLOW = StepType(
    name="subworkflow",
    kind="wait",
    title="Run a workflow",
    help="Starts a run of another workflow and waits for its end; its output becomes the output of this step.",
    keywords="subprocess child sub-workflow call workflow nested reuse invoke",
    icon="workflow",
    group="flow",
    example={"params": {"workflow": "check_order"}, "input": {"order_id": "A-17"}},
    params_model=SubworkflowParams,
    run=run,
    timeout_seconds=None,
    has_side_effects=True,
    begins_run=True,
    time_limit="how long that workflow takes",
)
