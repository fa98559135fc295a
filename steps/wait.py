"""wait: three days, until Monday at nine, or however long an expression says; no worker is held meanwhile (R-114)."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from engine.catalogue import Json
from engine.durations import parse_duration
from engine.errors import StepError
from steps.base import Params, StepContext, StepType, widget
from steps.waiting import for_timer

TEN_YEARS = timedelta(days=3_650)

Seconds = Annotated[int | float, Field(ge=0, le=TEN_YEARS.total_seconds(), allow_inf_nan=False)]


class WaitParams(Params):
    """Exactly one of the three."""

    seconds: Seconds | None = Field(
        None, title="Wait for", description="How long to wait, in seconds. One of the three is enough."
    )
    duration: str | None = Field(
        None,
        title="Length",
        description="The same as a text: P3D is three days, PT2H two hours, PT90S ninety seconds.",
        json_schema_extra=widget("duration"),
    )
    until: str | None = Field(
        None,
        title="Until",
        description="When to go on, such as 2027-01-31T09:00:00Z. A time that is over ends the wait at once.",
        json_schema_extra=widget("datetime"),
    )

    @model_validator(mode="before")
    @classmethod
    def _one_of_them(cls, given: Any) -> Any:
        if isinstance(given, dict) and sum(given.get(name) is not None for name in cls.model_fields) != 1:
            raise ValueError("give seconds, duration or until: one of the three")
        return given


class WaitOutput(BaseModel):
    """When it ended."""

    fired_at: str = Field(examples=["2026-01-01T00:00:00Z"])


def run(context: StepContext) -> Json:
    """What it waits for. Raises StepError BadParams for a time that can't be read."""
    params: WaitParams = context.params
    if params.until is not None:
        return for_timer(until=_moment(params.until))
    return for_timer(seconds=params.seconds if params.seconds is not None else _length(str(params.duration)))


def _length(text: str) -> float:
    try:
        length = parse_duration(text)
    except ValueError as error:
        raise _bad("duration", str(error)) from None
    if length > TEN_YEARS:
        raise _bad("duration", "the longest wait is ten years")
    return length.total_seconds()


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _bad("until", "write a time as in 2027-01-31T09:00:00Z") from None
    if moment.tzinfo is None:
        raise _bad("until", "say the time zone too, as in 2027-01-31T09:00:00Z or …+01:00")
    if not datetime(1970, 1, 2, tzinfo=UTC) < moment < datetime(2200, 1, 1, tzinfo=UTC):
        raise _bad("until", "this is not a time that a workflow can wait for")
    return moment


def _bad(field: str, message: str) -> StepError:
    return StepError("BadParams", f"`params.{field}`: {message}.", details={"field": f"params.{field}"})


WAIT = StepType(
    name="wait",
    kind="wait",
    title="Wait",
    help="Waits for some time, or until a moment: seconds, days or months. Nothing is kept busy meanwhile.",
    icon="hourglass",
    group="flow",
    example={"params": {"duration": "P3D"}, "input": {"order": "A-17"}},
    params_model=WaitParams,
    output_model=WaitOutput,
    run=run,
    timeout_seconds=None,
)
