"""What a decision covers, as its page shows it. Pure."""

from collections.abc import Mapping, Sequence

from engine.approvals import BEGINNING
from engine.catalogue import Json
from lib.typed_values import plain_text
from tasks_inbox.models import label_of


def in_words(
    approves: Mapping[str, Json] | None, outcomes: Sequence[Mapping[str, Json]]
) -> dict[str, Json] | None:
    """What `approves` of a task's row says, with the labels of outcomes and each value as a text; None of None."""
    if approves is None:
        return None
    groups = [
        {
            "label": label_of(outcomes, one["outcome"]) if one["outcome"] else "Each outcome",
            "steps": [step | {"values": _values(step["values"])} for step in one["steps"]],
        }
        for one in approves["outcomes"]
    ]
    withheld = approves["withheld"]
    if withheld is not None:
        changes = [
            {"path": one["path"], "before": _text(one["before"]), "after": _text(one["after"])}
            for one in withheld["changes"]
        ]
        withheld = withheld | {"changes": changes}
    return {"digest": approves["digest"], "outcomes": groups, "withheld": withheld}


def then(approves: Mapping[str, Json] | None, follows: Mapping[str, str]) -> Mapping[str, str]:
    """What each outcome leads to, in words: `follows`, but where a step waits to be approved as it is now."""
    withheld = None if approves is None else approves["withheld"]
    if approves is None or withheld is None:
        return follows
    [group] = approves["outcomes"]
    title = withheld["title"]
    return {
        name: f"“{title}” begins as it is now."
        if name == group["outcome"]
        else f"“{title}” fails: it was not approved."
        for name in follows
    }


def _values(values: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """The values of a step. That all of its input comes from the step before it need not be said."""
    return [
        {"path": one["path"], "text": _text(one), "is_open": bool(one["sources"])}
        for one in values
        if one["path"] != "input" or not one["sources"]
    ]


def _text(value: Mapping[str, Json] | None) -> str:
    """A value in words, or where it comes from."""
    if value is None:
        return "nothing"
    if not value["sources"]:
        return plain_text(value["value"])
    names = " and ".join(name if name == BEGINNING else f"“{name}”" for name in value["sources"])
    return f"comes from {names}"
