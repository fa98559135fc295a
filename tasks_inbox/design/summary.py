"""Who may decide a step, in words, for whoever designs it: as the people of the tenant are now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from accounts import queries as people
from accounts.names import key_of
from engine.catalogue import Json
from engine.holes import has_holes
from tasks_inbox.design.deciders import Deciders, deciders_of
from tasks_inbox.eligibility.electors import Member, members_of, named_by, unable
from tasks_inbox.eligibility.quorum import Elector, counts_people, needs_several, verdict
from tasks_inbox.limits import SUMMARY_PEOPLE

_PLURALS = {"approver": "approvers", "operator": "operators", "admin": "admins"}
_IN_RUN = "Who may decide is known once a run reaches it"


@dataclass(frozen=True, slots=True)
class DeciderForecast:
    """A sentence or two; `level` is `enough`, `nobody` (or too few, as things are) or `in_run` (only a run knows)."""

    words: str
    level: Literal["enough", "nobody", "in_run"]
    people: int | None


def forecast_deciders(tenant: int, params: Mapping[str, Json], folder: int | None = None) -> DeciderForecast:
    """Who may decide a step with these params of a workflow in this folder; two statements, three for somebody's
    manager.
    """
    members = members_of(tenant)
    try:
        full_params, remark = _with_manager(tenant, params)
        step = (
            deciders_of(members, {"id": "step", "params": full_params}, folder)
            if full_params is not None
            else None
        )
    except (ValidationError, AttributeError, TypeError):
        return DeciderForecast("Who may decide is shown once the problems below are fixed.", "in_run", None)
    if full_params is None:
        return DeciderForecast(f"Nobody can decide this: {remark}", "nobody", 0)
    if step is None:
        return DeciderForecast(_in_run(params), "in_run", None)
    count = len(step.eligible)
    if not count:
        return DeciderForecast(f"Nobody can decide this: {_why_nobody(step)}.", "nobody", 0)
    if needs_several(step.quorum) and not verdict(step.quorum, ["yes"], [], step.eligible).is_possible:
        return DeciderForecast(
            f"Nobody can decide this: it needs {_out_of_reach(members, step)}.", "nobody", count
        )
    if counts_people(step.quorum) and (
        missing := unable(named_by(tenant, step.candidates, step.excluded, lambda: folder), members)
    ):
        shortfall = f"{_listed(missing, 'and')} can’t decide"
        return DeciderForecast(
            f"Not enough can decide this: it needs {_needed(members, step)}, and {shortfall}.",
            "nobody",
            count,
        )
    sentences = [_words(members, step), remark, *_missing(members, step), _barred(step)]
    return DeciderForecast(" ".join(filter(None, sentences)), "enough", count)


def _with_manager(tenant: int, params: Mapping[str, Json]) -> tuple[Mapping[str, Json] | None, str]:
    """The params with somebody's manager by name, None where that leaves nobody; what is to be said where there is
    none. Who is known to a run only stays as it is written.
    """
    candidates = params.get("candidates")
    person = candidates.get("manager_of") if isinstance(candidates, dict) else None
    if not isinstance(candidates, dict) or not isinstance(person, str) or has_holes(person):
        return params, ""
    boss = people.manager_of(tenant, person)
    names = {name: value for name, value in candidates.items() if name != "manager_of"}
    if boss:
        names["users"] = [*(names.get("users") or ()), boss]
    remark = "" if boss else f"{person} has no manager."
    return ({**params, "candidates": names} if any(names.values()) else None), remark


def _in_run(params: Mapping[str, Json]) -> str:
    candidates = params.get("candidates")
    fields = {**candidates, "exclude": params.get("exclude")} if isinstance(candidates, dict) else {}
    holes = [
        f"the manager of {each}" if kind == "manager_of" else str(each)
        for kind, value in fields.items()
        for each in (value if isinstance(value, list) else [value])
        if has_holes(each) or (kind == "expr" and each)
    ]
    return f"{_IN_RUN}: {_listed(holes, 'and')}." if holes else f"{_IN_RUN}."


def _words(members: Sequence[Member], step: Deciders) -> str:
    if not needs_several(step.quorum):
        anybody = "" if len(step.eligible) == 1 else "Anybody of "
        return f"{anybody}{_pool(members, step)} may decide."
    by = " By majority." if step.quorum.get("rule") == "majority" else ""
    return f"Needs {_needed(members, step)}.{by}"


def _needed(members: Sequence[Member], step: Deciders) -> str:
    """`2 of Legal (5 people, 1 excluded) and 1 of Finance (3 people)`."""
    groups = step.quorum.get("groups")
    if groups:
        return _listed(
            [f"{count} of {name} ({_counted(*_of_group(step, name))})" for name, count in groups.items()],
            "and",
        )
    need = step.quorum["need"]
    if need == "all":
        return f"all of {_pool(members, step)}"
    if isinstance(need, str):
        state = verdict(step.quorum, ["yes"], [], step.eligible).state
        return f"{state['need']} ({need}) of {_pool(members, step)}"
    return f"{need} of {_pool(members, step)}"


def _out_of_reach(members: Sequence[Member], step: Deciders) -> str:
    if step.quorum.get("groups"):
        return f"{_needed(members, step)}, which is more than there are"
    return f"{step.quorum['need']} to agree, and only {_pool(members, step)} may"


def _of_group(step: Deciders, name: str) -> tuple[int, int]:
    """How many of a group may decide, and how many of it are excluded."""
    key = key_of(name)
    return sum(key in one.groups for one in step.eligible), sum(key in one.groups for one in step.barred)


def _counted(count: int, excluded_count: int) -> str:
    return f"{_people(count)}, {excluded_count} excluded" if excluded_count else _people(count)


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"


def _pool(members: Sequence[Member], step: Deciders) -> str:
    """Those who may decide: by name where the step names them, otherwise what they have in common, and how many."""
    candidates = {kind: names for kind, names in step.candidates.items() if names}
    count, excluded_count = len(step.eligible), len(step.barred)
    if candidates.keys() == {"users"} and count <= SUMMARY_PEOPLE:
        words = _listed(_named(members, step.eligible), "and")
        return f"{words} ({excluded_count} excluded)" if excluded_count else words
    if candidates.keys() == {"groups"} and len(candidates["groups"]) == 1:
        return f"{candidates['groups'][0]} ({_counted(count, excluded_count)})"
    if candidates.keys() == {"roles"} and len(candidates["roles"]) == 1:
        text = f"{count} {candidates['roles'][0] if count == 1 else _PLURALS[candidates['roles'][0]]}"
        return f"{text} ({excluded_count} excluded)" if excluded_count else text
    sources = [
        *candidates.get("groups", ()),
        *(_PLURALS[role] for role in candidates.get("roles", ())),
        *candidates.get("users", ()),
    ]
    text = f"{_people(count)}{' of ' + _listed(sources, 'and') if sources else ''}"
    return f"{text} ({excluded_count} excluded)" if excluded_count else text


def _named(members: Iterable[Member], electors: Iterable[Elector]) -> list[str]:
    keys = {one.key for one in electors}
    return [one.username for one in members if one.elector.key in keys]


def _missing(members: Iterable[Member], step: Deciders) -> list[str]:
    """Those who are named and can't decide: a name that is misspelt, or of a role that decides nothing."""
    keys = {one.elector.key for one in members}
    unknown = [name for name in step.candidates.get("users") or () if key_of(name) not in keys]
    verb = "decides" if len(unknown) == 1 else "decide"
    empty = [name for name in step.candidates.get("groups") or () if not any(_of_group(step, name))]
    sentences = [f"{_listed(unknown, 'and')} {verb} no tasks here."] if unknown else []
    return sentences + [f"{name} has no members who may decide." for name in empty]


def _why_nobody(step: Deciders) -> str:
    if step.barred:
        return "all whom it asks are excluded"
    candidates = step.candidates
    if candidates.get("groups") and not candidates.get("users") and not candidates.get("roles"):
        names = candidates["groups"]
        return f"{_listed(names, 'and')} {'has' if len(names) == 1 else 'have'} no members who may decide"
    if candidates.get("roles") and not candidates.get("users") and not candidates.get("groups"):
        return f"there are no {_listed([_PLURALS[role] for role in candidates['roles']], 'and no')}"
    everyone = [name for names in candidates.values() for name in names]
    nobody = "the folder lets nobody decide who may decide tasks"
    return f"{_listed(everyone, 'and')} may not decide tasks here" if everyone else nobody


def _barred(step: Deciders) -> str:
    if step.bars_requester and step.bars_deciders:
        return "Neither who started the run nor who decided another step of it may."
    if step.bars_requester:
        return "Who started the run may not."
    return "Who decided another step of the run may not." if step.bars_deciders else ""


def _listed(names: Sequence[str], last: str) -> str:
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
