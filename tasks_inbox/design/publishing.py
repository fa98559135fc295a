"""Whether the people of a tenant can do what a definition asks of them: somebody may decide, and enough of them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, product
from typing import NamedTuple

from accounts.names import key_of
from accounts.queries import members_of_roles
from accounts.roles import RUNS_START, SCOPES_OF_ROLE
from engine.bodies import Activity
from engine.catalogue import Json
from engine.problems import Problem, error, warning
from steps.catalogue import CATALOGUE
from tasks_inbox.design.deciders import Deciders, asking_steps, deciders_of, steps_before
from tasks_inbox.eligibility.electors import (
    Directory,
    Member,
    Names,
    members_of,
    named_among,
    names_in_groups,
    names_of,
    unable,
)
from tasks_inbox.eligibility.identity import DECIDING_ROLES
from tasks_inbox.eligibility.policies import EVERYBODY
from tasks_inbox.eligibility.quorum import counts_people, needs_several, verdict
from tasks_inbox.limits import APPROVAL_COMBINATIONS, NAMED_PEOPLE
from workflows.models import Workflow

STARTER = "{{ run.created_by }}"


def judge(tenant: int, natives: Sequence[Mapping[str, Json]]) -> list[list[Problem]]:
    """Of each definition the steps for people that nobody, or not enough, may decide as things are, in containers, too,
    and those that ask people whom its folder lets neither read nor decide; five statements at most for all of them, or
    none where there are no such steps.

    What only a run knows (expressions) is not judged.
    """
    asking = [list(asking_steps(native)) for native in natives]
    if not any(asking):
        return [[] for _ in natives]
    members = members_of(tenant)
    starters = _Starters(tenant, members)
    names = [str(native.get("name")) for native in natives]
    rows = Workflow.objects.for_tenant(tenant).filter(name__in=names)
    folders = dict(rows.values_list("name", "folder_id"))
    people = _People(tenant, members, asking)
    return [
        list(_find_problems(_Place(people, folders.get(name)), starters, each))
        for name, each in zip(names, asking, strict=True)
    ]


class _People:
    """The members of a tenant who may decide, and who is in the groups that steps name."""

    def __init__(self, tenant: int, members: list[Member], asking: Sequence[Sequence[Activity]]) -> None:
        self.members = members
        self._tenant, self._asking = tenant, asking

    @cached_property
    def _groups(self) -> dict[str, Names]:
        """Asked for only where a step needs all of those whom it asks, or a share: a statement more."""
        group_names = [
            name
            for each in self._asking
            for one in each
            for name in ((one.step.get("params") or {}).get("candidates") or {}).get("groups") or ()
        ]
        return names_in_groups(self._tenant, group_names)

    def directory(self, folder: int | None) -> Directory:
        """Who they are for a workflow in this folder."""
        return Directory(
            lambda: names_of(one for one in self.members if one.answers([EVERYBODY], folder)),
            lambda group: self._groups.get(key_of(group), {}),
            lambda role: names_of(one for one in self.members if one.role == role),
        )


class _Place(NamedTuple):
    """The people of the tenant and the folder of a workflow; no folder where there is no such workflow yet."""

    people: _People
    folder: int | None


class _Starters:
    """Who may start runs: those who may decide, by name, and "" where there are others."""

    def __init__(self, tenant: int, members: list[Member]) -> None:
        self._tenant, self._members = tenant, members

    @cached_property
    def keys(self) -> list[str]:
        """Asked for only where a step excludes them: a statement more."""
        keys = [one.elector.key for one in self._members if RUNS_START in SCOPES_OF_ROLE[one.role]]
        roles = [role for role, scopes in SCOPES_OF_ROLE.items() if RUNS_START in scopes]
        roles = [role for role in roles if role not in DECIDING_ROLES]
        return keys + ([""] if members_of_roles(self._tenant, roles).exists() else [])


def _find_problems(place: _Place, starters: _Starters, asking: Sequence[Activity]) -> Iterator[Problem]:
    every = [deciders_of(place.people.members, one.step, place.folder) for one in asking]
    # What undoes a step has its id, and comes before none.
    steps = {step.id: step for one, step in zip(asking, every, strict=True) if step and one.among}
    for one, step in zip(asking, every, strict=True):
        field = f"{one.field}.params"
        if step is None:
            if problem := _asks_starters(starters, one.step, f"{field}.candidates"):
                yield problem
            continue
        ids = steps_before(one.among, step.id) if one.among else ()
        problem = (
            _too_few(field, step)
            or _unable(place, field, step)
            or _four_eyes(field, starters, step, [steps[id] for id in ids if id in steps])
        )
        if problem:
            yield problem
        if step.outsiders:
            yield _outsiders(field, step)


def _outsiders(field: str, step: Deciders) -> Problem:
    names, count = step.outsiders[:NAMED_PEOPLE], len({*step.eligible, *step.barred})
    people = ", ".join(names) + (
        f" and {len(step.outsiders) - len(names)} more" if step.outsiders != names else ""
    )
    message = (
        f"`{step.id}` asks {count} {'person' if count == 1 else 'people'}. The folder of this workflow lets "
        f"{people} neither read nor decide: they see the task with its files and comments, and nothing else of the "
        "run. Grant it to them in the folder, or ask others."
    )
    return warning("asks_outside_folder", f"{field}.candidates", message, step.id)


def _asks_starters(starters: _Starters, node: Mapping[str, Json], field: str) -> Problem | None:
    """Whether an approval asks who starts the run alone, and they may decide nothing; a form is theirs."""
    candidates = {
        kind: names for kind, names in ((node.get("params") or {}).get("candidates") or {}).items() if names
    }
    only = candidates in ({"users": [STARTER]}, {"expr": STARTER}, {"expr": [STARTER]})
    if CATALOGUE[node["type"]].starter_decides or not only or "" not in starters.keys:
        return None
    message = (
        f"`{node['id']}` asks only the person who started the run, and not everybody who may start runs may decide: "
        "ask others, too, or make it a human.form, which is theirs whatever their role."
    )
    return warning("asks_who_starts", field, message, str(node["id"]))


def _too_few(field: str, step: Deciders) -> Problem | None:
    if not step.eligible:
        message = f"`{step.id}` asks {step.whom}, none of whom may decide tasks: add members, or ask others."
        return error("nobody_may_decide", f"{field}.candidates", message, step.id)
    if needs_several(step.quorum) and not _reaches(step, ()):
        groups = step.quorum.get("groups") or {}
        demand = ", ".join(f"{count} of {name}" for name, count in groups.items()) or str(step.quorum["need"])
        count = len(step.eligible)
        message = (
            f"`{step.id}` needs {demand} to agree, and {count} may decide: add members, or require fewer."
        )
        return error("quorum_out_of_reach", f"{field}.quorum", message, step.id)
    return None


def _unable(place: _Place, field: str, step: Deciders) -> Problem | None:
    """Whether somebody can't decide of whom all, or a share, must agree."""
    if not counts_people(step.quorum):
        return None
    people = place.people
    rows = named_among(step.candidates, step.excluded, people.directory(place.folder))
    missing = unable(rows, people.members)
    if not missing:
        return None
    message = (
        f"`{step.id}` needs all, or a share, of those whom it asks to agree, and these can't decide: "
        f"{', '.join(missing[:NAMED_PEOPLE])}. Name members whose role decides tasks."
    )
    return error("quorum_out_of_reach", f"{field}.quorum", message, step.id)


