"""What lists of tests of the API have of the routes of bulk jobs (`tests/api/verbs.py`, `audited.py`)."""

from tests.api.playing import Settled

NOT_RECORDED = {
    "starts or operates runs, which have a history": (
        "api-bulk-jobs api-bulk-job-cancel bulk-job-go bulk-job-stop api-workflow-migrate "
        "runs-together workflow-move-runs"
    ),
}
BODIES = {
    ("api-workflow-migrate", "POST"): {"from": 1, "to": 1},
}
SETTLED = {
    ("api-bulk-job-cancel", "POST"): (Settled(),),
}
ANEW = "api-bulk-jobs"
ELSEWHERE = "bulk-job-go bulk-job-stop api-workflow-migrate runs-together workflow-move-runs"
NO_DOORS = {
    "is about what asks operators": "api-bulk-job-cancel bulk-job-stop bulk-job-go",
}
