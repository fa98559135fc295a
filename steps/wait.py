"""wait: three days, until Monday at nine, or however long an expression says; no worker is held meanwhile (R-114)."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from engine.catalogue import Json
from engine.definition import CalendarName
from engine.durations import length_fault, parse_duration, working_days_of
from steps.base import Params, StepContext, StepType, widget
from steps.waiting import for_timer, for_working_days

TEN_YEARS = timedelta(days=3_650)


def as_seconds(value: object) -> object:
    """Let pass what may be a number of seconds; a text such as `7D` is told how to write it."""
    if isinstance(value, str):
        raise PydanticCustomError(
            "seconds", "must be a number of seconds, such as 604800 for seven days, not text"
        )
    return value


Seconds = Annotated[
    int | float,
    Field(ge=0, le=TEN_YEARS.total_seconds(), allow_inf_nan=False),
    BeforeValidator(as_seconds),
]


def _moment_fault(text: str) -> str | None:
    """What keeps a text from being a time that can be waited for."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "must be a time as in 2027-01-31T09:00:00Z"
    if moment.tzinfo is None:
        return "must have a time zone, as in 2027-01-31T09:00:00Z or …+01:00"
    if not datetime(1970, 1, 2, tzinfo=UTC) < moment < datetime(2200, 1, 1, tzinfo=UTC):
        return "must be a time from 1970 to 2199"
    return None


_ONE_OF = ("seconds", "duration", "until")


class WaitParams(Params):
    """Exactly one of the three; `calendar` is of a duration in working days."""

    seconds: Seconds | None = Field(
        None, title="Wait for", description="How long to wait, in seconds. Or say until when."
    )
    duration: str | None = Field(
        None,
        title="Wait for",
        description="How long to wait, as a text: P3D is three days, PT2H two hours; 2 business days are working days.",
        json_schema_extra=widget("duration", instead_of="seconds"),
    )
    calendar: CalendarName | None = Field(
        None,
        title="Working calendar",
        description="Whose business days count. Empty: the default calendar.",
        json_schema_extra=widget("calendar"),
    )
    until: str | None = Field(
        None,
        title="Until",
        description="When to go on, such as 2027-01-31T09:00:00Z. A time in the past ends the wait at once.",
        json_schema_extra=widget("datetime"),
    )

    @model_validator(mode="before")
    @classmethod
    def _one_of_them(cls, value: Any) -> Any:
        if isinstance(value, dict) and sum(value.get(name) is not None for name in _ONE_OF) != 1:
            raise ValueError("give seconds, duration or until: one of the three")
        return value

    @field_validator("duration")
    @classmethod
    def _is_length(cls, text: str | None) -> str | None:
        if text is not None and (fault := length_fault(text)):
            raise PydanticCustomError("duration", "{fault}", {"fault": fault})
        return text

    @field_validator("until")
    @classmethod
    def _is_moment(cls, text: str | None) -> str | None:
        if text is not None and (fault := _moment_fault(text)):
            raise PydanticCustomError("moment", "{fault}", {"fault": fault})
        return text


class WaitOutput(BaseModel):
    """When it ended."""

    model_config = ConfigDict(extra="forbid")

    fired_at: str = Field(examples=["2026-01-01T00:00:00Z"])


def run(context: StepContext) -> Json:
    """What it waits for."""
    params: WaitParams = context.params
    if params.until is not None:
        return for_timer(until=datetime.fromisoformat(params.until))
    if params.seconds is not None:
        return for_timer(seconds=params.seconds)
    text = str(params.duration)
    if (days := working_days_of(text)) is not None:
        return for_working_days(days, params.calendar)
    return for_timer(seconds=parse_duration(text).total_seconds())


WAIT = StepType(
    name="wait",
    kind="wait",
    title="Wait",
    help="Waits for some time, or until a moment: seconds, days or months. No worker is kept busy meanwhile.",
    keywords="timer delay sleep pause schedule deadline date time",
    icon="hourglass",
    group="flow",
    example={"params": {"duration": "P3D"}, "input": {"order": "A-17"}},
    params_model=WaitParams,
    output_model=WaitOutput,
    run=run,
    timeout_seconds=None,
    keeps_calendar=True,
)
