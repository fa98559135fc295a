"""The rows with which children of a container begin: items of a map, or a round of a loop."""

from engine.graph import Node
from lib.uuid7 import uuid7
from runs.store.rows import OpeningRow


def opening_of(run_id: str, name: str, body: Node, count: int) -> OpeningRow:
    """So many children of a container, as its body says."""
    return {
        "run_id": run_id,
        "node": name,
        "ids": [uuid7() for _ in range(count)],
        "type": body.type,
        "queue": body.queue,
        "priority": body.priority,
        "lease_seconds": body.lease_seconds,
        "timeout_seconds": body.timeout_seconds,
    }