def _four_eyes(field: str, starters: _Starters, step: Deciders, before: Sequence[Deciders]) -> Problem | None:
    """Whether too few are left, whoever of them decides the steps before; who starts a run may be none of them, such
    as a webhook, so that is a warning."""
    earlier = [one for one in before if one.eligible and not one.is_waited_out] if step.bars_deciders else []
    earlier_ids = "`, `".join(one.id for one in earlier)
    have = len({one.key for each in (step, *earlier) for one in each.eligible})
    needs = f"Needs {have + 1} people who may decide; this tenant has {have}: add members, or ask others."
    if earlier and not _is_left(step, earlier, [""]):
        message = f"`{step.id}` may not be decided by the people who decided `{earlier_ids}`. {needs}"
        return error("four_eyes_out_of_reach", f"{field}.exclude_deciders", message, step.id)
    if step.bars_requester and starters.keys and not _is_left(step, earlier, starters.keys):
        who = (
            f"people who started the run or decided `{earlier_ids}`" if earlier else "whoever started the run"
        )
        message = f"`{step.id}` may not be decided by {who}. {needs}"
        return warning("requester_may_not_decide", f"{field}.exclude_requester", message, step.id)
    return None


def _is_left(step: Deciders, earlier: Sequence[Deciders], starters: Sequence[str]) -> bool:
    """Whether the step can be decided after some of the ways in which a run may come to it; of very many one can."""
    ways = list(
        islice(
            product(starters, *([one.key for one in each.eligible] for each in earlier)),
            APPROVAL_COMBINATIONS,
        )
    )
    return len(ways) == APPROVAL_COMBINATIONS or any(
        _reaches(step, (starter if step.bars_requester else "", *deciders))
        for starter, *deciders in ways
        if all(
            not (each.bars_requester and key == starter) and not (each.bars_deciders and key in deciders[:at])
            for at, (each, key) in enumerate(zip(earlier, deciders, strict=True))
        )
    )


def _reaches(step: Deciders, excluded_keys: Sequence[str]) -> bool:
    electors = [one for one in step.eligible if one.key not in excluded_keys]
    return bool(electors) and verdict(step.quorum, ["yes"], [], electors).is_possible
