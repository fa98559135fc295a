"""The message of an event: CloudEvents 1.0 as one JSON document, and the headers that sign it. Pure.

An event of history never changes, so what is made of it at each attempt is the same.
"""

from collections.abc import Iterable
from typing import Any

from integrations.webhooks_out.events import name_of
from integrations.webhooks_out.limits import MESSAGE_BYTES
from integrations.webhooks_out.store import Due
from lib.standard_webhooks import sign
from lib.strict_json import strict_dumps
from runs.store.traces import trace_within

CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"
# What may leave: no values of runs, no details of errors, no names of machines.
_TOLD = (
    *("by", "reason", "via", "task", "outcome", "on_behalf_of", "to", "level", "round", "due_at", "deadline"),
    *("index", "kind", "until", "run", "as", "life", "version", "from", "rerun_of", "parent", "follows"),
    *("continues", "cause", "retry_in", "digest", "evidence"),
)
_OF_ERROR = {"code": 200, "message": 2_000}


def message_id(due: Due) -> str:
    """The id by which a receiver knows the message, the same at each attempt."""
    return f"msg_{due.message.hex}"


def body_of(due: Due, site: str) -> bytes:
    """The document of an event; `site` is where Handoff is reached, empty where it doesn't know."""
    place = f"/api/v1/workflows/{due.workflow}" if due.workflow else f"/api/v1/webhooks/out/{due.webhook}"
    document: dict[str, Any] = {
        "specversion": "1.0",
        "id": message_id(due),
        "source": site + place,
        "type": name_of(due.type),
        "time": due.at,
        "datacontenttype": "application/json",
        "sequence": str(due.event or 0),
        "data": _data(due),
    }
    if due.run:
        document["subject"] = str(due.run)
    return strict_dumps(document, max_bytes=MESSAGE_BYTES)


def headers_of(due: Due, body: bytes, secrets: Iterable[bytes], timestamp: int) -> dict[str, str]:
    """The headers of an attempt that is made now: a signature by each secret that counts."""
    id, stamp = message_id(due), str(timestamp)
    trace = trace_within(str(due.run), (due.traceparent, due.tracestate)).headers() if due.run else {}
    return trace | {
        "content-type": CONTENT_TYPE,
        "user-agent": "Handoff-Webhooks/1.0",
        "webhook-id": id,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(sign(secret, id, stamp, body) for secret in secrets),
    }


def _data(due: Due) -> dict[str, Any]:
    if not due.run:
        return {"message": "This is a test: the webhook is reached, and its signature can be verified."}
    data: dict[str, Any] = {
        "run_id": str(due.run),
        "workflow": due.workflow,
        "version": due.version,
        "business_key": due.business_key,
    }
    if due.node is not None:
        data["step"] = due.node
    if due.attempt is not None:
        data["attempt"] = due.attempt
    data["details"] = {name: due.payload[name] for name in _TOLD if name in due.payload}
    error = due.payload.get("error")
    if isinstance(error, dict):
        data["details"]["error"] = {
            name: str(error[name])[:most] for name, most in _OF_ERROR.items() if name in error
        }
    return data
