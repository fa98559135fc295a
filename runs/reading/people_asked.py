"""What people are asked for runs and what they decided, in the words of whoever asked for the run.

An app above registers it in its `AppConfig.ready`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from accounts.principal import Principal
from engine.catalogue import Json
from lib.ports import Port


@dataclass(frozen=True, slots=True)
class OpenTask:
    """An open task of a run: who has it, until when, since when; `is_yours`: it waits for an answer of who reads.
    `run_id`: the run that asks.
    """

    task_id: UUID
    title: str
    holder: str
    is_yours: bool
    until: datetime | None
    since: datetime
    run_id: UUID


@dataclass(frozen=True, slots=True)
class Standing:
    """How people stand to a run: what is open in its tree, and how many of the decisions that ended its path said no:
    `refused` of `decided`, which counts the items of a map and the branches that run others; otherwise it is 1. Nobody
    has decided anything where it is 0. `corrected`: what they corrected of its input, the value before and after, by
    the keys that lead there.
    """

    open_tasks: Sequence[OpenTask] = ()
    refused: int = 0
    decided: int = 0
    corrected: Mapping[tuple[str, ...], tuple[Json, Json]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Milestone:
    """Something that happened to a request: `by` a username, or nobody; `text` is what they wrote."""

    at: datetime
    words: str
    by: str | None = None
    text: str = ""
    kind: str = "info"


class PeopleAsked(Protocol):
    """What people are asked for runs."""

    def standings(self, who: Principal, trees: Mapping[UUID, UUID]) -> Mapping[UUID, Standing]: ...

    def milestones(self, who: Principal, run_id: UUID) -> Sequence[Milestone]: ...


PEOPLE_ASKED: Final = Port[PeopleAsked]()


def standings(who: Principal, trees: Mapping[UUID, UUID]) -> Mapping[UUID, Standing]:
    """How people stand to each of these runs, whatever their number in as many statements; `trees`: the id of the tree
    of each, with the run.
    """
    people = PEOPLE_ASKED.first
    return people.standings(who, trees) if people and trees else {}


def milestones(who: Principal, run_id: UUID) -> Sequence[Milestone]:
    """What people did for a run, oldest first."""
    people = PEOPLE_ASKED.first
    return people.milestones(who, run_id) if people else ()
