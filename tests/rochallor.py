"""Documents of rochallor that are our own: one for each scenario which the public engine's clients play."""

from typing import Any

Json = Any


def step(name: str, kind: str, **fields: Json) -> dict[str, Json]:
    """A step with a name to read."""
    return {"id": name, "name": name.replace("-", " ").capitalize(), "type": kind, **fields}


def service(name: str, following: str | None = None, **fields: Json) -> dict[str, Json]:
    """A SERVICE_TASK whose job type is its id."""
    after = {"nextStep": following} if following else {}
    return step(name, "SERVICE_TASK", **{"jobType": name, **after, **fields})


def document(*steps: dict[str, Json], name: str = "flow", **fields: Json) -> dict[str, Json]:
    """A document of these steps, and an END called `end` where one is named and not there."""
    ends = (
        []
        if any(one["id"] == "end" for one in steps) or '"end"' not in repr(steps).replace("'", '"')
        else [END]
    )
    return {"id": name, "name": "A flow", "steps": [*steps, *ends], **fields}


def timer(target: str, *, interrupting: bool = False, duration: str = "PT2S") -> dict[str, Json]:
    """What a boundary event says."""
    return {"type": "TIMER", "duration": duration, "interrupting": interrupting, "targetStepId": target}


END = step("end", "END")

LINEAR = document(service("a", "b"), service("b", "c"), service("c", "end"))
DECISION = document(
    service("prepare", "route"),
    step(
        "route",
        "DECISION",
        conditionalNextSteps={"#result == 'approved'": "yes", "#result != 'approved'": "no"},
    ),
    service("yes", "end"),
    service("no", "end"),
)
NO_MATCH = document(
    service("prepare", "route"),
    step("route", "DECISION", conditionalNextSteps={"#result == 'approved'": "end"}),
)
PARALLEL = document(
    step("gateway", "PARALLEL_GATEWAY", parallelNextSteps=["left", "right"], joinStep="join"),
    service("left", "left-2"),
    service("left-2", "join"),
    service("right", "join"),
    step("join", "JOIN_GATEWAY", nextStep="merge"),
    service("merge", "end"),
)
ENDS_IN_A_PATH = document(
    step("gateway", "PARALLEL_GATEWAY", parallelNextSteps=["left", "right"], joinStep="join"),
    step("left", "DECISION", conditionalNextSteps={"#go": "join", "!#go": "end"}),
    service("right", "join"),
    step("join", "JOIN_GATEWAY", nextStep="after"),
    service("after", "end"),
)
USER_TASK = document(
    service("before", "review"), step("review", "USER_TASK", nextStep="after"), service("after", "end")
)
PARALLEL_USER_TASK = document(
    step("gateway", "PARALLEL_GATEWAY", parallelNextSteps=["work", "review"], joinStep="join"),
    service("work", "join"),
    step("review", "USER_TASK", nextStep="join"),
    step("join", "JOIN_GATEWAY", nextStep="end"),
)
TIMER = document(
    service("before", "wait"),
    step("wait", "WAIT", nextStep="end", boundaryEvents=[timer("fired")]),
    service("fired", "end"),
)
TIMER_INTERRUPTS = document(
    service("slow", "end", boundaryEvents=[timer("handler", interrupting=True)]),
    service("handler", "end"),
)
WAIT_SIGNAL = document(service("before", "wait"), step("wait", "WAIT", nextStep="end"))
RETRY = document(service("flaky", "end", retryCount=2))
TRANSFORMATION = document(
    service("init", "set"),
    step(
        "set",
        "TRANSFORMATION",
        nextStep="end",
        transformations={
            "fullName": "${firstName}",
            "greeting": "Hello",
            "score": 42,
            "fee": "${amount * 0.01}",
            "high": "${score < 500 || risk > 0.8}",
            "at": "${now()}",
        },
    ),
)
BEHIND_A_TASK = document(
    service("work", "never", conditionalNextSteps={"#ok == true": "good", "#ok == false": "bad"})
    | {"nextStep": "good"},
    service("good", "end"),
    service("bad", "end"),
)
LOAN = document(
    service("validate", "checks", retryCount=2),
    step("checks", "PARALLEL_GATEWAY", parallelNextSteps=["credit", "fraud"], joinStep="merge"),
    service("credit", "merge", retryCount=3),
    service("fraud", "merge", retryCount=3),
    step("merge", "JOIN_GATEWAY", nextStep="band"),
    step(
        "band",
        "TRANSFORMATION",
        nextStep="route",
        transformations={
            "highRisk": "${creditScore < 500 || fraudScore > 0.8}",
            "review": "${creditScore >= 500 && creditScore < 650}",
        },
    ),
    step(
        "route",
        "DECISION",
        conditionalNextSteps={
            "#highRisk == true": "rejected",
            "#review == true": "manual",
            "#creditScore >= 650": "approve",
        },
    ),
    step("manual", "USER_TASK", nextStep="decided", boundaryEvents=[timer("escalate", duration="PT48H")]),
    service("escalate", "escalated"),
    step(
        "decided",
        "DECISION",
        conditionalNextSteps={"#decision == 'APPROVED'": "approve", "#decision == 'REJECTED'": "rejected"},
    ),
    service("approve", "approved", retryCount=3),
    step("approved", "END"),
    step("rejected", "END"),
    step("escalated", "END"),
    name="LOS::loan-application",
    autoStartNextWorkflow=True,
    nextWorkflowId="LOS::loan-disbursement",
    metadata={"version": "1.0", "tags": ["loan", "credit"]},
)
SCENARIOS = {
    name.lower(): value
    for name, value in globals().copy().items()
    if name.isupper() and isinstance(value, dict) and "steps" in value
}
