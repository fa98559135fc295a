"""Who may decide a step of a definition, as the people of a tenant are now, before any run has come to it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.bodies import all_it_does, body_of, edges_of
from engine.catalogue import BODY, Json
from engine.templates import has_holes
from steps.catalogue import CATALOGUE, EXECUTABLE
from steps.human import who_decides
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import Member
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

    @property
    def whom(self) -> str:
        """Whom it asks, by name."""
        return (
            ", ".join(name for names in self.candidates.values() for name in names)
            or "everybody who may decide"
        )


@dataclass(frozen=True, slots=True)
class AskingStep:
    """A step that asks people, with the `id` of its node, and the field at which it stands.

    `among`: the `nodes` and `edges` of the run that comes to it, which is each item's own where a container does it;
    None where it is alone there, or what undoes a step.
    """

    field: str
    node: Mapping[str, Json]
    among: Mapping[str, Json] | None


def asking_steps(native: Mapping[str, Json]) -> Iterator[AskingStep]:
    """All steps of a sound definition that ask people, those in containers and those that undo others, too."""
    lists = {"nodes": native}
    for field, step, id in all_it_does(native, EXECUTABLE):
        body = body_of(step, EXECUTABLE) or {}
        if body.get("steps"):
            lists[f"{field}.params.{BODY}.steps"] = {"nodes": body["steps"], "edges": edges_of(body)}
        if is_asking(step):
            among = lists[field.rpartition("[")[0]] if field.endswith("]") else None
            yield AskingStep(field, {**step, "id": id}, among)


def is_asking(node: Mapping[str, Json]) -> bool:
    """Whether a step asks people."""
    step_type = CATALOGUE.get(str(node.get("type")))
    return step_type is not None and step_type.asks_people


def deciders_of(members: Iterable[Member], node: Mapping[str, Json]) -> Deciders | None:
    """Who may decide a step that asks people, of these members of a tenant; None where only a run knows that.

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
    electors = [one.elector for one in members if audience & one.marks]
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
    )


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
