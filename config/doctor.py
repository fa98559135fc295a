"""`manage.py doctor`: what is good, doubtful or wrong here, each with what to do; works when nothing runs, too."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from accounts.sealed import locked_tenants
from config import belonging, environment, grpc_environment, people_findings, roles, start_environment
from config import hint_findings as hints
from config.command_line import release
from config.database import patience
from config.embedded import postgres, redis
from config.embedded.processes import EmbeddedError, can_leave_root, is_alive
from config.health import readiness
from config.history_findings import of_history
from config.host import Finding, disk, first_that_exists, memory
from config.startup import (
    NotStartable,
    check_steps,
    schema,
    server_problems,
)
from config.supervisor.home import Home
from lib import tracing
from lib.messages import first_line
from lib.sealing import CannotOpen
from runs.reading import carried_runs, queries
from runs.reading.readiness import Standing
from runs.store import payloads
from steps import outside
from steps.catalogue import PLUG_INS
from steps.plugins import sentences
from tasks_inbox.mail import outbox

_OLDEST_PYTHON, _LATEST_PYTHON = (3, 11), (3, 14)
# A server that hangs must not make the doctor hang, too.
_ANSWER_SECONDS, _SCHEMA_SECONDS = 2.0, 10.0
_UP = environment.command("up")


def examine() -> Iterator[Finding]:
    """Every check, in the order in which a start would stumble over them."""
    for check in _CHECKS:
        yield from check()
    runs = Home(environment.home()).is_taken()
    yield from _running(environment.run_facts(), runs=runs)
    # Where Handoff does not run, only servers that the environment names can be expected to answer.
    silent = True
    if settings.DATABASE_URL and (runs or os.environ.get("DATABASE_URL")):
        database = list(_database())
        silent = len(database) == 1
        yield from database
    yield from hints.messages(runs=runs, database_answers=not silent)
    if runs and not silent:
        yield from _work()


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < _OLDEST_PYTHON:
        yield Finding("problem", f"Python {version} is too old", "install Python 3.11 to 3.14")
    elif sys.version_info[:2] > _LATEST_PYTHON:
        yield Finding("warn", f"Handoff was never tried with Python {version}", "use Python 3.11 to 3.14")
    else:
        yield Finding("ok", f"Python {version}")


def _packages() -> Iterator[Finding]:
    if not environment.IS_CHECKOUT:
        yield Finding("ok", f"Handoff {release()} is installed as a package")
        return
    command = [sys.executable, str(environment.BASE_DIR / "scripts" / "bootstrap"), "--check"]
    if subprocess.run(command, check=False, capture_output=True).returncode == 0:
        yield Finding("ok", "the packages in .venv match the lock")
    else:
        yield Finding("warn", "the packages in .venv don't match requirements.txt", "run: scripts/bootstrap")


def _home() -> Iterator[Finding]:
    home = environment.home()
    if not home.exists():
        if os.access(first_that_exists(home), os.W_OK):
            yield Finding("ok", f"the home {home} will be made at the first start")
        else:
            yield Finding(
                "problem", f"the home {home} cannot be made", "set HANDOFF_HOME to a folder you own"
            )
        return
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        yield Finding("problem", f"the home {home} cannot be written", "set HANDOFF_HOME to a folder you own")
    elif home.stat().st_mode & 0o077:
        yield Finding("problem", f"the home {home} is open to other users", f"run: chmod 700 {home}")
    else:
        yield Finding("ok", f"the home {home} is private")
    open_files = [file.name for file in home.glob("*") if file.is_file() and file.stat().st_mode & 0o077]
    secret = sorted(set(open_files) & {"admin-password", "secret-key", "master-key", "run.json"})
    if secret:
        yield Finding("problem", f"others may read {', '.join(secret)}", f"run: chmod 600 {home}/*")


def _master_key() -> Iterator[Finding]:
    advice = "see HANDOFF_MASTER_KEY in docs/configuration.md"
    try:
        keys = environment.master_keys()
    except environment.BadEnvironment as problem:
        yield Finding("problem", str(problem).rstrip("."), advice)
        return
    file = environment.home() / "master-key"
    if keys:
        yield Finding("ok", "there is a master key for stored secrets")
    elif file.exists():
        yield Finding("problem", f"the master key {file} can't be read or is empty", advice)
    elif (environment.home() / "secret-key").exists() or os.environ.get("HANDOFF_SECRET_KEY"):
        yield Finding("problem", "there is no master key: secrets can't be stored or used", advice)
    else:
        yield Finding("ok", "the master key for stored secrets will be made at the first start")


def _port() -> Iterator[Finding]:
    try:
        port = environment.port()
    except environment.BadEnvironment as problem:
        yield Finding("problem", str(problem))
        return
    if Home(environment.home()).is_taken() and (url := environment.run_facts().get("url")):
        # Whatever this terminal's HANDOFF_PORT says.
        yield Finding("ok", f"port {str(url).rpartition(':')[2]} is ours")
    elif redis.is_free(port):
        yield Finding("ok", f"port {port} is free")
    else:
        yield Finding("problem", f"port {port} is taken", "stop what uses it, or set HANDOFF_PORT")


def _servers() -> Iterator[Finding]:
    binaries: list[tuple[str, Callable[[], Path]]] = []
    if not os.environ.get("DATABASE_URL"):
        binaries.append(("PostgreSQL", lambda: postgres.binary("postgres")))
        if not can_leave_root():
            advice = "start as an ordinary user, or set DATABASE_URL"
            yield Finding("problem", "PostgreSQL refuses root, and there are no user namespaces here", advice)
    if hints.wants_embedded_redis():
        binaries.append(("Redis", redis.binary))
    else:
        yield from hints.without_redis()
    for name, binary in binaries:
        try:
            yield Finding("ok", f"embedded {name}: {binary()}")
        except EmbeddedError as problem:
            yield Finding("problem", f"no embedded {name}", str(problem))


def _plug_ins() -> Iterator[Finding]:
    """What installed packages add to the step types, and what is wrong with them."""
    for plug_in in PLUG_INS:
        for sentence in sentences([plug_in]):
            yield Finding(
                "problem", sentence.rstrip("."), "fix or uninstall it; everything else works without it"
            )
        if plug_in.types:
            names = ", ".join(step_type.name for step_type in plug_in.types)
            yield Finding("ok", f"the plug-in {plug_in.entry_point} ({plug_in.package}) has {names}")


def _steps() -> Iterator[Finding]:
    try:
        check_steps()
    except NotStartable as problem:
        yield Finding("problem", str(problem).rstrip("."), "see docs/configuration.md")
        return
    serving = _variables_of_the_server()
    try:
        mail = outside.mail(serving)
    except outside.BadSetting as problem:
        yield Finding("problem", str(problem).rstrip("."), "see docs/configuration.md")
        return
    if mail.server is None:
        mail_becomes = "is only logged" if outside.logs_mail() else "fails"
        yield Finding(
            "ok",
            f"{outside.SMTP_URL} is not set: mail of steps {mail_becomes}, and nobody gets mail about tasks",
        )
    elif not serving.get(outside.MAIL_FROM):
        yield Finding("warn", f"mail comes from {mail.sender}", f"set {outside.MAIL_FROM}")
    else:
        yield Finding("ok", f"mail goes to {mail.server.host} at port {mail.server.port}")


def _spans() -> Iterator[Finding]:
    if not tracing.is_wanted():
        return
    if tracing.is_installed():
        yield Finding("ok", "attempts and runs are exported as spans")
    else:
        variable, advice = (
            next(name for name in tracing.VARIABLES if os.environ.get(name)),
            "install handoff[otel]",
        )
        yield Finding("problem", f"{variable} is set, and the extra {tracing.EXTRA} is not installed", advice)


def _variables_of_the_server() -> Mapping[str, str]:
    """What the web process was started with that runs on this home: this terminal may have other variables.

    Those of this terminal where none runs here, or where they can't be read.
    """
    pids = environment.run_facts().get("pids")
    pid = pids.get("web") if isinstance(pids, dict) else None
    if pid is None or not Home(environment.home()).is_taken():
        return os.environ
    try:
        raw = Path(f"/proc/{int(pid)}/environ").read_text(errors="replace")
    except (OSError, ValueError):
        return os.environ
    return dict(item.split("=", 1) for item in raw.split("\0") if "=" in item)


def _open_tenant() -> Iterator[Finding]:
    if slug := _variables_of_the_server().get("HANDOFF_V1_OPEN_TENANT", "").strip():
        anywhere = _variables_of_the_server().get("HANDOFF_V1_OPEN_ANYWHERE", "").strip().lower()
        who = "can reach the port" if anywhere in environment.ON else "is on this machine"
        sentence = f"whoever {who} acts in the tenant {slug} by /v1/, without a token"
        yield Finding("warn", sentence, "see HANDOFF_V1_OPEN_TENANT in docs/configuration.md")


def _observes() -> Iterator[Finding]:
    if _variables_of_the_server().get(start_environment.VARIABLE, "").strip().lower() == "observe":
        yield Finding(
            "warn", "Handoff observes only: nothing is executed, sent or changed", "see HANDOFF_START"
        )


def _grpc() -> Iterator[Finding]:
    """Where gRPC is answered, and whether what it is told is secret."""
    if problems := grpc_environment.problems():
        yield from (Finding("problem", one.rstrip("."), "see docs/grpc.md") for one in problems)
    elif grpc_environment.is_open():
        sentence = f"gRPC listens on {grpc_environment.host()} without TLS: tokens can be read in transit"
        yield Finding(
            "warn", sentence, "set HANDOFF_GRPC_CERT and HANDOFF_GRPC_KEY, or leave it on 127.0.0.1"
        )
    elif port := grpc_environment.port():
        yield Finding("ok", f"gRPC listens on {grpc_environment.host()}, port {port}")


def _payloads() -> Iterator[Finding]:
    if settings.HANDOFF_BLOBS:
        if trouble := payloads.trouble():
            yield Finding("problem", trouble.rstrip("."), "see HANDOFF_BLOBS in docs/configuration.md")
        else:
            yield Finding("ok", f"large payloads are kept in {settings.HANDOFF_BLOBS}")


def _running(facts: dict[str, object], *, runs: bool) -> Iterator[Finding]:
    pids = facts.get("pids")
    if not runs and facts:
        yield Finding(
            "warn",
            "run.json is left from a Handoff that was killed",
            f"{_UP} starts it again and tidies up",
        )
    elif not runs:
        yield Finding("ok", f"Handoff is not running here ({_UP} starts it)")
    elif not isinstance(pids, dict):
        yield Finding("warn", "Handoff is starting or stopping here", "look again in a moment")
    elif dead := [name for name, pid in pids.items() if not is_alive(pid)]:
        yield Finding(
            "warn", f"not alive at this moment: {', '.join(dead)}", "the supervisor starts them again"
        )
    else:
        yield Finding("ok", f"{len(pids)} processes run at {facts.get('url')}")


def _database() -> Iterator[Finding]:
    try:
        with patience.at_most(_ANSWER_SECONDS):
            problems = server_problems()
        with patience.at_most(_SCHEMA_SECONDS):
            state = schema()
    except (DatabaseError, ImproperlyConfigured, psycopg.Error) as problem:
        yield Finding(
            "problem",
            f"the database does not answer: {first_line(problem)}",
            f"{_UP}, or see DATABASE_URL",
        )
        return
    for text in problems:
        yield Finding("problem", text, "Handoff does not start on this server")
    if not problems:
        yield Finding("ok", "the database answers and is set up safely")
    if state.unknown:
        yield Finding(
            "problem", f"the schema is from a later Handoff ({state.unknown[0]})", "start that version"
        )
    elif state.missing:
        yield Finding(
            "problem",
            f"the schema is too old for this code (it lacks {state.missing[0]})",
            f"{_UP} says what to do",
        )
    elif state.pending:
        yield Finding("warn", f"{len(state.pending)} migrations are to be applied", f"{_UP} applies them")
    else:
        yield Finding("ok", "the schema is up to date")
        yield from _roles()
        yield from _belonging()
        yield from _stuck()
        yield from _mails()
        yield from people_findings.of_tasks()
        yield from of_history()
        yield from _refusals()


def _refusals() -> Iterator[Finding]:
    """Versions in use that lead on from a choice of people whatever they choose."""
    for one in carried_runs.in_use()[0]:
        steps = ", ".join(one.version.steps)
        yield Finding(
            "problem",
            f"version {one.version.number} of {one.version.workflow} goes on after {steps} whatever people choose "
            f"(open runs: {one.open_runs})",
            "take the fixes in its draft, publish it, and move or end the open runs of this version",
        )


def _roles() -> Iterator[Finding]:
    if sentence := roles.complaint():
        yield Finding("warn", sentence, roles.ADVICE)
    else:
        yield Finding("ok", "the database role that Handoff works with can't delete runs or change evidence")


def _mails() -> Iterator[Finding]:
    if count := outbox.lost():
        sentence = f"{count} mails about tasks were given up in the last month"
        yield Finding("warn", sentence, 'see "Mail about tasks" in docs/operations.md')


def _stuck() -> Iterator[Finding]:
    repairs, stuck_runs = queries.repairs()
    advice = 'see "Never stuck" in docs/operations.md, and please report it'
    if stuck_runs:
        yield Finding("problem", f"stuck runs that can't be repaired: {stuck_runs}", advice)
    if repairs:
        yield Finding("warn", f"repairs of stuck runs: {repairs}", advice)


def _belonging() -> Iterator[Finding]:
    """Nothing where all is well, or `_master_key` has said what is wrong."""
    reasons = belonging.complaints()
    yield from (Finding("problem", one.rstrip("."), "Handoff does not start with these") for one in reasons)
    with suppress(CannotOpen):
        if not reasons and (locked := locked_tenants()):
            advice = "add the previous master key again, after the current one"
            yield Finding("problem", f"the master key opens no secrets of {locked} tenants", advice)


def _work() -> Iterator[Finding]:
    """Whether work goes on."""
    _, standing = readiness()
    complaints = list(standing.complaints()) if standing else []
    for complaint in complaints:
        advice = f"look at the output of {_UP}: what hangs is restarted"
        yield Finding("problem", complaint, advice)
    if standing and not complaints:
        yield Finding("ok", f"a worker answers for each queue, {_in_words(standing)}")


def _in_words(standing: Standing) -> str:
    late, waits = standing.oldest_overdue_timer or 0.0, standing.oldest_claimable_step or 0.0
    return (
        f"the last tick was {standing.last_tick or 0.0:.0f} s ago, the oldest overdue timer is {late:.0f} s late,"
        f" the oldest claimable step waits for {waits:.0f} s"
    )


_CHECKS = (
    _python,
    _packages,
    _home,
    _master_key,
    disk,
    memory,
    _port,
    _grpc,
    _servers,
    _plug_ins,
    _steps,
    _payloads,
    _spans,
    _open_tenant,
    _observes,
)
