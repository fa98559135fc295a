"""Links to files that work for an hour without a login: a worker gets them with its job."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

from django.core import signing
from django.urls import reverse

from lib.json import Json
from runs.files import store
from runs.files.limits import LINK_SECONDS, NAMED_FILES, SEARCHED_VALUES
from runs.files.store import FileRow
from runs.files.trees import files_of_trees, is_id

_SALT = "runs.files.links"


class JobFile(TypedDict):
    """A file as a job names it; `url` is a path below the address of the server."""

    id: str
    name: str
    media_type: str
    size: int
    sha256: str
    url: str


class Linked(NamedTuple):
    """What a link stands for."""

    tenant: int
    run_id: str
    file_id: str


def link(tenant: int, run_id: str, file_id: str) -> str:
    """The path of a file, which whoever has it may read for an hour."""
    token = signing.dumps([tenant, run_id, file_id], salt=_SALT)
    return f"{reverse('file-link', args=[file_id])}?token={token}"


def linked(file_id: str, token: str) -> Linked | None:
    """What the token of a link stands for; None where it is too old, changed, or that of another file."""
    try:
        tenant, run_id, own_file = signing.loads(token, salt=_SALT, max_age=LINK_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Linked(tenant, run_id, own_file) if own_file == file_id else None


class NamedBy(NamedTuple):
    """A run, and the values of one of its jobs."""

    run: str
    values: Sequence[Json]


def files_of_jobs(tenant: int, jobs: Mapping[str, NamedBy]) -> dict[str, list[JobFile]]:
    """By job the files of the tree of its run that its values name; a constant number of statements."""
    ids = {job: [*dict.fromkeys(_ids_in(one.values))][:NAMED_FILES] for job, one in jobs.items()}
    every = {one for job_ids in ids.values() for one in job_ids}
    if not every:
        return {}
    trees = store.trees_of(tenant, {jobs[job].run for job, job_ids in ids.items() if job_ids})
    rows = files_of_trees(tenant, set(trees.values()), every)
    return {
        job: [
            _job_file(tenant, one.run, row)
            for id_ in ids[job]
            if (row := rows.get((trees.get(one.run, ""), id_))) is not None
        ]
        for job, one in jobs.items()
    }


def _job_file(tenant: int, run: str, row: FileRow) -> JobFile:
    return {
        "id": row["id"],
        "name": row["name"],
        "media_type": row["media_type"],
        "size": row["size"],
        "sha256": row["sha256"],
        "url": link(tenant, run, row["id"]),
    }


def _ids_in(values: Sequence[Json]) -> Iterator[str]:
    """The texts in these values that may be ids of files."""
    rest, count = [*reversed(values)], 0
    while rest and count < SEARCHED_VALUES:
        value, count = rest.pop(), count + 1
        if isinstance(value, Mapping):
            rest += reversed([*value.values()])
        elif isinstance(value, list):
            rest += reversed(value)
        elif is_id(value):
            yield value
