"""What a container does for each of its items, as a param; and the step type of items that are runs of their own."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from engine.bodies import OF_ONE_STEP, PART
from engine.catalogue import Json
from engine.definition import QUEUE_NAME, RETRY_HELP, TIMEOUT_HELP, WORKFLOW_NAME, RetryChoice, Seconds
from engine.holes import has_holes
from engine.limits import WORKFLOW_NAME_CHARACTERS
from steps.base import Params, StepContext, StepType, WholeNumber, widget
from steps.limits import BODY_STEPS
from steps.waiting import for_part

FORMS: tuple[Literal["type", "steps", "workflow"], ...] = ("type", "steps", "workflow")


class Body(Params):
    """One step (`type`), steps of its own (`steps`), or a run of a workflow; expressions see `item` and `index`."""

    type: str | None = Field(
        None,
        title="Step type",
        description="What is done for each item: one step of this type.",
        min_length=1,
    )
    title: str | None = Field(
        None, title="Title", description="What people read instead of the type.", max_length=200
    )
    params: dict[str, Json] | None = Field(
        None, title="Settings of the type", description="What this kind of step needs."
    )
    retry: RetryChoice | None = Field(
        None, title="Retries", description=RETRY_HELP, json_schema_extra=widget("retry")
    )
    timeout_seconds: Seconds | None = Field(None, title="Time limit", description=TIMEOUT_HELP)
    queue: str | None = Field(
        None,
        title="Queue",
        description="Where workers look for it. Empty: the default of its type.",
        pattern=QUEUE_NAME,
    )
    steps: list[dict[str, Json]] | None = Field(
        None,
        title="Steps",
        description="Or several steps, each as in a workflow.",
        min_length=1,
        max_length=BODY_STEPS,
    )
    edges: list[dict[str, Json]] | None = Field(
        None,
        title="Connections",
        description="What leads from one of them to another. Empty: one after the other.",
    )
    workflow: str | None = Field(
        None,
        title="Workflow",
        description="Or a run of this workflow.",
        pattern=WORKFLOW_NAME,
        max_length=WORKFLOW_NAME_CHARACTERS,
        json_schema_extra=widget("workflow"),
    )
    version: Annotated[WholeNumber, Field(ge=1)] | None = Field(
        None, title="Version", description="Of that workflow. Empty: the latest when the item begins."
    )
    input: Json = Field(None, title="Input", description="Input of its run. Empty: the item.")

    @model_validator(mode="before")
    @classmethod
    def _computed(cls, body: Json) -> Json:
        """A name and a number that are expressions are computed, and checked, when the item begins."""
        if isinstance(body, dict) and isinstance(body.get("workflow"), str):
            stand_ins = {"workflow": "computed", "version": None}
            return body | {name: value for name, value in stand_ins.items() if has_holes(body.get(name))}
        return body

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if sum(getattr(self, form) is not None for form in FORMS) != 1:
            raise ValueError("give one of type, steps and workflow")
        if self.type is None and any(getattr(self, name) is not None for name in OF_ONE_STEP):
            raise ValueError(f"{', '.join(OF_ONE_STEP)} belong to type: steps say it themselves")
        return self


class PartParams(Params):
    """What is handed on to the steps of a container."""

    given: dict[str, Json]


def run(context: StepContext) -> Json:
    """The run to wait for."""
    params: PartParams = context.params
    return for_part(params.given)


PART_TYPE = StepType(
    name=PART,
    kind="wait",
    title="Steps of an item",
    help="The steps that a container does for one of its items, as a run of their own.",
    icon="workflow",
    group="flow",
    example={"params": {"given": {"item": "Ada", "index": 0}}},
    params_model=PartParams,
    run=run,
    timeout_seconds=None,
    begins_run=True,
)
