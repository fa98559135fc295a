"""Who may decide a step of a definition, as the people of a tenant are now, before any run has come to it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.bodies import Activity, all_it_does
from engine.catalogue import Json
from engine.holes import has_holes
from steps.catalogue import CATALOGUE, EXECUTABLE
from steps.human import who_decides
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import Member
from tasks_inbox.eligibility.policies import EVERYBODY
from tasks_inbox.eligibility.quorum import Elector


@dataclass(frozen=True, slots=True)
class Deciders:
    """Those who may decide the step `id` and those whom it names and bars; what only a run knows is left out."""

    id: str
    candidates: Json
    quorum: Json
    eligible: list[Elector]
    barred: list[Elector]
    bars_requester: bool
    bars_deciders: bool
    is_waited_out: bool
    """Whether it may end by itself at its deadline."""
    excluded: list[str]
    """The keys of the names that it excludes."""
    outsiders: list[str]
    """The usernames of those whom it names though the folder lets them neither read nor decide."""

    @property
    def whom(self) -> str:
        """Whom it asks, by name."""
        return (
            ", ".join(name for names in self.candidates.values() for name in names)
            or "everybody who may decide in the folder of its workflow"
        )


def asking_steps(native: Mapping[str, Json]) -> Iterator[Activity]:
    """All steps of a sound definition that ask people, those in containers and those that undo others, too; each step
    with the id of its node.
    """
    for activity in all_it_does(native, EXECUTABLE):
        step_type = CATALOGUE.get(str(activity.step.get("type")))
        if step_type is not None and step_type.asks_people:
            yield activity._replace(step={**activity.step, "id": activity.id})


def deciders_of(members: Iterable[Member], node: Mapping[str, Json], folder: int | None) -> Deciders | None:
    """Who may decide a step that asks people, of these members of a tenant; None where only a run knows that. `folder`
    is that of its workflow: None where that is not known, and everybody whose role decides counts.

    Its params must be valid as far as they say who decides.
    """
    params = node.get("params") or {}
    fields = {name: params.get(name) for name in ("candidates", "exclude", "quorum")}
    raw_candidates = params.get("candidates") or {}
    if has_holes(fields) or raw_candidates.get("expr") or raw_candidates.get("manager_of"):
        return None
    candidates, quorum = who_decides(params)
    audience, excluded_keys = (
        set(policies.audience_of(candidates)),
        policies.excluded(fields["exclude"] or ()),
    )
    addressees = [one for one in members if answers(one, audience, folder)]
    electors = [one.elector for one in addressees]
    return Deciders(
        str(node["id"]),
        candidates,
        quorum,
        [one for one in electors if one.key not in excluded_keys],
        [one for one in electors if one.key in excluded_keys],
        params.get("exclude_requester") is True,
        params.get("exclude_deciders") is True,
        params.get("on_timeout") is not None,
        excluded_keys,
        [one.username for one in addressees if folder is not None and not one.answers([EVERYBODY], folder)],
    )


def answers(member: Member, audience: Collection[str], folder: int | None) -> bool:
    """Whether a step with this audience asks a member; `folder` as in `deciders_of`."""
    return member.answers(audience, folder) if folder is not None else not member.marks.isdisjoint(audience)


def steps_before(native: Mapping[str, Json], step: str) -> list[str]:
    """The ids of all steps that may come before one of a sound definition."""
    into: dict[str, list[str]] = {}
    for edge in native.get("edges") or ():
        into.setdefault(edge["to"], []).append(edge["from"])
    ids, queue = {step}, [step]
    while queue:
        sources = [source for source in into.get(queue.pop(), ()) if source not in ids]
        ids.update(sources)
        queue.extend(sources)
    return [str(node["id"]) for node in native["nodes"] if node["id"] in ids - {step}]
