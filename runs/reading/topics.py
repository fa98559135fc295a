"""Whether jobs of a definition can be told of by Kafka: not every name of a queue can be that of a topic."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.conf import settings

from engine.catalogue import BODY, Json
from engine.problems import Problem, error, quoted

KAFKA: Final = "kafka"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
"""What Kafka takes as the name of a topic; our queues may have colons, too."""


def judge(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """Of each definition the queues that have no topic, where Kafka tells of jobs; no statement."""
    if settings.HANDOFF_BROKER != KAFKA:
        return [[] for _ in natives]
    return [
        [
            _without_topic(*place)
            for at, node in enumerate(native["nodes"])
            for place in _queues_of(f"nodes[{at}]", node, node["id"])
            if not _NAME.fullmatch(place[0])
        ]
        for native in natives
    ]


def _without_topic(queue: str, field: str, node: str) -> Problem:
    message = (
        f"Kafka, which tells workers of jobs here, can have no topic for the queue {quoted(queue)}: "
        "use letters, digits, dots, underscores and hyphens only."
    )
    return error("queue_without_topic", field, message, node)


def _queues_of(field: str, step: Mapping[str, Json], node: str) -> Iterator[tuple[str, str, str]]:
    """The queues that a step names, what undoes it, and what it does for each item: each with its field and node."""
    if queue := step.get("queue"):
        yield queue, f"{field}.queue", node
    if step.get("compensate"):
        yield from _queues_of(f"{field}.compensate", step["compensate"], node)
    body = (step.get("params") or {}).get(BODY)
    if isinstance(body, Mapping):
        within = f"{field}.params.{BODY}"
        if body.get("type"):
            yield from _queues_of(within, body, node)
        for at, inner in enumerate(body.get("steps") or ()):
            yield from _queues_of(f"{within}.steps[{at}]", inner, inner["id"])
