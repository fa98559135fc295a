"""decision: where a run parts. The edges after it decide; the step itself gives its input on."""

from engine.catalogue import Json
from steps.base import StepContext, StepType


def run(context: StepContext) -> Json:
    """The input, unchanged: the edges read it as `output`."""
    return context.input


DECISION = StepType(
    name="decision",
    kind="engine",
    title="Decision",
    help="Takes the first outgoing edge whose condition holds.",
    icon="split",
    group="flow",
    example={"params": {}, "input": {"branch": "premium", "amount": 1200}},
    run=run,
    decides=True,
    gives_input=True,
)
