"""What the OpenAPI document shows as examples of the orchestration API, by the names of the schemas."""

from typing import Any, Final

_EXECUTION: Final = "wf_exec_06h2s356m1qi9frqmo67c61fvg"
_TASK: Final = (
    "task_06h2s355hpogp05mo14v40nnvs_ykvhJYASp6LrxcGuRmmixQ.1.RW8oH3sU-HiXtPw8QdZhxxAMLDFMS75dNu3YtYiIdXk"
)
_INPUT: Final = {"orderId": "order_uuid_9921c", "customerId": "cust_88291", "amountCents": 15000}
EXAMPLES: Final[dict[str, Any]] = {
    "StartWorkflowRequest": {
        "workflowType": "order_fulfillment",
        "tenantId": "tenant_1120a",
        "businessKey": "order_uuid_9921c",
        "input": _INPUT,
    },
    "StartedWorkflow": {
        "workflowId": _EXECUTION,
        "status": "RUNNING",
        "currentState": "STARTED",
        "createdAt": "2026-06-07T11:26:00Z",
    },
    "WorkflowExecution": {
        "workflowId": _EXECUTION,
        "workflowType": "order_fulfillment",
        "tenantId": "tenant_1120a",
        "businessKey": "order_uuid_9921c",
        "status": "RUNNING",
        "currentState": "STARTED",
        "input": _INPUT,
        "context": {},
        "output": None,
        "error": None,
        "createdAt": "2026-06-07T11:26:00Z",
        "updatedAt": "2026-06-07T11:26:00Z",
        "startedAt": None,
        "completedAt": None,
        "continuedTo": None,
    },
    "SignalWorkflowRequest": {
        "signalName": "payment_webhook_received",
        "signalId": "sig_uniq_7761a",
        "payload": {"paymentStatus": "SUCCESS", "transactionId": "txn_88192a"},
    },
    "SignalledWorkflow": {"workflowId": _EXECUTION, "signalProcessed": True},
    "PollActivityRequest": {"workerId": "worker_host_08a", "taskQueue": "order_processing_queue"},
    "ActivityTask": {
        "taskId": _TASK,
        "workflowId": _EXECUTION,
        "workflowType": "order_fulfillment",
        "activityType": "charge_credit_card",
        "taskQueue": "order_processing_queue",
        "input": {"customerId": "cust_88291", "amountCents": 15000},
        "attempt": 1,
        "attemptLimit": 5,
        "leaseDurationSeconds": 30,
        "idempotencyKey": "01a22e0c-a589-73d3-b993-707ed1cae2c3/charge_credit_card",
    },
    "CompleteActivityRequest": {"taskId": _TASK, "result": {"transactionId": "txn_88192a"}},
    "FailActivityRequest": {
        "taskId": _TASK,
        "errorCode": "CardRefused",
        "errorMessage": "The bank refused the card.",
        "retryable": False,
    },
    "HeartbeatActivityRequest": {"taskId": _TASK},
    "ActivityAnswer": {"taskId": _TASK, "applied": True},
}
