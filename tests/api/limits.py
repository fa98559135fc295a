"""Who may come in by which door, with how much, how often: one table, which `docs/security.md` shows.

`python -m tests.api.limits` writes it there; `test_limits.py` finds a route, a socket, a call or a command that is in
no row.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

import django

from integrations.grpc.limits import ADDRESS_CALLS, PROCESS_STREAMS, STRANGERS_CALLS, TOKEN_STREAMS
from runs.limits import PROCESS_SOCKETS, TENANT_SOCKETS, USER_SOCKETS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if __name__ == "__main__":
    os.environ.setdefault("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    django.setup()

from django.conf import settings
from django.core.management import get_commands

from config.websockets import ROUTES
from integrations.grpc import jobs, runs
from integrations.grpc.calls import Do
from integrations.grpc.contract import JOBS, RUNS, WORKFLOW_ENGINE, methods
from tests import of_features
from tests.api.authorisation_matrix import MATRIX, PUBLIC
from tests.api.playing import POLLS
from tests.inbox.doors import DOC

BEGIN, END = "<!-- limits: begin, written by `python -m tests.api.limits` -->", "<!-- limits: end -->"
OURS: Final = ("accounts", "config", "integrations", "runs", "tasks_inbox", "workflows")
HEAD = ("door", "who may", "how much", "how often", "routes")
MIB = 1024 * 1024
BODY = f"bodies of {settings.HANDOFF_MAX_BODY_BYTES // MIB} MiB"
FORM = f"forms of {settings.HANDOFF_MAX_FORM_BYTES // MIB} MiB"
NOTHING = "no body"
LIMITED = "requests"
GUESSES = "requests; after 5 failures of a name at a place a pause of 1, 2, 4… s"

MUCH: Final[Mapping[str, str]] = {
    "api-run-evidence": "60 s of computing",
    "api-files": FORM,
    "api-task-files": FORM,
}
"""Routes with limits of their own of what they take."""
OFTEN: Final[Mapping[str, str]] = {
    **of_features.table("routes", "OFTEN"),
    "api-jobs-poll": POLLS,
    **dict.fromkeys(("login", "password-forgotten", "settings-password"), GUESSES),
}
"""Routes with limits of their own of how often they are asked."""
WHOSE: Final[Mapping[str, str]] = {
    **of_features.table("routes", "WHOSE"),
    "metrics": "`HANDOFF_METRICS_TOKEN`",
    "file-link": "the holder of a link that a job names, for an hour",
    "inbox-open": "the holder of a link of a mail, after login",
}
"""Public routes that ask for something else than a login."""


def rows() -> list[tuple[str, ...]]:
    """The table, without its head."""
    return [*_of_http(), *_of_sockets(), *_of_grpc(), *_of_commands()]


def _of_http() -> Iterator[tuple[str, ...]]:
    groups: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, route in MATRIX.items():
        for method, scope in route.methods.items():
            much = MUCH.get(name) or (NOTHING if method in ("GET", "DELETE") else _body(route.path))
            who = WHOSE.get(name) or ("anybody" if scope == PUBLIC else f"`{scope}`")
            often = OFTEN.get(name, LIMITED) if method == "POST" else LIMITED
            groups[_door(route.path), who, much, often][name].append(method)
    for group in sorted(groups):
        names = ", ".join(f"{name} {'/'.join(verbs)}" for name, verbs in groups[group].items())
        yield (*group, names)


def _door(path: str) -> str:
    doors = {"/api/": "REST", "/v1/": "`/v1/`", "/hooks/": "webhooks"}
    return next((door for prefix, door in doors.items() if path.startswith(prefix)), "pages")


def _body(path: str) -> str:
    return FORM if _door(path) == "pages" else BODY


def _of_sockets() -> Iterator[tuple[str, ...]]:
    of_user, of_tenant, of_all = USER_SOCKETS, TENANT_SOCKETS, PROCESS_SOCKETS
    many = f"{of_user} open of a user, {of_tenant} of a tenant, {of_all} of a process"
    names = ", ".join(str(route.name) for route in ROUTES)
    yield "websockets", "a session, of our own origin", "messages of 1 KiB", many, names


def _of_grpc() -> Iterator[tuple[str, ...]]:
    streams = f"{TOKEN_STREAMS} streams of a token, {PROCESS_STREAMS} of a process"
    calls: dict[str, list[str]] = defaultdict(list)
    for name, (scope, _) in scoped_calls().items():
        calls[scope].append(name)
    for scope, names in sorted(calls.items()):
        yield "gRPC", f"`{scope}`", BODY, LIMITED, ", ".join(names)
    yield "gRPC", "`jobs:work`", BODY, streams, "StreamJobs"
    yield "gRPC", "`runs:read`", BODY, streams, "WatchRun"
    engine = ", ".join(methods(WORKFLOW_ENGINE))
    yield "gRPC", "as [the rochallor API](rochallor-api.md)", BODY, LIMITED, engine
    few = f"{ADDRESS_CALLS} calls at once of an address, {STRANGERS_CALLS} of all without a verified token"
    yield "gRPC", "anybody", "64 services", few, "health, reflection (off by default)"


def scoped_calls() -> dict[str, tuple[str, Do]]:
    """The calls of `handoff.v1` with one answer, each with its scope."""
    return {**{name: ("jobs:work", do) for name, do in jobs.CALLS.items()}, **runs.CALLS}


def all_calls() -> set[str]:
    """The names of all calls of the contracts."""
    return {name for service in (JOBS, RUNS, WORKFLOW_ENGINE) for name in methods(service)}


def commands() -> list[str]:
    """The commands that are ours."""
    return sorted(name for name, app in get_commands().items() if app in OURS)


def _of_commands() -> Iterator[tuple[str, ...]]:
    yield "commands", "who has an account on the machine and its home", "–", "–", ", ".join(commands())


def table() -> str:
    """The table in Markdown."""
    lines = [HEAD, ("---",) * len(HEAD), *rows()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def documented() -> str:
    """What the documentation has."""
    return DOC.read_text().split(BEGIN)[1].split(END)[0].strip()


def main() -> None:
    """Write the table into the documentation."""
    text = DOC.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    DOC.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}")


if __name__ == "__main__":
    main()
