"""The queues and folders that a token is limited to: read from what people choose, and shown."""

from collections.abc import Collection, Iterable

from accounts.folders import folders_of
from accounts.limits import QUEUE_CHARACTERS, TOKEN_FOLDERS, TOKEN_QUEUES
from accounts.models import ApiToken, Folder
from accounts.names import key_of
from accounts.principal import EVERY_JOB, Forbidden, JobReach, Principal
from accounts.roles import JOBS_WORK, SCOPES_OF_ROLE, VERBS
from lib.refusals import Invalid

EVERY = "*"
_BEYOND = "The token may not reach folders that yours does not reach."


def chosen(
    principal: Principal, queues: Iterable[str] | None, folders: Iterable[str] | None, *, takes_jobs: bool
) -> JobReach:
    """The limits of a new token, never beyond those of who asks; None: not chosen.

    Raises Invalid for what is no queue or no folder of theirs, and where nothing is chosen for a token that takes jobs;
    Forbidden for more than they have.
    """
    # Who takes none is refused the role.
    takes_jobs = takes_jobs and JOBS_WORK in principal.scopes
    if takes_jobs and queues is None and folders is None and principal.jobs == EVERY_JOB:
        message = 'Choose the queues and folders whose jobs it may take; "*" stands for all of them.'
        raise Invalid(message, code="required", field="queues")
    if takes_jobs and queues is None and principal.jobs.queues is None:
        queues = [EVERY]
    return within(
        principal,
        JobReach(
            None if queues is None else queues_written(queues),
            None if folders is None else folders_named(principal, folders),
        ),
    )


def within(principal: Principal, jobs: JobReach) -> JobReach:
    """These limits, and those of who asks where there are none. Raises Forbidden for more than they have."""
    own = principal.jobs
    queues = own.queues if jobs.queues is None else jobs.queues
    folders = own.folders if jobs.folders is None else jobs.folders
    if not all(own.takes(queue) for queue in queues or ()):
        raise Forbidden("The token may not take jobs of queues that yours does not take.", field="queues")
    if own.folders is not None and not {*(folders or ())} <= {*own.folders}:
        raise Forbidden(_BEYOND, field="folders")
    return JobReach(queues, folders)


def queues_written(queues: Iterable[str]) -> tuple[str, ...]:
    """Queues as they are kept, each once. Raises Invalid for what is none, or too many of them."""
    names = tuple(dict.fromkeys(queue.strip() for queue in queues))
    if not 0 < len(names) <= TOKEN_QUEUES:
        raise Invalid(f"Name 1 to {TOKEN_QUEUES} queues, or * for all.", field="queues")
    for place, name in enumerate(names):
        stem = name.removesuffix(EVERY)
        if not name or len(stem) > QUEUE_CHARACTERS or EVERY in stem or not name.isprintable():
            message = f"{name[:QUEUE_CHARACTERS]!r} is not a queue; a * may stand at the end only."
            raise Invalid(message, field=f"queues[{place}]")
    return (EVERY,) if EVERY in names else names


def folders_named(principal: Principal, folders: Iterable[str]) -> tuple[int, ...] | None:
    """The ids of these folders; None for `*`. Raises Invalid for one that they don't know of, Forbidden for `*` of a
    token that is limited itself.
    """
    names = list(dict.fromkeys(name.replace("\x00", "").strip() for name in folders))
    if not 0 < len(names) <= TOKEN_FOLDERS:
        raise Invalid(f"Name 1 to {TOKEN_FOLDERS} folders, or * for all.", field="folders")
    if EVERY in names and principal.jobs.folders is not None:
        raise Forbidden(_BEYOND, field="folders")
    if EVERY in names:
        return None
    ids = {folder.key: folder.pk for folder in _known(principal)}
    for place, name in enumerate(names):
        if key_of(name) not in ids:
            raise Invalid(f"There is no folder {name[:150]}.", code="no_folder", field=f"folders[{place}]")
    return tuple(dict.fromkeys(ids[key_of(name)] for name in names))


def names_known(principal: Principal) -> list[str]:
    """The names of the folders that they may choose."""
    return [folder.name for folder in _known(principal)]


def _known(principal: Principal) -> list[Folder]:
    rows, known = folders_of(principal.tenant_id), principal.reach.folders(*VERBS)
    return list((rows if known is None else rows.filter(pk__in=known)).order_by("key"))


def takes_jobs(role: str, scopes: Collection[str] | None) -> bool:
    """Whether a token of this role, with these scopes of it (None: all), takes jobs."""
    return JOBS_WORK in SCOPES_OF_ROLE.get(role, ()) and (scopes is None or JOBS_WORK in scopes)


def shown(tokens: Collection[ApiToken]) -> list[dict[str, object]]:
    """Of each token its queues and the names of its folders now; null where nobody has chosen, which is all of them.

    A folder that was deleted has no name and opens nothing.
    """
    ids = {folder for token in tokens for folder in token.folders or ()}
    tenants = {token.tenant_id for token in tokens}
    names: dict[int, str] = {}
    for tenant in tenants if ids else ():
        names |= dict(folders_of(tenant).filter(pk__in=ids).values_list("pk", "name"))
    return [
        {
            "takes_jobs": takes_jobs(token.role, token.scopes),
            "queues": token.queues,
            "folders": (
                (None if token.queues is None else [EVERY])
                if token.folders is None
                else [names[folder] for folder in token.folders if folder in names]
            ),
        }
        for token in tokens
    ]
