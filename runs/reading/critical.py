"""Which steps a run took as long as it did for: its critical path; pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

Span = tuple[datetime, datetime]


def critical_path(
    spans: Mapping[str, Span], before: Mapping[str, Sequence[str]], apart: Iterable[str] = ()
) -> list[str]:
    """From the first step to the one that ended last, each after that of its predecessors which it had to wait for:
    the one that ended last among those that had ended when it ended. `spans` are of the steps that did something, from
    when they could have begun to when they ended; `apart` are steps that count for nothing.
    """
    left_out = set(apart)
    counted = {node: span for node, span in spans.items() if node not in left_out}
    if not counted:
        return []
    node = max(counted, key=lambda each: (counted[each][1], counted[each][0], each))
    path = [node]
    while True:
        ended = counted[node][1]
        candidates = [
            each
            for each in before.get(node, ())
            if each in counted and each not in path and counted[each][1] <= ended
        ]
        if not candidates:
            return path[::-1]
        node = max(candidates, key=lambda each: (counted[each][1], counted[each][0], each))
        path.append(node)
