"""noop: gives its input on. For tests, benchmarks and places that are still to be filled."""

from steps.base import StepType, passes_on

NOOP = StepType(
    name="noop",
    kind="inline",
    title="Do nothing",
    help="Passes its input on unchanged.",
    keywords="pass placeholder nothing dummy start",
    icon="circle",
    group="flow",
    example={"params": {}, "input": {"order_id": "A-17"}},
    run=passes_on,
    gives_input=True,
)
