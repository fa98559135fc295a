"""What is refused that somebody asked of a run, and how runs are had for what isn't."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from psycopg.errors import UniqueViolation

from engine.overrides import DoesNotFit
from engine.verbs import STARTS_WORK, Why, why_below_paused, why_not
from lib.api.errors import dotted
from lib.refusals import Conflict, Invalid, Refusal, TooLarge
from lib.strict_json import BadJson, JsonTooLarge, strict_dumps
from runs.kernel.graphs import BrokenVersion
from runs.models import Run
from runs.store import hot, undo_entries
from runs.store.attempts import LockedRun
from workflows import queries

TOO_LARGE = "too_large"


class RunRefused(Exception):
    """The verb can't be carried out: `code` and `message` say why, `field` where; `conflict`: the state forbids it.

    `details` is small JSON that programs are told beside that.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        conflict: bool = False,
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.conflict = conflict
        self.details = dict(details or {})

    def as_refusal(self, otherwise: type[Refusal] = Invalid) -> Refusal:
        """The same for doors that answer in the API's envelope; `otherwise`: what is no conflict and not too large."""
        kind = Conflict if self.conflict else TooLarge if self.code == TOO_LARGE else otherwise
        return kind(self.message, code=self.code, field=self.field, details=self.details)


def storable(value: object, field: str, *, max_bytes: int) -> bytes:
    """The strict JSON of what somebody gives as `field`.

    Raises RunRefused naming it: what could not be stored later is refused at the door.
    """
    try:
        return strict_dumps(value, max_bytes=max_bytes)
    except JsonTooLarge:
        message = f"This is larger than the {max_bytes:,} bytes of JSON that are allowed here."
        raise RunRefused(TOO_LARGE, message, field=field) from None
    except BadJson as error:
        place = dotted(error.pointer) or ""
        path = f"{field}{place}" if place.startswith("[") else ".".join(filter(None, (field, place)))
        raise RunRefused("bad_json", f"This can't be stored: {error.message}.", field=path) from None


@contextmanager
def refusing() -> Iterator[None]:
    """Refuse what can't be written in one transaction, with all that starts by it at once."""
    try:
        yield
    except hot.Unstorable as error:
        raise RunRefused(TOO_LARGE, f"This can't be done in one go: {error}.", field="input") from error
    except UniqueViolation as error:
        if error.diag.constraint_name != "runs_run_pkey":
            raise
        raise RunRefused("started_already", "This run has already started.", conflict=True) from error


@contextmanager
def fitting() -> Iterator[None]:
    """Refuse what can't be done with a version: it doesn't compile here, or what is kept doesn't fit it."""
    try:
        yield
    except BrokenVersion as error:
        raise RunRefused("broken_version", str(error), conflict=True) from error
    except DoesNotFit as error:
        raise RunRefused("does_not_fit", error.message, conflict=True) from error


def lock_runs(tenant: int, runs: Iterable[str]) -> dict[str, LockedRun]:
    """The tenant's runs, locked FOR UPDATE. Raises RunRefused for another tenant's."""
    ids = set(runs)
    own = {str(run) for run in Run.objects.for_tenant(tenant).filter(pk__in=ids).values_list("pk", flat=True)}
    if own != ids:
        raise RunRefused("unknown_run", "There is no such run.")
    return hot.lock_heavy(ids)


def refuse_parts(tenant: int, runs: Iterable[str]) -> None:
    """Raises RunRefused for a run that does the steps of an item: its version has no number, and nobody waits for it
    again but the run that has the item.
    """
    if Run.objects.for_tenant(tenant).filter(pk__in=list(runs), is_part=True).exists():
        message = "This run does the steps of an item of another run: do it to that run instead."
        raise RunRefused("is_part", message, conflict=True)


def refuse_withdrawn(tenant: int, version: int) -> None:
    """Raises RunRefused for a version (its id) with which no run starts or goes on any more."""
    try:
        queries.refuse_withdrawn(tenant, version)
    except Conflict as refusal:
        raise RunRefused(
            refusal.code, refusal.message, field=refusal.field, conflict=True, details=refusal.details
        ) from refusal


def require_verb(locked: Mapping[str, LockedRun], verb: str) -> None:
    """Raises RunRefused unless people may do this to all of these runs, as `engine.verbs` has it."""
    for run in locked.values():
        if why := why_not(run.status, verb):
            raise RunRefused(why.code, why.sentence, conflict=True)


def require_unpaused_above(locked: Mapping[str, LockedRun], verb: str) -> None:
    """Raises RunRefused where a run is paused above one of these runs, which are held, and `verb` would start work.

    Should one be paused at this moment, its message comes behind this and pauses them.
    """
    for why in below_paused([run for run, row in locked.items() if row.tree], verb).values():
        raise RunRefused(why.code, why.sentence, conflict=True)


def below_paused(runs: Sequence[str], verb: str) -> dict[str, Why]:
    """Those of these runs above which one is paused, and why `verb` is refused for them."""
    above = undo_entries.standing_above(runs) if runs and verb in STARTS_WORK else {}
    return {run: why for run, one in above.items() if (why := why_below_paused(one.paused, verb))}
