"""What lists of tests of the API have of the routes of the rochallor API (`tests/api/verbs.py`, `audited.py`)."""

from tests.api.playing import POLLS

RECORDED = {
    "workflow.create": "s4-definitions",
}
NOT_RECORDED = {
    "starts or operates runs, which have a history": "s4-cancel s4-instances s4-signal",
    "is work on a job, which history has": (
        "s4-job-complete s4-job-fail s4-jobs-poll s4-named-job-complete s4-named-job-fail"
    ),
    "is work on a task, which the ledger or its own history has": "s4-step-task s4-user-task",
}
BODIES = {
    ("s4-definitions", "POST"): {"id": "theirs", "name": "Theirs", "steps": [{"id": "end", "type": "END"}]},
    ("s4-instances", "POST"): {"definitionId": "ours"},
    ("s4-jobs-poll", "POST"): {"workerId": "w", "jobTypes": ["work"]},
    ("s4-named-job-complete", "POST"): {"id": "none"},
    ("s4-named-job-fail", "POST"): {"id": "none"},
}
ANEW = (
    "s4-definitions s4-instances s4-signal s4-job-fail s4-jobs-poll s4-named-job-fail s4-named-job-complete"
)
ELSEWHERE = "s4-cancel s4-job-complete s4-step-task s4-user-task"
NO_DOORS = {
    "begins a run, which asks": "s4-instances",
    "ends a wait for a signal, or a job: no human step is one": (
        "s4-signal s4-jobs-poll s4-job-complete s4-job-fail s4-named-job-complete s4-named-job-fail"
    ),
    "decides by `api-task-complete`'s function (`test_parked.py`)": "s4-step-task s4-user-task",
}
EXAMPLES = {
    ("s4-step-task", "node"): "b",
    ("s4-signal", "node"): "none",
    ("s4-job-complete", "job_id"): "none",
    ("s4-job-fail", "job_id"): "none",
}
OFTEN = {"s4-jobs-poll": POLLS}
