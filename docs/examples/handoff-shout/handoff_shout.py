"""acme.shout: a text in capital letters."""

from pydantic import BaseModel, Field

from handoff.steps import Json, Params, StepContext, StepError, StepType, WholeNumber


class ShoutParams(Params):
    """How loud."""

    marks: WholeNumber = Field(
        1, ge=0, le=10, title="Exclamation marks", description="How many of them follow the text."
    )


class Text(BaseModel):
    """What it takes, and what it gives."""

    text: str


def run(context: StepContext) -> Json:
    """`{text}`. Raises StepError NothingToShout."""
    if not context.input.text.strip():
        raise StepError("NothingToShout", "`text` is empty.", details={"field": "text"})
    return {"text": context.input.text.upper() + "!" * context.params.marks}


SHOUT = StepType(
    name="acme.shout",
    kind="inline",
    title="Shout",
    help="Writes a text in capital letters.",
    icon="zap",
    group="text",
    example={"params": {"marks": 2}, "input": {"text": "The trees cool the city"}},
    params_model=ShoutParams,
    input_model=Text,
    output_model=Text,
    run=run,
)
