"""map: the same step for each item of a list, some of them at a time; what they gave, in the order of the items."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from engine.catalogue import Json
from steps.base import Params, StepContext, StepType, WholeNumber
from steps.waiting import for_children

MAX_ITEMS = 10_000
DEFAULT_AT_ONCE = 100


class Body(Params):
    """The step that is done for each item; expressions in its params see `item` and `index`."""

    type: str = Field(title="Step type", min_length=1)
    params: dict[str, Json] = Field(default_factory=dict, title="Params")


class MapParams(Params):
    """What is done, and for which items."""

    items: list[Json] = Field(
        title="Items",
        description="The list, mostly an expression such as {{ input.articles }}.",
        max_length=MAX_ITEMS,
    )
    body: Body = Field(title="For each", description="The step that is done for each item.")
    max_concurrency: Annotated[WholeNumber, Field(ge=1, le=MAX_ITEMS)] = Field(
        DEFAULT_AT_ONCE, title="At a time", description="How many items may be worked on at the same time."
    )
    tolerate_failures: Annotated[WholeNumber, Field(ge=0, le=MAX_ITEMS)] = Field(
        0, title="Failures tolerated", description="With more failed items than that the step fails."
    )


class MapOutput(BaseModel):
    """What the items gave, in their order; of one that failed `{"error": {…}}`."""

    model_config = ConfigDict(extra="forbid")

    results: list[Json] = Field(examples=[["A", "B"]])


def run(context: StepContext) -> Json:
    """The items, each of which is a child to wait for."""
    params: MapParams = context.params
    return for_children(params.items, at_once=params.max_concurrency, tolerated=params.tolerate_failures)


def collect(results: Sequence[Json]) -> Json:
    """What the items gave, in their order."""
    return {"results": list(results)}


MAP = StepType(
    name="map",
    kind="wait",
    title="For each item",
    help="Does the same step for each item of a list, some of them at a time.",
    icon="list",
    group="flow",
    example={
        "params": {"items": "{{ input.names }}", "body": {"type": "noop"}},
        "input": {"names": ["Ada", "Grace"]},
    },
    params_model=MapParams,
    output_model=MapOutput,
    run=run,
    collects=collect,
    timeout_seconds=None,
)
