"""loop: the same again and again, each round with what the one before gave, until a condition ends it."""

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from engine.catalogue import Json
from engine.definition import WORKFLOW_NAME
from engine.limits import WORKFLOW_NAME_CHARACTERS
from steps.base import Params, StepContext, StepType, WholeNumber, widget
from steps.bodies import Body
from steps.limits import LOOP_ROUNDS
from steps.waiting import for_rounds

DEFAULT_ROUNDS = 1_000


class LoopParams(Params):
    """What is done in each round, and when it is enough."""

    model_config = ConfigDict(**Params.model_config, validate_by_name=True, validate_by_alias=True)

    body: Body | None = Field(
        None, title="Each round", description="What is done in each round.", json_schema_extra=widget("body")
    )
    workflow: str | None = Field(
        None,
        title="Workflow",
        description="Instead of a body: each round is a run of this workflow.",
        pattern=WORKFLOW_NAME,
        max_length=WORKFLOW_NAME_CHARACTERS,
        json_schema_extra=widget("workflow", instead_of="body"),
    )
    input: Json = Field(
        None,
        title="First input",
        description="Input of the first round; each later one gets the output of the one before. Empty: the input "
        "of this step.",
    )
    while_: str | None = Field(
        None,
        alias="while",
        title="Goes on while",
        description="Evaluated after each round with its output and the number of rounds so far: output.more.",
        json_schema_extra=widget("expression"),
        min_length=1,
    )
    until: str | None = Field(
        None,
        title="Ends when",
        description="Evaluated after each round, in the same way.",
        json_schema_extra=widget("expression"),
        min_length=1,
    )
    count: Annotated[WholeNumber, Field(ge=0, le=LOOP_ROUNDS)] | None = Field(
        None,
        title="Rounds",
        description="It ends after this many rounds; with 0 its output is the first input.",
    )
    max_iterations: Annotated[WholeNumber, Field(ge=1, le=LOOP_ROUNDS)] = Field(
        DEFAULT_ROUNDS,
        title="Rounds at most",
        description="If it hasn't ended after this many rounds, it fails.",
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.body is None) == (self.workflow is None):
            raise ValueError("give either body or workflow")
        if self.while_ is None and self.until is None and self.count is None:
            raise ValueError("say when it ends: give while, until or count")
        return self


def run(context: StepContext) -> Json:
    """The first round to wait for, and how many there may be."""
    params: LoopParams = context.params
    value = params.input if "input" in params.model_fields_set else context.input
    return for_rounds(value, most=params.max_iterations, count=params.count)


def last(results: Sequence[Json]) -> Json:
    """What the last round gave."""
    return results[-1]


LOOP = StepType(
    name="loop",
    kind="wait",
    title="Repeat",
    help="Repeats the same steps, each round with the output of the one before, until a condition ends it.",
    keywords="loop while until repeat again iterate poll retry for do",
    icon="rotate-ccw",
    group="flow",
    example={
        "params": {
            "body": {"type": "transform", "params": {"set": {"n": "{{ item.n + 1 }}"}}},
            "while": "output.n < 3",
        },
        "input": {"n": 0},
    },
    params_model=LoopParams,
    run=run,
    collects=last,
    conditions=frozenset({"while", "until"}),
    timeout_seconds=None,
    time_limit="max_iterations, or a time limit of its steps",
)
