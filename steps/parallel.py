"""parallel and join: where a run parts into paths that are all taken, and where these meet."""

from steps.base import StepType, passes_on

PARALLEL = StepType(
    name="parallel",
    kind="engine",
    title="Parallel paths",
    help="Takes all paths after it at the same time.",
    keywords="split fork fan-out concurrent at once branch simultaneous gateway and",
    icon="git-fork",
    group="flow",
    example={"params": {}, "input": {"order_id": "A-17"}},
    run=passes_on,
    gives_input=True,
    parts=True,
)

JOIN = StepType(
    name="join",
    kind="engine",
    title="Join paths",
    help="Waits for the paths that lead here, and goes on once.",
    keywords="merge join wait for all synchronize gather fan-in together collect",
    icon="git-merge",
    group="flow",
    example={"params": {}, "input": {"stock": {"free": 3}, "credit": {"ok": True}}},
    run=passes_on,
    gives_input=True,
)
