"""One PostgreSQL and one Redis for the whole session, both real; and no skip for want of a tool in CI."""

import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from django.conf import settings

from config import environment
from config.channel_layers import channel_layers
from config.embedded import postgres, redis
from config.embedded.processes import wait_until
from lib.sealing import Hidden
from tests.webhooks import MASTER_KEY

_UNSAFE_BUT_FAST = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
}
# Staged races wait for PostgreSQL to see a deadlock.
_FOR_RACES = {"deadlock_timeout": "100ms"}
_KEY = pytest.StashKey[tuple]()


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers in the controlling process; workers of xdist inherit its environment."""
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        _use(os.environ["DATABASE_URL"], _redis_database(1 + int(worker["workerid"].removeprefix("gw"))))
        return
    folder = Path(tempfile.mkdtemp(prefix="handoff-test-"))
    # Neither a developer's home nor an outer run's environment has any say in a test.
    os.environ["HANDOFF_HOME"] = str(folder / "home")
    database = postgres.Postgres(
        folder / "postgres", _UNSAFE_BUT_FAST | _FOR_RACES, may_create_databases=True
    )
    broker = redis.Redis(folder / "redis")
    database.prepare()
    broker.prepare()
    config.stash[_KEY] = (folder, database, database.start(), broker.start())
    wait_until(database.is_ready, 30, "PostgreSQL")
    database.make_database()
    wait_until(broker.is_ready, 10, "Redis")
    _use(database.url, broker.url)


def _redis_database(number: int) -> str:
    return f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{number}"


def _use(database_url: str, redis_url: str) -> None:
    """Point Django at the servers: pytest-django read the settings before any conftest could say where they are."""
    os.environ.update(DATABASE_URL=database_url, REDIS_URL=redis_url)
    settings.DATABASE_URL, settings.REDIS_URL, settings.CELERY_BROKER_URL = database_url, redis_url, redis_url
    settings.HANDOFF_MASTER_KEYS = (Hidden(MASTER_KEY),)
    settings.CHANNEL_LAYERS = channel_layers(redis_url)
    settings.DATABASES["default"].update(environment.database_of(database_url))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started; nothing of the session stays."""
    if _KEY not in config.stash:
        return
    folder, server, database, broker = config.stash[_KEY]
    database.send_signal(postgres.STOP_SIGNAL)
    broker.send_signal(redis.STOP_SIGNAL)
    for process in (database, broker):
        process.wait(20)
    server.clean_up()
    shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`soak` tests run by `make soak` (`-m soak`) only."""
    if not config.option.markexpr:
        soak = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=soak)
        items[:] = [item for item in items if item not in soak]


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
