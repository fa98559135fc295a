"""noop: gives its input on. For tests, benchmarks and places that are still to be filled."""

from engine.catalogue import Json
from steps.base import StepContext, StepType


def run(context: StepContext) -> Json:
    """The input, unchanged."""
    return context.input


NOOP = StepType(
    name="noop",
    kind="inline",
    title="Do nothing",
    help="Passes its input on unchanged.",
    icon="circle",
    group="flow",
    example={"params": {}, "input": {"order_id": "A-17"}},
    run=run,
    gives_input=True,
)
