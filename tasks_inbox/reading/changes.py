"""What differs between the rounds of a task. Pure."""

from itertools import pairwise

from engine.catalogue import Json
from lib.strict_json import same
from tasks_inbox.models import ManualTask


def changes(before: list[Json], after: list[Json]) -> list[Json]:
    """What differs between the facts of two rounds: `{label, before, after, type?}` each."""
    was = {fact["label"]: fact["value"] for fact in before}
    return [
        {"label": fact["label"], "before": was.get(fact["label"]), "after": fact["value"]}
        | ({"type": fact["type"]} if fact.get("type") else {})
        for fact in after
        if not same(was.get(fact["label"]), fact["value"])
    ]


def rounds_of(task: ManualTask) -> list[list[Json]]:
    """What differs in each round from the one before, from the second round on."""
    facts = [*(one["facts"] for one in task.earlier), task.facts]
    return [changes(before, after) for before, after in pairwise(facts)]


def changed_since(task: ManualTask) -> list[Json]:
    """What differs from the round before, as `changes` gives it; nothing in the first round."""
    return changes(task.earlier[-1]["facts"], task.facts) if task.earlier else []
