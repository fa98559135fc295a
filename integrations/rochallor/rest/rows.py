"""Values of the service as rochallor's clients read them: camelCase, but for history; what is empty is left out where
theirs leaves it out.
"""

from typing import Any

from integrations.rochallor.values import Definition, Instance, Job, StepRecord, Uploaded


def uploaded(one: Uploaded) -> dict[str, Any]:
    """A version of a definition, in short."""
    return {"id": one.id, "version": one.version, "name": one.name, "uploadedAt": one.uploaded_at}


def definition(one: Definition) -> dict[str, Any]:
    """A version of a definition as it was uploaded, with its number."""
    return {"id": one.id, "version": one.version, **one.document}


def instance(one: Instance) -> dict[str, Any]:
    """An instance."""
    optional = {
        "variables": one.variables,
        "completedAt": one.completed_at,
        "failureReason": one.failure_reason,
        "businessKey": one.business_key,
    }
    return {
        "id": one.id,
        "definitionId": one.definition_id,
        "definitionVersion": one.definition_version,
        "status": one.status,
        "currentStepIds": list(one.current_step_ids),
        "startedAt": one.started_at,
        **{name: value for name, value in optional.items() if value is not None},
    }


def step(one: StepRecord) -> dict[str, Any]:
    """An entry into a step."""
    return {
        "ID": one.id,
        "InstanceID": one.instance_id,
        "StepID": one.step_id,
        "StepType": one.step_type,
        "AttemptNumber": one.attempt_number,
        "Status": one.status,
        "StartedAt": one.started_at,
        "EndedAt": one.ended_at,
        "InputSnapshot": one.input_snapshot,
        "OutputSnapshot": one.output_snapshot,
        "FailureReason": one.failure_reason,
    }


def job(one: Job) -> dict[str, Any]:
    """A job."""
    return {
        "id": one.id,
        "instanceId": one.instance_id,
        "stepExecutionId": one.step_execution_id,
        "jobType": one.job_type,
        "status": "LOCKED",
        "workerId": one.worker_id,
        "lockedAt": one.locked_at,
        "lockExpiresAt": one.lock_expires_at,
        "retriesRemaining": one.retries_remaining,
        "variables": one.variables,
        "createdAt": one.created_at,
    }
