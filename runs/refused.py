"""What is refused that somebody asked of a run, and how runs are had for what isn't."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from psycopg.errors import UniqueViolation

from runs import store
from runs.claimed import Locked
from runs.models import Run


class RunRefused(Exception):
    """The verb can't be carried out: `code` and `message` say why, `field` where; `conflict`: the state forbids it."""

    def __init__(self, code: str, message: str, *, field: str | None = None, conflict: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.conflict = conflict


@contextmanager
def refusing() -> Iterator[None]:
    """Refuse what can't be written in one transaction, with all that starts by it at once."""
    try:
        yield
    except store.Unstorable as error:
        raise RunRefused("too_large", f"This can't be done in one go: {error}.", field="input") from error
    except UniqueViolation as error:
        if error.diag.constraint_name != "runs_run_pkey":
            raise
        raise RunRefused("started_already", "This run was started already.", conflict=True) from error


def had_alone(tenant: int, runs: Iterable[str]) -> dict[str, Locked]:
    """The tenant's runs, locked FOR UPDATE. Raises RunRefused for another tenant's."""
    wanted = set(runs)
    own = {
        str(run) for run in Run.objects.for_tenant(tenant).filter(pk__in=wanted).values_list("pk", flat=True)
    }
    if own != wanted:
        raise RunRefused("unknown_run", "There is no such run.")
    return store.lock_heavy(wanted)
