"""Whether jobs of a definition can be told of by Kafka: not every name of a queue can be that of a topic."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from django.conf import settings

from engine.bodies import all_it_does
from engine.catalogue import Json
from engine.problems import Problem, error, quoted
from steps.catalogue import EXECUTABLE

KAFKA: Final = "kafka"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
"""What Kafka takes as the name of a topic, which holds the tenant's, too; our queues may have colons and be longer."""


def judge(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """Of each definition the queues that have no topic, where Kafka tells of jobs; no statement."""
    if settings.HANDOFF_BROKER != KAFKA:
        return [[] for _ in natives]
    return [
        [
            _without_topic(queue, f"{field}.queue", node)
            for field, step, node, _ in all_it_does(native, EXECUTABLE)
            if (queue := step.get("queue")) and not _NAME.fullmatch(queue)
        ]
        for native in natives
    ]


def _without_topic(queue: str, field: str, node: str) -> Problem:
    message = (
        f"Kafka, which tells workers of jobs here, can have no topic for the queue {quoted(queue)}: "
        "use letters, digits, dots, underscores and hyphens only, 128 at most."
    )
    return error("queue_without_topic", field, message, node)
