"""What the OpenAPI document shows as examples of the rochallor API, by the names of the schemas."""

from typing import Any, Final

_STEP: Final = "01a22e0c-a65d-72c0-99bd-78b87b828f52"
_JOB: Final = f"{_STEP}.UNf8vIjyEUUqDm8y7r186A.1.MUpqSNB4xhHlrHYlKwgbRFxvfjDZYCgDOvY_lnFiVyU"
_RUN: Final = "01a22e0c-a659-7abf-bb1a-dc19c41d4d47"
_DEFINITION: Final[dict[str, Any]] = {
    "id": "loan",
    "name": "Loan",
    "steps": [
        {
            "id": "credit-score",
            "name": "Credit score",
            "type": "SERVICE_TASK",
            "jobType": "credit-score",
            "retryCount": 3,
            "nextStep": "end",
        },
        {"id": "end", "name": "End", "type": "END"},
    ],
}
_UPLOADED: Final[dict[str, Any]] = {
    "id": "loan",
    "version": 1,
    "name": "Loan",
    "uploadedAt": "2026-06-07T11:26:00Z",
}
_INSTANCE: Final[dict[str, Any]] = {
    "id": _RUN,
    "definitionId": "loan",
    "definitionVersion": 1,
    "status": "ACTIVE",
    "currentStepIds": ["credit-score"],
    "variables": {"customer": "cust_88291"},
    "startedAt": "2026-06-07T11:26:00Z",
    "businessKey": "loan-7",
}
_RESULT: Final[dict[str, Any]] = {"workerId": "worker-1", "variables": {"creditScore": 712}}
_FAILURE: Final[dict[str, Any]] = {
    "workerId": "worker-1",
    "errorMessage": "The credit bureau does not answer.",
    "retryable": True,
}
EXAMPLES: Final[dict[str, Any]] = {
    "RochallorDefinitionRequest": _DEFINITION,
    "RochallorDefinition": {**_DEFINITION, "version": 1},
    "RochallorUploaded": _UPLOADED,
    "RochallorUploadedPage": {"items": [_UPLOADED], "total": 1},
    "RochallorStartRequest": {
        "definitionId": "loan",
        "variables": {"customer": "cust_88291"},
        "businessKey": "loan-7",
    },
    "RochallorInstance": _INSTANCE,
    "RochallorInstancePage": {"items": [_INSTANCE], "total": 1},
    "RochallorHistory": {
        "items": [
            {
                "ID": _STEP,
                "InstanceID": _RUN,
                "StepID": "credit-score",
                "StepType": "SERVICE_TASK",
                "AttemptNumber": 1,
                "Status": "RUNNING",
                "StartedAt": "2026-06-07T11:26:00Z",
                "EndedAt": None,
                "InputSnapshot": {"customer": "cust_88291"},
                "OutputSnapshot": None,
                "FailureReason": None,
            }
        ]
    },
    "RochallorCancelRequest": {"reason": "The customer withdrew the application."},
    "RochallorPollRequest": {"workerId": "worker-1", "jobTypes": ["credit-score"], "maxJobs": 10},
    "RochallorJobs": {
        "jobs": [
            {
                "id": _JOB,
                "instanceId": _RUN,
                "stepExecutionId": _STEP,
                "jobType": "credit-score",
                "status": "LOCKED",
                "workerId": "worker-1",
                "lockedAt": "2026-06-07T11:26:01Z",
                "lockExpiresAt": "2026-06-07T11:26:31Z",
                "retriesRemaining": 3,
                "variables": {"customer": "cust_88291"},
                "createdAt": "2026-06-07T11:26:00Z",
            }
        ]
    },
    "RochallorCompleteRequest": _RESULT,
    "RochallorCompleteNamedRequest": {"id": _JOB, **_RESULT},
    "RochallorFailRequest": _FAILURE,
    "RochallorFailNamedRequest": {"id": _JOB, **_FAILURE},
    "RochallorTaskResultRequest": {"result": {"approved": True}, "completedBy": "ann"},
    "post_rochallor_cancel": _INSTANCE
    | {
        "status": "CANCELLED",
        "currentStepIds": [],
        "failureReason": "The customer withdrew the application.",
    },
}
