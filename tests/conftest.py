"""One PostgreSQL for the whole session and one Redis for each process, both real; no skip for want of a tool in CI."""

import gc
import os
import runpy
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import LazySettings, settings
from django.test import Client, TransactionTestCase
from rest_framework.test import APIClient

from accounts.audit import refusals
from config import environment
from config.channel_layers import channel_layers
from config.embedded import postgres, redis
from config.embedded.processes import wait_until
from lib.sealing import Hidden
from tests import browsers, databases, kafka_nodes, logins, reading_first, session_folders, silence
from tests.by_file import ByFile, is_acceptance
from tests.families import is_asked_for
from tests.serving import CHEAP_HASHER, ROOT
from tests.webhooks import MASTER_KEY

_UNSAFE_BUT_FAST = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
}
# Staged races wait for PostgreSQL to see a deadlock.
_FOR_RACES = {"deadlock_timeout": "100ms"}
# What a test uses, by fixture or folder, and what is said of it by a mark (`make test-fast` leaves these out).
_MARKS = {
    "chromium": "browser",
    "site": "processes",
    "acceptance": "processes",
    "crash": "processes",
    "growth": "slow",
    "inbox": "slow",
    "bulk": "slow",
    "dispatch": "slow",
    "schedules": "slow",
    "telemetry": "slow",
    "test_pages.py": "slow",
    "races": "slow",
    "runs": "slow",
    "webhooks_out": "slow",
    "web": "slow",
}
_MEMORY = Path("/dev/shm")
_ENOUGH_MEMORY = 4 * 1024**3
_KEY = pytest.StashKey[tuple]()
_SDK = ROOT / "sdks" / "python" / "generate.py"
# What the tests of the Python SDK import is not in the repository.
if _SDK.exists():
    runpy.run_path(str(_SDK))["refresh"]()
