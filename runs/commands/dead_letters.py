"""Dead letters: steps that failed their runs for good, until somebody redrives or discards them (R-085 to R-087)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import OPERATE
from engine.statuses import RUN_ENDED
from engine.verbs import why_not
from lib.refusals import Invalid
from runs.access import readable_letters
from runs.commands import lifecycle, operators
from runs.kernel.refused import RunRefused, below_paused
from runs.kernel.unit_of_work import changing
from runs.kernel.wait_kinds import moment
from runs.limits import REDRIVEN_STEPS
from runs.models import DeadLetter, Run
from runs.reading import queries
from runs.reading.letters import found
from runs.store import hot


@dataclass(frozen=True, slots=True)
class Redriven:
    """What became of letters: the ids of those with which it was done, and why it was not with others."""

    done: list[str]
    refused: Mapping[str, RunRefused]


def redrive(who: Principal, letters: Iterable[DeadLetter], *, reason: str = "") -> Redriven:
    """Let the runs of these letters of the tenant go on, each in a transaction of its own.

    A letter of a compensation tries that again, and one of a step that asks an operator that step. Else one run is
    resumed once, however many of its letters are named; in one that goes on beside a failure what failed is done again.
    """
    done: list[str] = []
    refused: dict[str, RunRefused] = {}
    resumed: set[UUID] = set()
    also: set[UUID] = set()
    letters = list(letters)
    steps = [letter.step_id for letter in letters]
    undone, asking = queries.undone_by(who.tenant_id, steps), queries.asking(who.tenant_id, steps)
    # A resumed run is another one for steps of it that ask.
    for letter in sorted(letters, key=lambda letter: letter.step_id not in asking):
        try:
            if letter.resolution is not None:
                raise _resolved(letter)
            if letter.step_id in undone:
                _redrive_open(who, letter, reason, _undo_again)
            elif letter.step_id in asking:
                _retry_step(who, letter, reason)
            elif letter.run_id not in resumed:
                also |= _redrive_open(who, letter, reason, _resume)
                resumed.add(letter.run_id)
            elif letter.pk not in also:
                raise _resolved(letter)
            done.append(str(letter.id))
        except RunRefused as why:
            refused[str(letter.id)] = why
    return Redriven(done, _explained(who, refused))


def _explained(who: Principal, refused: Mapping[str, RunRefused]) -> Mapping[str, RunRefused]:
    """The refusals; those of letters that were resolved meanwhile say how and by whom, in one statement."""
    if not refused:
        return refused
    rows = queries.dead_letters_of(who.tenant_id).filter(pk__in=list(refused)).exclude(resolution=None)
    return {**refused, **{str(one.pk): _resolved(one) for one in rows.select_related("resolved_by")}}


def check_redrive(who: Principal, letter: DeadLetter) -> None:
    """Let pass an open letter whose step could be done again now. Changes nothing; raises RunRefused."""
    check_open(who, letter)
    if queries.undone_by(who.tenant_id, [letter.step_id]) or queries.asking(who.tenant_id, [letter.step_id]):
        return
    run = str(letter.run_id)
    status = Run.objects.for_tenant(who.tenant_id).values_list("status", flat=True).get(pk=run)
    why = why_not(status, "resume") if status == "FAILED" or status in RUN_ENDED else None
    if (why := why or below_paused([run], "resume").get(run)) is not None:
        raise RunRefused(why.code, why.sentence)


def check_open(who: Principal, letter: DeadLetter) -> None:
    """Let pass a letter that is not resolved yet. Raises RunRefused, which says how it was and by whom."""
    if letter.resolution is not None:
        refusal = _resolved(letter)
        raise _explained(who, {str(letter.pk): refusal})[str(letter.pk)]


def _redrive_open(
    who: Principal, letter: DeadLetter, reason: str, does: Callable[[Principal, DeadLetter, str], None]
) -> set[UUID]:
    """Do this with a letter that nobody resolves meanwhile; gives the letters that it may resolve. Raises RunRefused
    where somebody has.
    """
    with transaction.atomic():
        # The run first, as everybody locks it before its letters; then those that are resolved, in their order.
        hot.lock_heavy([str(letter.run_id)])
        letters = queries.dead_letters_of(who.tenant_id).filter(run_id=letter.run_id, resolution=None)
        if does is not _resume:
            letters = letters.filter(pk=letter.pk)
        ids = set(letters.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
        if letter.pk not in ids:
            raise _resolved(letter)
        does(who, letter, reason)
        _name_redriver(who, ids, reason)
        return ids


def _name_redriver(who: Principal, letters: Collection[UUID], reason: str) -> None:
    rows = queries.dead_letters_of(who.tenant_id).filter(
        pk__in=letters, resolution="redriven", resolved_by=None
    )
    rows.update(resolved_by=who.user_id, reason=reason)


def _resume(who: Principal, letter: DeadLetter, reason: str) -> None:
    lifecycle.redo_failed(who.tenant_id, [str(letter.run_id)], by=who.username, reason=reason)


def _undo_again(who: Principal, letter: DeadLetter, reason: str) -> None:
    terms = {"by": who.username, "reason": reason, "via": who.via}
    run = str(letter.run_id)
    lifecycle.resolve_compensation(who.tenant_id, run, letter.step_id, "retry", way="dead letter", **terms)


def _retry_step(who: Principal, letter: DeadLetter, reason: str) -> None:
    run = str(letter.run_id)
    operators.retry_step(
        who.tenant_id, run, letter.node, by=who.username, reason=reason, via=who.via, if_asking=True
    )
    _name_redriver(who, [letter.pk], reason)


def discard(who: Principal, letters: Iterable[DeadLetter], *, reason: str = "") -> list[str]:
    """Say of open letters that somebody has seen to them, of all or of none; gives the ids of those that were open.

    Their runs stay as they are, but where a step asks what becomes of its failure: left as it is, it fails its run.
    """
    letters = list(letters)
    ids = [str(letter.id) for letter in letters]
    steps = queries.asking(who.tenant_id, [letter.step_id for letter in letters if letter.resolution is None])
    asking = [letter for letter in letters if letter.step_id in steps]
    # The runs first, as everybody locks them before their letters.
    with changing(who.tenant_id, {str(letter.run_id) for letter in asking}) as change:
        for letter in asking:
            operators.leave(change, str(letter.run_id), letter.node)
        return hot.discard_letters(tenant=who.tenant_id, letters=ids, by=who.user_id, reason=reason)


def discard_each(who: Principal, letters: Sequence[DeadLetter], *, reason: str = "") -> Redriven:
    """As `discard`, and say of those that were resolved already that they were."""
    done = discard(who, letters, reason=reason)
    done_ids = set(done)
    others = {str(letter.id): _resolved(letter) for letter in letters if str(letter.id) not in done_ids}
    return Redriven(done, _explained(who, others))


def _resolved(letter: DeadLetter) -> RunRefused:
    how = letter.resolution or "resolved"
    by = f" by {letter.resolved_by.username}" if letter.resolved_by else ""
    at = f", {moment(letter.resolved_at.isoformat())}" if letter.resolved_at else ""
    return RunRefused("resolved", f"This dead letter was already {how}{by}{at}.", conflict=True)


@dataclass(frozen=True, slots=True)
class Selection:
    """Letters to redrive or discard; `left`: how many more fit, beyond what is done at once; `unknown`: named, and
    not there.
    """

    letters: list[DeadLetter]
    left: int = 0
    unknown: Sequence[UUID] = ()


def matching(
    who: Principal,
    *,
    ids: Iterable[UUID] | None = None,
    workflow: str | None = None,
    node: str | None = None,
    code: str | None = None,
    query: str = "",
) -> Selection:
    """The open letters that fit of runs that they may operate, oldest first, at most a
    thousand; those that `ids` names also if resolved.

    Raises Invalid for more than a thousand `ids`, and for a `query` that can't be read.
    """
    if ids is not None:
        rows = operable_letters(who)
        wanted_ids = list(dict.fromkeys(ids))
        if len(wanted_ids) > REDRIVEN_STEPS:
            raise Invalid(f"At most {REDRIVEN_STEPS:,} are taken at once.", field="ids")
        letters_named = list(rows.filter(pk__in=wanted_ids))
        known_ids = {letter.pk for letter in letters_named}
        return Selection(letters_named, unknown=[id_ for id_ in wanted_ids if id_ not in known_ids])
    rows = open_letters(who, workflow=workflow, node=node, code=code, query=query)
    letters = list(rows[:REDRIVEN_STEPS])
    return Selection(letters, left=rows.count() - len(letters) if len(letters) == REDRIVEN_STEPS else 0)


def operable_letters(who: Principal) -> QuerySet[DeadLetter]:
    """All dead letters of runs that they may operate, oldest first."""
    return readable_letters(queries.dead_letters_of(who.tenant_id), who, OPERATE).order_by("id")


def open_letters(
    who: Principal,
    *,
    workflow: str | None = None,
    node: str | None = None,
    code: str | None = None,
    query: str = "",
) -> QuerySet[DeadLetter]:
    """All open letters that fit of runs that they may operate, oldest first. Raises Invalid for a `query` that can't be
    read.
    """
    rows = operable_letters(who).filter(resolution=None)
    if workflow is not None:
        rows = rows.filter(run_id__in=queries.runs_of(who.tenant_id, workflow=workflow).values("pk"))
    if node is not None:
        rows = rows.filter(node=node)
    if code is not None:
        rows = rows.filter(error__code=code)
    return found(who.tenant_id, rows, query)
