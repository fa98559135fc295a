"""decision: where a run parts. The edges after it decide; the step itself gives its input on."""

from steps.base import StepType, passes_on

DECISION = StepType(
    name="decision",
    kind="engine",
    title="Decision",
    help="Takes the first outgoing connection whose condition holds.",
    keywords="branch if else switch case condition route gateway choose split rule",
    icon="split",
    group="flow",
    example={"params": {}, "input": {"branch": "premium", "amount": 1200}},
    run=passes_on,
    decides=True,
    gives_input=True,
)
