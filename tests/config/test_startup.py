"""The self-check against a real server (docs/security.md, "Durability")."""

import re
import threading

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config import startup
from config.startup import (
    NotStartable,
    Schema,
    _bring_up_to_date,
    schema,
    server_problems,
)

pytestmark = pytest.mark.django_db


def test_a_server_that_breaks_a_promise_is_named_with_what_to_do():
    # The server of the tests is fast because it is unsafe.
    problems = " ".join(server_problems())
    assert "fsync=off: set it to on." in problems
    assert "full_page_writes=off: set it to on." in problems
    assert "synchronous_commit=off: set it to on." in problems


def test_a_start_is_refused_by_such_a_server_before_anything_is_changed(monkeypatch):
    monkeypatch.setattr(startup, "_prepare", lambda *_: pytest.fail("It goes on."))
    with pytest.raises(NotStartable, match=r"fsync=off: .* synchronous_commit=off: "):
        startup.prepare(print)


def test_a_migrated_database_has_nothing_pending_and_nothing_unknown():
    assert schema() == Schema([], [], [])


def test_a_migration_of_a_later_version_is_unknown():
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('runs', '9999_later', now())"
        )
    assert schema() == Schema(["runs.9999_later"], [], [])


def test_a_database_that_lacks_a_migration_of_today_has_it_applied():
    MigrationRecorder(connection).record_unapplied("alerts", "0001_tables")
    assert schema() == Schema([], [], ["alerts.0001_tables"])


def test_a_database_without_tables_has_everything_applied(monkeypatch):
    executor = MigrationExecutor(connection)
    executor.loader.applied_migrations = {}
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes(), clean_start=True)
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda _: {})
    assert schema().pending == sorted(f"{one.app_label}.{one.name}" for one, _ in plan)


def written_before_releases(*, but=frozenset()):
    """The database knows the migrations that those of releases replace, as one of that time does, but not these."""
    recorder = MigrationRecorder(connection)
    for key, migration in MigrationLoader(None).disk_migrations.items():
        if migration.replaces:
            recorder.record_unapplied(*key)
            for replaced in but.intersection(migration.replaces):
                recorder.record_unapplied(*replaced)


def test_a_database_from_before_the_migrations_were_squashed_is_up_to_date():
    written_before_releases()
    assert schema() == Schema([], [], [])


def test_a_database_that_lacks_a_migration_of_that_time_is_told_what_to_do():
    written_before_releases(but={("runs", "0040_signals_of_trees")})
    assert schema().missing == ["runs.0040_signals_of_trees"]
    with pytest.raises(NotStartable, match=r"lacks runs.0040_signals_of_trees.*Nothing in it is lost: "):
        _bring_up_to_date(None, print)


@pytest.mark.parametrize(
    ("is_checkout", "advice"),
    [
        (
            True,
            "git worktree add ../before 00612d11, HANDOFF_HOME='/my home/x' make -C ../before up once",
        ),
        (
            False,
            "in a checkout of Handoff, git checkout 00612d11, HANDOFF_HOME='/my home/x' make up once",
        ),
    ],
)
def test_what_such_a_database_needs_can_be_typed_as_it_is_said(monkeypatch, is_checkout, advice):
    written_before_releases(but={("runs", "0040_signals_of_trees")})
    monkeypatch.setattr("config.environment.IS_CHECKOUT", is_checkout)
    monkeypatch.setenv("HANDOFF_HOME", "/my home/x")
    with pytest.raises(NotStartable, match=re.escape(f"lost: {advice}, then start this again.")):
        _bring_up_to_date(None, print)


def test_a_migration_that_takes_long_says_that_it_goes_on(monkeypatch):
    lines, heard, is_over = [], threading.Event(), []

    def say(line):
        lines.append(line)
        heard.set()

    def migrate(*_, **__):
        is_over.append(heard.wait(10))

    monkeypatch.setattr(startup, "_STILL_SECONDS", 0.01)
    monkeypatch.setattr(startup, "schema", lambda: Schema([], [], ["runs.0001_release_0_1"]))
    monkeypatch.setattr(startup, "call_command", migrate)
    _bring_up_to_date(None, say)
    assert is_over[0]
    assert lines[0] == "Still migrating, for 0 s now."


@pytest.mark.parametrize("weak", [["runs_run"], []])
def test_a_start_with_one_role_for_all_says_so_once(monkeypatch, caplog, weak):
    monkeypatch.setattr(startup, "server_problems", list)
    monkeypatch.setattr(startup, "_prepare", lambda *_: None)
    monkeypatch.setattr(startup.roles, "changeable", lambda: weak)
    startup.prepare(print)
    said = [one.getMessage() for one in caplog.records if "database role" in one.getMessage()]
    assert len(said) == len(weak)
    assert all("(runs_run); name two roles" in one for one in said)
