"""signal: waits until somebody sends the run a signal of a name; what comes early is kept for it (R-126, R-130)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from engine.catalogue import Json
from steps.base import Params, StepContext, StepType
from steps.limits import SIGNAL_NAME_CHARACTERS
from steps.wait import TEN_YEARS, as_seconds
from steps.waiting import for_signal

TimeoutSeconds = Annotated[
    int | float,
    Field(gt=0, le=TEN_YEARS.total_seconds(), allow_inf_nan=False),
    BeforeValidator(as_seconds),
]


class SignalParams(Params):
    """Which signal, and how long to wait for it."""

    name: str = Field(
        min_length=1,
        max_length=SIGNAL_NAME_CHARACTERS,
        title="Signal",
        description="The name of the signal, such as paid.",
    )
    timeout_seconds: TimeoutSeconds | None = Field(
        None,
        title="Wait at most",
        description="How long to wait for it at most. Empty: it waits forever.",
    )
    on_timeout: Literal["fail", "continue", "branch"] = Field(
        "fail",
        title="If it does not come",
        description="What happens if it doesn't come in time: the run fails, goes on, or follows “On failure”.",
    )


def run(context: StepContext) -> Json:
    """What it waits for."""
    params: SignalParams = context.params
    return for_signal(params.name, timeout_seconds=params.timeout_seconds)


def _as_params_say(step_type: StepType, params: Mapping[str, Json]) -> StepType:
    """A timeout is a failure of the step, which means what `on_timeout` says."""
    on_timeout = params.get("on_timeout")
    return replace(step_type, on_error=on_timeout) if on_timeout in ("continue", "branch") else step_type


SIGNAL = StepType(
    name="signal",
    kind="wait",
    title="Wait for a signal",
    help="Waits until another program, a webhook or a person sends the run a signal; its content is the output.",
    keywords="event message receive callback webhook wait external trigger listen",
    icon="radio",
    group="flow",
    example={"params": {"name": "paid", "timeout_seconds": 86_400}, "input": {"order": "A-17"}},
    params_model=SignalParams,
    run=run,
    variant=_as_params_say,
    timeout_seconds=None,
    takes_signals=True,
    time_limit="the param timeout_seconds",
)
