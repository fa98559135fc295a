"""map: the same for each item of a list, some of them at a time; what they gave, in the order of the items."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from engine.catalogue import Json
from steps.base import Params, StepContext, StepType, WholeNumber, widget
from steps.bodies import Body
from steps.limits import MAP_ITEMS
from steps.waiting import for_children

DEFAULT_AT_ONCE = 100


SHARE = r"^(100|[1-9]?[0-9])%$"


class MapParams(Params):
    """What is done, and for which items."""

    items: list[Json] = Field(
        title="Items",
        description="The list, usually an expression such as {{ input.articles }}.",
        json_schema_extra=widget("template"),
        max_length=MAP_ITEMS,
    )
    body: Body = Field(
        title="For each", description="What is done for each item.", json_schema_extra=widget("body")
    )
    max_concurrency: Annotated[WholeNumber, Field(ge=1, le=MAP_ITEMS)] = Field(
        DEFAULT_AT_ONCE, title="At a time", description="How many items may be worked on at the same time."
    )
    tolerate_failures: (
        Annotated[WholeNumber, Field(ge=0, le=MAP_ITEMS)] | Annotated[str, Field(pattern=SHARE)]
    ) = Field(
        0,
        title="Failures tolerated",
        description="This many items, or a share such as 10%, may fail; if more do, the step fails.",
    )

    @property
    def tolerated(self) -> int:
        """How many of its items may fail; a share is rounded down."""
        if isinstance(self.tolerate_failures, int):
            return self.tolerate_failures
        return len(self.items) * int(self.tolerate_failures.removesuffix("%")) // 100


class MapOutput(BaseModel):
    """What the items gave, in their order; of one that failed `{"error": {…}}`."""

    model_config = ConfigDict(extra="forbid")

    results: list[Json] = Field(examples=[["A", "B"]])


def run(context: StepContext) -> Json:
    """The items, each of which is a child to wait for."""
    params: MapParams = context.params
    return for_children(params.items, at_once=params.max_concurrency, tolerated=params.tolerated)


def collect(results: Sequence[Json]) -> Json:
    """What the items gave, in their order."""
    return {"results": list(results)}


MAP = StepType(
    name="map",
    kind="wait",
    title="For each item",
    help="Does the same for each item of a list, some of them at a time.",
    keywords="for each foreach for-each loop iterate list items batch fan-out array rows map",
    icon="list",
    group="flow",
    example={
        "params": {"items": ["Ada", "Grace"], "body": {"type": "noop"}},
        "input": {"names": ["Ada", "Grace"]},
    },
    params_model=MapParams,
    output_model=MapOutput,
    run=run,
    collects=collect,
    timeout_seconds=None,
    time_limit="a time limit of its steps",
)
