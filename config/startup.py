"""What must be true before anything runs: a server that keeps its promises, and a schema that this code knows."""

import logging
import shlex
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from django.conf import settings
from django.core.management import call_command, get_commands
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config import belonging, dispatch_environment, environment, roles, start_environment
from integrations.broker.store import empty_outbox
from lib.loading import uncollected
from lib.messages import first_line
from lib.watchdog import meanwhile
from steps import outside
from steps.catalogue import PLUG_INS
from steps.plugins import sentences

log = logging.getLogger(__name__)

# Any number will do, as long as nobody else takes it: two homes on one database prepare it one after the other.
_PREPARE_LOCK = 0x48414E444F4646
_PREPARE_SECONDS = 0.2
_OLDEST_SERVER = 180_000
# docs/security.md, "Durability": what is accepted must survive a crash.
_PROMISES = {
    "fsync": {"on"},
    "full_page_writes": {"on"},
    "synchronous_commit": {"on", "remote_write", "remote_apply"},
    "transaction_isolation": {"read committed"},
    "server_encoding": {"UTF8"},
}
# Has every migration that the files of releases replace.
_LAST_BEFORE_RELEASE = "00612d11"
_FIRST_DATA = ("first_start", "load_examples")
_STILL_SECONDS = 15.0
_EVENTS = 10_000

Say = Callable[[str], None]


class NotStartable(Exception):
    """The message is one line: what is wrong with the servers, and what to do."""


def prepare(say: Say) -> None:
    """Check settings and servers, bring the schema up to date, make what the first start needs. Raises NotStartable.

    What takes long is told to `say` while it is done.
    """
    check_steps()
    for sentence in sentences(PLUG_INS):
        log.warning("%s", sentence)
    if slug := settings.HANDOFF_V1_OPEN_TENANT:
        log.warning(
            "HANDOFF_V1_OPEN_TENANT is set: whoever %s acts in the tenant %s by /v1/, without a token",
            "can reach the port" if settings.HANDOFF_V1_OPEN_ANYWHERE else "is on this machine",
            slug,
        )
    observes = start_environment.observes()
    if settings.HANDOFF_DISPATCH == dispatch_environment.HINTS and not observes:
        check_redis()
    try:
        # Asked as the role that works: what is set for it is what counts.
        problems = server_problems()
    except OperationalError as problem:
        raise NotStartable(_no_answer(problem, "DATABASE_URL")) from None
    if problems := problems or list(filter(None, [belonging.of_key()])):
        raise NotStartable(" ".join(problems))
    if observes:
        _check_observed()
        return
    role = str(connection.settings_dict["USER"])
    with roles.as_owner() as is_another:
        if is_another and not role:
            raise NotStartable(f"DATABASE_URL must name its user, since {roles.OWNER_URL} is set.")
        _prepare(role if is_another else None, say)
    if reason := belonging.of_key() or belonging.claim_payloads():
        raise NotStartable(reason)
    if complaint := roles.complaint():
        log.warning("One database role does everything: %s; %s", complaint, roles.ADVICE)


def _check_observed() -> None:
    """Raises NotStartable where there is nothing to be observed without changing it."""
    state = schema()
    if state.unknown or state.missing or state.pending:
        [name, *_] = [*state.unknown, *state.missing, *state.pending]
        raise NotStartable(
            f"{start_environment.VARIABLE}=observe changes nothing, and the database is of another version ({name}):"
            " start that version, or leave the variable out."
        )
    if reason := belonging.of_payloads():
        raise NotStartable(reason)


def _prepare(role: str | None, say: Say) -> None:
    """By the owner of the tables; `role` is the one that works with them, where that is another."""
    try:
        # Asked again and again: an index that is made concurrently waits for statements, also for one that waits.
        while not _has_prepare_lock():
            time.sleep(_PREPARE_SECONDS)
    except OperationalError as problem:
        raise NotStartable(_no_answer(problem, roles.OWNER_URL)) from None
    try:
        _bring_up_to_date(role, say)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_PREPARE_LOCK])


def _has_prepare_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_PREPARE_LOCK])
        [is_ours] = cursor.fetchone()
    return bool(is_ours)


def _no_answer(problem: OperationalError, variable: str) -> str:
    return f"The database does not answer ({first_line(problem)}): check {variable}."


