"""One verb for many runs at once: each is asked for by itself, and what became of each is told."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Protocol
from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import OPERATE, READ, RUNS_OPERATE
from engine.catalogue import Json
from engine.statuses import RunStatus
from engine.verbs import run_verbs, why_not
from lib.refusals import Invalid, Refusal
from runs.access import readable_runs
from runs.commands import lifecycle
from runs.kernel.refused import RunRefused, below_paused
from runs.limits import BULK_RUNS
from runs.models import Run
from runs.reading import queries
from workflows.models import Workflow

TOGETHER = 50
"""So many are changed in one transaction."""


class _Verb(Protocol):
    def __call__(self, tenant: int, runs: Iterable[str], *, by: str, reason: str = "") -> None: ...


VERBS: Mapping[str, _Verb] = {
    "cancel": lifecycle.cancel_runs,
    "pause": lifecycle.pause_runs,
    "unpause": lifecycle.unpause_runs,
    "resume": lifecycle.resume_runs,
}


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a verb is refused for a run: a code for programs, a sentence for people."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Sorted:
    """Runs for which a verb is allowed, or was done, in their order, and why it isn't, or wasn't, for others."""

    done: Sequence[str]
    refused: Mapping[str, Refused]


def review(who: Principal, runs: Iterable[UUID | str], verb: str) -> Sorted:
    """For which of these runs they could do this now, and why not for the others; changes nothing.

    Raises Forbidden for who operates no runs at all, Invalid for a verb that there is not and for too many runs.
    """
    _check(who, verb)
    ids = list(dict.fromkeys(str(run) for run in runs))
    if len(ids) > BULK_RUNS:
        raise Invalid(f"At most {BULK_RUNS:,} runs are accepted at once.", code="too_many", field="ids")
    queryset = Run.objects.for_tenant(who.tenant_id).filter(pk__in=ids)
    rows = {str(run): (status, of) for run, status, of in queryset.values_list("pk", "status", "workflow_id")}
    workflows = Workflow.objects.for_tenant(who.tenant_id).filter(pk__in={of for _, of in rows.values()})
    folders = dict(workflows.values_list("pk", "folder_id"))
    able, refused = [], {}
    for run in ids:
        status, of = rows.get(run, ("", None))
        if (why := _why_not(who, folders.get(of or 0), status, verb)) is None:
            able.append(run)
        else:
            refused[run] = why
    for run, below in below_paused(able, verb).items():
        refused[run] = Refused(below.code, below.sentence)
    return Sorted([run for run in able if run not in refused], refused)


def _check(who: Principal, verb: str) -> None:
    who.require(RUNS_OPERATE)
    if verb not in VERBS:
        raise Invalid(f"This must be one of {', '.join(VERBS)}.", code="unknown_verb", field="verb")


def newest_able(who: Principal, verb: str, **filters: Json) -> list[str]:
    """The newest runs that fit (`queries.runs_of`), that they may operate and with which this can be done.

    Up to one more than are taken at once: what was done with the first ones, it can be done with no more.
    """
    return [str(run) for run in all_able(who, verb, **filters)[: BULK_RUNS + 1]]


def all_able(who: Principal, verb: str, **filters: Json) -> QuerySet[Run, UUID]:
    """The ids of all runs that fit, that they may operate and with which this can be done, the newest first.

    Raises Forbidden and Invalid as `review`.
    """
    _check(who, verb)
    return all_in(who, [status for status in RunStatus if verb in run_verbs(status)], **filters)


def all_in(who: Principal, statuses: Iterable[str], /, **filters: Json) -> QuerySet[Run, UUID]:
    """The ids of all runs of these statuses that fit and that they may operate, the newest first. Raises Forbidden."""
    who.require(RUNS_OPERATE)
    rows = queries.runs_of(who.tenant_id, **filters, within=readable_runs(who, OPERATE))
    return rows.filter(status__in=list(statuses)).order_by("-id").values_list("pk", flat=True)


def _why_not(who: Principal, folder: int | None, status: str, verb: str) -> Refused | None:
    if folder is None or not who.reach.holds(READ, folder):
        return Refused("missing", "There is no such run.")
    if not who.reach.holds(OPERATE, folder):
        return Refused("forbidden", "You may read this run, not operate it.")
    why = why_not(status, verb)
    return None if why is None else Refused(why.code, why.sentence)


def act(
    who: Principal, runs: Iterable[UUID | str], verb: str, *, reason: str = "", compensate: bool = False
) -> Sorted:
    """Do this to those of the runs that allow it, some in one transaction; what one refuses keeps no other from it.

    `compensate`: what a cancelled run has done is undone. Raises as `review`.
    """
    reviewed = review(who, runs, verb)
    does = doing(verb, compensate=compensate)
    done: list[str] = []
    refused = dict(reviewed.refused)
    for part in _parts(reviewed.done):
        try:
            does(who.tenant_id, part, by=who.username, reason=reason)
            done += part
        except (RunRefused, Refusal):
            # One of them has moved on meanwhile, and with it none was changed.
            for run in part:
                try:
                    does(who.tenant_id, [run], by=who.username, reason=reason)
                    done.append(run)
                except (RunRefused, Refusal) as why:
                    refused[run] = Refused(why.code, why.message)
    return Sorted(done, refused)


def doing(verb: str, *, compensate: bool = False) -> _Verb:
    """What a verb does with runs; `compensate`: what a cancelled one has done is undone."""
    return partial(lifecycle.cancel_runs, compensate=compensate) if verb == "cancel" else VERBS[verb]


def _parts(runs: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(runs)
    while part := list(islice(rest, TOGETHER)):
        yield part
