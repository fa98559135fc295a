"""What lists of tests of the API have of the routes of the orchestration API (`tests/api/verbs.py`, `audited.py`)."""

NOT_RECORDED = {
    "starts or operates runs, which have a history": "v1-workflow-signals v1-workflows",
    "is work on a job, which history has": (
        "v1-activities-complete v1-activities-fail v1-activities-heartbeat v1-activities-poll"
    ),
}
BODIES = {
    ("v1-workflows", "POST"): {"workflowType": "ours", "input": {}},
    ("v1-workflow-signals", "POST"): {"signalName": "go", "signalId": "1"},
    ("v1-activities-poll", "POST"): {"workerId": "w", "taskQueue": "work"},
    ("v1-activities-complete", "POST"): {"taskId": "task_none"},
    ("v1-activities-fail", "POST"): {"taskId": "task_none", "errorMessage": ""},
    ("v1-activities-heartbeat", "POST"): {"taskId": "task_none"},
}
ANEW = "v1-workflow-signals v1-workflows v1-activities-fail v1-activities-poll v1-activities-heartbeat"
ELSEWHERE = "v1-activities-complete"
NO_DOORS = {
    "begins a run, which asks": "v1-workflows",
    "ends a wait for a signal, or a job: no human step is one": (
        "v1-workflow-signals v1-activities-poll v1-activities-complete v1-activities-fail "
        "v1-activities-heartbeat"
    ),
}
