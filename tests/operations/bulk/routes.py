"""What lists of tests of the API have of the routes of bulk jobs (`tests/api/verbs.py`, `audited.py`)."""

from tests.api.playing import Settled

NOT_RECORDED = {
    "starts or operates runs, which have a history": (
        "api-bulk-jobs api-bulk-job-cancel bulk-job-go bulk-job-stop api-workflow-migrate "
        "runs-together workflow-move-runs letters-together"
    ),
    "begins what records each task": (
        "api-task-bulk-jobs api-task-bulk-job-cancel api-task-bulk-job-go task-bulk-job-go task-bulk-job-stop "
        "tasks-matching"
    ),
}
BODIES = {
    ("api-workflow-migrate", "POST"): {"from": 1, "to": 1},
    ("api-task-bulk-jobs", "POST"): {"verb": "claim"},
}
SETTLED = {
    ("api-bulk-job-cancel", "POST"): (Settled(),),
}
ANEW = "api-bulk-jobs api-task-bulk-jobs"
ELSEWHERE = (
    "bulk-job-go bulk-job-stop api-workflow-migrate runs-together workflow-move-runs letters-together "
    "api-task-bulk-job-cancel api-task-bulk-job-go task-bulk-job-go task-bulk-job-stop tasks-matching"
)
NO_DOORS = {
    "is about what asks operators": "api-bulk-job-cancel bulk-job-stop bulk-job-go letters-together",
    "decides as for each task alone": (
        "api-task-bulk-jobs api-task-bulk-job-cancel api-task-bulk-job-go task-bulk-job-go task-bulk-job-stop "
        "tasks-matching"
    ),
}
