"""How many must agree, and whether they do: what a task's votes come to. Pure.

The first outcome of a task is the one that needs the quorum. By `veto` any other outcome decides at once; by `majority`
every outcome needs as many, and where the first can't reach them any more, the strongest other one decides. In groups
one person counts for one group, however many they are in: "2 of Legal and 1 of Finance" are three people.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from accounts.names import key_of
from engine.catalogue import Json

ONE: Json = {"need": 1, "rule": "veto"}


@dataclass(frozen=True, slots=True)
class Elector:
    """Somebody who may decide, or has: the key of their name, and the keys of their groups."""

    key: str
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Vote:
    """What somebody decided; `elector` is in whose place, themselves mostly."""

    elector: Elector
    outcome: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What votes come to: the outcome, None while more must decide; whether the first outcome can still be had; and how
    many may still decide.
    """

    outcome: str | None
    is_possible: bool
    state: Mapping[str, Json]
    voters_left: int = 0


def needs_several(quorum: Json | None) -> bool:
    """Whether more than one person may have to decide."""
    return quorum is not None and (bool(quorum.get("groups")) or quorum.get("need") != 1)


def counts_people(quorum: Json | None) -> bool:
    """Whether it depends on how many were asked how many must agree: all of them, or a share."""
    return quorum is not None and isinstance(quorum.get("need"), str)


def verdict(
    quorum: Json | None,
    outcomes: Sequence[str],
    votes: Sequence[Vote],
    electors: Collection[Elector],
    asked_keys: Collection[str] = (),
) -> Verdict:
    """What these votes come to, where `electors` are those who may decide now, whether they have voted or not.

    `asked_keys` are of all who were asked. All, and a share, are of them, whether they can decide or not.
    """
    rule = quorum or ONE
    voted_keys = {vote.elector.key for vote in votes}
    rest = [one for one in electors if one.key not in voted_keys]
    pro = [vote.elector for vote in votes if vote.outcome == outcomes[0]]
    contra = [vote.outcome for vote in votes if vote.outcome != outcomes[0]]
    if rule.get("groups"):
        groups = {key_of(name): (name, count) for name, count in rule["groups"].items()}
        slots = [key for key, (_, count) in groups.items() for _ in range(count)]
        filled_slots = _placed(slots, pro)
        is_possible = len(_placed(slots, [*pro, *rest])) == len(slots)
        is_reached, need = len(filled_slots) == len(slots), len(slots)
        group_rows = [
            {"name": name, "need": count, "have": filled_slots.count(key)}
            for key, (name, count) in groups.items()
        ]
        state: dict[str, Json] = {"need": need, "have": len(filled_slots), "groups": group_rows}
    else:
        people = {*asked_keys, *voted_keys, *(one.key for one in rest)}
        need = _number(rule["need"], len(people))
        is_reached, is_possible = len(pro) >= need, len(pro) + len(rest) >= need
        state = {"need": need, "have": len(pro)}
    state |= {"rule": rule.get("rule", "veto"), "may": len(votes) + len(rest)}
    outcome = outcomes[0] if is_reached else _other(state["rule"], contra, need, outcomes, is_possible)
    return Verdict(outcome, is_possible, state, len(rest))


def _number(need: int | str, people: int) -> int:
    """How many people `need` means: all of them, or a share rounded up, are one at least."""
    if need == "all":
        return max(people, 1)
    if isinstance(need, str):
        return max(-(-people * int(need.rstrip("%")) // 100), 1)
    return need


def _other(
    rule: str, contra: Sequence[str], need: int, outcomes: Sequence[str], is_possible: bool
) -> str | None:
    """The outcome other than the first that decides, if one does."""
    if not contra:
        return None
    if rule == "veto":
        return contra[-1]
    strongest = max(outcomes[1:], key=contra.count)
    return strongest if contra.count(strongest) >= need or not is_possible else None


def _placed(slots: Sequence[str], people: Sequence[Elector]) -> list[str]:
    """The slots that these people fill when each fills one at most, as many as can be (augmenting paths)."""
    holder: dict[int, Elector] = {}

    def place(person: Elector, visited: set[int]) -> bool:
        for at, group in enumerate(slots):
            if group in person.groups and at not in visited:
                visited.add(at)
                if at not in holder or place(holder[at], visited):
                    holder[at] = person
                    return True
        return False

    for person in people:
        place(person, set())
    return [slots[at] for at in sorted(holder)]
