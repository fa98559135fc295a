"""test.stub: stands in a test run for a step that is not done, and gives what was said in its place.

It is in no palette, and no definition that is published may have it: `workflows.trials` puts it in.
"""

from collections.abc import Mapping
from dataclasses import replace

from pydantic import Field

from engine.catalogue import Json
from engine.errors import StepError
from lib.strict_json import strict_dumps, strict_loads
from steps.base import Params, StepContext, StepType, storable
from steps.limits import MAX_OUTPUT_BYTES

STUB_TYPE = "test.stub"


class StubError(Params):
    """What it fails with."""

    code: str
    message: str


class StubParams(Params):
    """What it gives, as JSON text that holds no `{{`: nothing in it is an expression."""

    output: str = Field("null", description="Its output, as JSON text.")
    error: str | None = Field(None, description="Its error instead: `{code, message}` as JSON text.")
    stands_for: str = Field(description="The type of the step that is not done.")
    decides: bool = Field(False, description="Whether that type decides by the edges after it.")
    why: str = Field(description="Why it is not: pinned, side_effects, waits or outside.")


def literal(value: Json) -> str:
    """A value as JSON text in which no expression can stand. Raises BadJson."""
    # Two braces in a row only occur within texts, where JSON may write each character by its number.
    return strict_dumps(value, max_bytes=MAX_OUTPUT_BYTES).decode().replace("{{", "{\\u007b")


def run(context: StepContext) -> Json:
    """What was said that it gives. Raises StepError where it was said to fail."""
    params: StubParams = context.params
    if params.error is not None:
        error = StubError.model_validate(strict_loads(params.error.encode(), max_bytes=MAX_OUTPUT_BYTES))
        raise StepError(error.code, error.message)
    output = strict_loads(params.output.encode(), max_bytes=MAX_OUTPUT_BYTES)
    storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES)
    return output


def _as_params_say(step_type: StepType, params: Mapping[str, Json]) -> StepType:
    """What stands for a decision goes on as one: by the first edge that holds."""
    return replace(step_type, decides=True) if params.get("decides") else step_type


TEST_STUB = StepType(
    name=STUB_TYPE,
    kind="engine",
    title="Not done in this test",
    help="Stands in a test run for a step that is not done.",
    icon="circle-help",
    group="test",
    example={
        "params": {"output": '{"status": 200}', "stands_for": "http.request", "why": "side_effects"},
        "input": {},
    },
    params_model=StubParams,
    run=run,
    variant=_as_params_say,
)
