"""What consumers are told of a job: a `workflow.v1.JobDispatchEvent` with its topic, key and headers (R-176)."""

from datetime import datetime
from typing import Any, Final

import orjson

from integrations.broker.broker import Event
from integrations.broker.store import DueEvent
from integrations.grpc.contract import message_class
from lib.blobs import BlobAway, BlobError
from runs.commands.job_events import event_id
from runs.kernel.graphs import BrokenVersion, compiled
from runs.store import payloads

SCHEMA_VERSION: Final = 1
CONTENT_TYPE: Final = "application/x-protobuf; proto=workflow.v1.JobDispatchEvent"
DEFAULT_TENANT: Final = "default"
TOPICS: Final = "workflow.jobs."
GROUPS: Final = "workflow.workers."
"""What rochallor calls topics and the groups of their consumers, before the queue."""


class Unspeakable(Exception):
    """Of this job nobody can be told; `is_for_now`: not yet."""

    def __init__(self, why: str, *, is_for_now: bool = False) -> None:
        super().__init__(why)
        self.is_for_now = is_for_now


def topic_of(tenant: str, queue: str) -> str:
    """Where jobs of a queue are told: as rochallor calls it for the tenant `default`; other tenants have their own."""
    name = f"{TOPICS}{queue}"
    return name if tenant == DEFAULT_TENANT else f"{tenant}.{name}"


def event_of(due: DueEvent) -> Event:
    """What is published of a row of the outbox. Raises Unspeakable."""
    step = due.step
    try:
        version = compiled(step.version_id)
        retries = version.graph.step(step.node, step.index).retry.max_retries
        payload = payloads.whole(step.tenant_id, step.input)
    except BlobError as error:
        raise Unspeakable(error.message, is_for_now=isinstance(error, BlobAway)) from error
    except BrokenVersion as error:
        raise Unspeakable(str(error)) from error
    job = event_id(step.id, step.epoch)
    message: Any = message_class("workflow.v1.JobDispatchEvent")()
    message.schema_version = SCHEMA_VERSION
    message.dedup_id = str(due.row)
    message.job_id, message.job_type = job, due.queue
    message.instance_id, message.step_execution_id = step.run_id, step.id
    message.retries_remaining = max(0, retries - step.attempt)
    message.job_payload = orjson.dumps(payload)
    message.created_at.FromDatetime(datetime.fromisoformat(due.created_at))
    headers = {"content-type": CONTENT_TYPE, "dedup-id": str(due.row), "job-id": job}
    return Event(
        due.row,
        topic_of(version.tenant_slug, due.queue),
        step.run_id,
        message.SerializeToString(),
        headers,
    )