# What is made up is the same each time: whoever looks for a failure finds it again. `make soak` makes up other things.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, database=None)


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers. Processes of xdist inherit the database server; channels and counters of a Redis are all of
    its databases', so each has one of its own.
    """
    folder = _own_folder(config)
    if silence.is_bounded(config):
        config.pluginmanager.register(silence.plugin(config, Path(os.environ["PYTEST_DEBUG_TEMPROOT"])))
    broker = redis.Redis(folder / "redis")
    broker.prepare()
    if not _is_soak(config):
        hypothesis.settings.load_profile("same")
    if hasattr(config, "workerinput"):
        config.stash[_KEY] = (folder, None, [(broker.start(), redis.STOP_SIGNAL)])
        wait_until(broker.is_ready, 10, "Redis")
        _use(os.environ["DATABASE_URL"], broker.url)
        return
    # Of 100 processes that one with a client of gRPC starts, one would abort: between fork and exec gRPC begins threads
    # anew, whose descriptors are closed then. None of them needs gRPC before that.
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"
    # Neither a developer's home nor an outer run's environment has any say in a test.
    os.environ["HANDOFF_HOME"] = str(folder / "home")
    # What is decided counts at once, but for tests of undoing it.
    os.environ["HANDOFF_UNDO_SECONDS"] = "0"
    os.environ.pop("HANDOFF_OPERATOR_TASKS", None)
    database = postgres.Postgres(
        folder / "postgres", _UNSAFE_BUT_FAST | _FOR_RACES, may_create_databases=True
    )
    database.prepare()
    started = [(database.start(), postgres.STOP_SIGNAL), (broker.start(), redis.STOP_SIGNAL)]
    config.stash[_KEY] = (folder, database, started)
    wait_until(database.is_ready, 30, "PostgreSQL")
    database.make_database()
    databases.let_tests_empty(database)
    wait_until(broker.is_ready, 10, "Redis")
    _use(database.url, broker.url)


def _own_folder(config: pytest.Config) -> Path:
    """A folder for all that this process and those that it starts write; of the whole session in memory where there is
    enough of it: to empty the tables after a test takes a fifth of the time there. Names of sockets have to be short.
    """
    if hasattr(config, "workerinput"):
        return Path(tempfile.mkdtemp(prefix="w"))
    if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK):
        session_folders.remove_left(_MEMORY)
        if shutil.disk_usage(_MEMORY).free > _ENOUGH_MEMORY:
            tempfile.tempdir = str(_MEMORY)
    # Held until this process ends, however it does.
    folder, _ = session_folders.made(Path(tempfile.gettempdir()))
    # Not of this process itself: some of its files outlive the session.
    os.environ |= {"TMPDIR": str(folder), "PYTEST_DEBUG_TEMPROOT": str(folder)}
    return folder


def _use(database_url: str, redis_url: str) -> None:
    """Point Django at the servers: pytest-django read the settings before any conftest could say where they are."""
    os.environ.update(DATABASE_URL=database_url, REDIS_URL=redis_url)
    settings.DATABASE_URL, settings.REDIS_URL, settings.CELERY_BROKER_URL = database_url, redis_url, redis_url
    settings.HANDOFF_UNDO_SECONDS = 0
    # Or each client of a test looks through all static files.
    settings.WHITENOISE_AUTOREFRESH = True
    settings.PASSWORD_HASHERS = [CHEAP_HASHER, *settings.PASSWORD_HASHERS]
    settings.HANDOFF_MASTER_KEYS = (Hidden(MASTER_KEY),)
    settings.CHANNEL_LAYERS = channel_layers(redis_url)
    settings.DATABASES["default"].update(environment.database_of(database_url))
    # What is refused is written where a test asks for it.
    refusals.here = refusals.Refusals(seconds=86_400)
    TransactionTestCase._fixture_teardown = databases.empty
    Client._login = logins.log_in
    reading_first.use_in(Client)
    reading_first.use_in(APIClient)
    databases.keep_plans()
    # To set a setting, Django empties the instance first: for a moment threads see what the class has, which is None.
    LazySettings._wrapped = settings._wrapped


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: Any
) -> Iterator[None]:
    """A database for this process; it goes with its server."""
    with django_db_blocker.unblock():
        databases.make_own()
        yield
        databases.let_go()


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kafka_nodes.Node]:
    """The one node of Kafka of this session: each test has topics of its own."""
    with kafka_nodes.running(tmp_path_factory.mktemp("kafka")) as node:
        yield node


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started; nothing of the session stays."""
    if _KEY not in config.stash:
        return
    folder, database, started = config.stash[_KEY]
    for process, stop in started:
        process.send_signal(stop)
    for process, _ in started:
        process.wait(20)
    if database is not None:
        database.clean_up()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """Groups by marks (`--dist loadgroup`) are lost between this pytest and this xdist."""
    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs a browser or processes by what it uses; long tests and those that need more tools run only where
    they are asked for (`-m soak`).
    """
    left_out = []
    for item in items:
        path = item.nodeid.partition("::")[0]
        uses = {*path.split("/"), *getattr(item, "fixturenames", ())}
        for mark in {_MARKS[name] for name in uses & _MARKS.keys()}:
            item.add_marker(mark)
        if not is_asked_for({mark.name for mark in item.iter_markers()}, config.option.markexpr or ""):
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def pytest_longest_first(items: list[pytest.Item]) -> None:
    """What takes one process longest comes first: nobody waits for it in the end."""
    browsers.first(items)
    items.sort(key=lambda item: not is_acceptance(item.nodeid))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """Whatever a module of browser tests made is gone when its browser is closed."""
    try:
        return (yield)
    finally:
        browsers.close_between(item, nextitem)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """While tests are imported next to nothing becomes garbage, and each look for it takes longer. What is there then
    stays: no collection of garbage has to look through it again.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def _is_soak(config: pytest.Config) -> bool:
    return "soak" in (config.option.markexpr or "")


def _no_skip_in_ci(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: with CI set no test may skip ({reason})"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _no_skip_in_ci(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _no_skip_in_ci(report)
    return report