def check_steps() -> None:
    """Raises NotStartable where the environment of the steps can't be meant: better now than in a run at night."""
    try:
        outside.check()
    except outside.BadSetting as problem:
        raise NotStartable(str(problem)) from None


def check_redis(seconds: float = 5.0) -> None:
    """Raises NotStartable where Redis does not answer: Celery workers would wait for it for ever."""
    if problem := import_module("config.redis_standing").complaint(seconds):
        raise NotStartable(f"Redis does not answer ({problem}): check REDIS_URL.")


def server_problems() -> list[str]:
    """What the database server would break of our promises, each with what to do; empty when all is well."""
    problems = []
    with connection.cursor() as cursor:
        for name, good in _PROMISES.items():
            cursor.execute("SELECT current_setting(%s)", [name])
            if (value := cursor.fetchone()[0]) not in good:
                problems.append(f"The database has {name}={value}: set it to {sorted(good)[0]}.")
        cursor.execute("SELECT pg_is_in_recovery(), current_setting('server_version_num')::int")
        in_recovery, version = cursor.fetchone()
    if in_recovery:
        problems.append("The database is a standby: point DATABASE_URL to the primary.")
    if version < _OLDEST_SERVER:
        problems.append(
            f"The database is PostgreSQL {version // 10_000}: Handoff needs {_OLDEST_SERVER // 10_000}."
        )
    return problems


@dataclass(frozen=True, slots=True)
class Schema:
    """Migrations by which the database and this code differ, as `app.name`.

    `unknown`: those of a later Handoff. `missing`: those from before a release, which no code is left to apply.
    `pending`: those that are to be applied.
    """

    unknown: list[str]
    missing: list[str]
    pending: list[str]


def schema() -> Schema:
    """How the database's schema differs from this code's."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    disk = loader.disk_migrations
    applied = set(MigrationRecorder(connection).applied_migrations())
    replaced = {key for migration in disk.values() for key in migration.replaces}
    begun = [one for one in disk.values() if not applied.isdisjoint(one.replaces)]
    # What is replaced was applied for it.
    done = applied | {(migration.app_label, migration.name) for migration in begun}
    return Schema(
        unknown=_names(applied - disk.keys() - replaced),
        missing=_names(key for migration in begun for key in migration.replaces if key not in applied),
        pending=_names(disk.keys() - done),
    )


def forget_events() -> None:
    """Where consumers hear of jobs by no broker, nobody is told of what is left in the outbox (R-171, R-172)."""
    if not settings.HANDOFF_BROKER:
        while empty_outbox(_EVENTS) >= _EVENTS:
            pass


def _names(keys: Iterable[tuple[str, str]]) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in keys)


def _by_that_commit() -> str:
    """How that commit is started once with this home. It was no package yet: whoever has a wheel needs a checkout."""
    once = f"HANDOFF_HOME={shlex.quote(str(environment.home()))} make"
    if environment.IS_CHECKOUT:
        return f"git worktree add ../before {_LAST_BEFORE_RELEASE}, {once} -C ../before up once"
    return f"in a checkout of Handoff, git checkout {_LAST_BEFORE_RELEASE}, {once} up once"


def _report_progress(say: Say, what: str, over: threading.Event) -> None:
    """Say every few seconds that it is not over: who starts us ends what is silent for too long."""
    began = time.monotonic()
    while not over.wait(_STILL_SECONDS):
        say(f"Still {what}, for {time.monotonic() - began:.0f} s now.")


def _bring_up_to_date(role: str | None, say: Say) -> None:
    state = schema()
    if state.unknown:
        raise NotStartable(
            f"The database was written by a later Handoff (it has {state.unknown[0]}, unknown to this version):"
            " start that version, or use another HANDOFF_HOME or DATABASE_URL."
        )
    if state.missing:
        raise NotStartable(
            f"The database was written by a Handoff between two releases (it lacks {state.missing[0]})."
            f" Nothing in it is lost: {_by_that_commit()}, then start this again."
        )
    if state.pending:
        # Django makes models anew for each change of one; to look for garbage meanwhile was a sixth of a first start.
        with meanwhile(partial(_report_progress, say, "migrating"), "progress"), uncollected():
            call_command("migrate", interactive=False, verbosity=0)
    if role is not None:
        roles.grant(role)
    forget_events()
    for command in _FIRST_DATA:
        if command in get_commands():
            call_command(command)
