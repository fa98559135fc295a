"""end: where a run is over, whatever goes on elsewhere, or only one of its paths (R-067)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from pydantic import Field

from engine.catalogue import Json
from steps.base import Params, StepType, passes_on


class EndParams(Params):
    """What ends here."""

    ends: Literal["run", "path"] = Field(
        "run",
        title="What ends",
        description="The run, and with it what is open elsewhere; or this path alone, and others go on.",
    )


def _as_params_say(step_type: StepType, params: Mapping[str, Json]) -> StepType:
    """Where only the path ends, it is like any last step."""
    return replace(step_type, ends_run=params.get("ends", "run") == "run")


END = StepType(
    name="end",
    kind="engine",
    title="End",
    help="Ends the run: what is open elsewhere is cancelled. Or it ends one path, and the others go on.",
    keywords="stop finish terminate complete exit return",
    icon="target",
    group="flow",
    example={"params": {}, "input": {"order_id": "A-17"}},
    params_model=EndParams,
    run=passes_on,
    variant=_as_params_say,
    gives_input=True,
    ends_run=True,
)
