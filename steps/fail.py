"""fail: the path ends in a failure of the author's own, with a code and a message."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from engine.catalogue import Json
from engine.errors import StepError
from engine.limits import ERROR_MESSAGE_CHARACTERS
from steps.base import Params, StepContext, StepType


def _as_text(value: Json) -> Json:
    """An expression may give a number: it is told as it is."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


class FailParams(Params):
    """The error."""

    code: str = Field(
        pattern=r"^[A-Za-z][A-Za-z0-9_.\-]{0,99}$",
        title="Code",
        description="What programs know the error by, such as NotInStock.",
    )
    message: Annotated[str, BeforeValidator(_as_text)] = Field(
        min_length=1,
        title="Message",
        description="What people read, such as {{ input.item }} is not in stock.",
    )


def run(context: StepContext) -> Json:
    """Raises StepError with this code and message; another attempt would end the same way."""
    params: FailParams = context.params
    raise StepError(params.code, params.message[:ERROR_MESSAGE_CHARACTERS], retryable=False)


FAIL = StepType(
    name="fail",
    kind="engine",
    title="Fail",
    help="Fails with an error of its own, and the run with it unless the step says otherwise.",
    keywords="error throw raise abort exception reject",
    icon="circle-x",
    group="flow",
    example={"params": {"code": "NotInStock", "message": "Lamp is not in stock."}, "input": {"item": "Lamp"}},
    params_model=FailParams,
    run=run,
    fails=True,
)
