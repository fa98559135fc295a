"""`manage.py` in a second terminal: what its user can put right is a line, not a traceback."""

import os
import subprocess
import sys

import pytest
from django.core.management import get_commands, load_command_class

from config import command_line
from config.environment import BASE_DIR
from tests.families import shown

pytestmark = pytest.mark.processes
OUR_APPS = ("accounts", "config", "runs", "tasks_inbox", "workflows")


def manage(tmp_path, *arguments, **environment):
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "REDIS_"))
    }
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=BASE_DIR,
        env=clean | {"HANDOFF_HOME": str(tmp_path)} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


COMMANDS = ["create_token --user admin --queue *", "run_workflow any --input manage.py"]


@pytest.mark.parametrize("command", shown(COMMANDS, 1))
def test_where_handoff_does_not_run_one_line_says_so(tmp_path, command):
    result = manage(tmp_path, *command.split())
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "Handoff is not running here: start it (make up), or set DATABASE_URL.\n"


@pytest.mark.parametrize("command", shown(COMMANDS, 1))
def test_where_the_database_is_gone_one_line_says_so(tmp_path, command):
    result = manage(tmp_path, *command.split(), DATABASE_URL=f"postgresql://me@/db?host={tmp_path}")
    assert (result.returncode, result.stdout) == (1, "")
    [line] = result.stderr.splitlines()
    assert line.startswith("The database does not answer (")


@pytest.mark.parametrize("command", ["doctor", "create_token", "up"])
def test_a_switch_that_is_neither_on_nor_off_is_refused(tmp_path, command):
    result = manage(tmp_path, command, HANDOFF_HINTS="maybe")
    assert result.returncode == 1
    assert result.stderr == "problem  HANDOFF_HINTS must be on or off, not 'maybe'.\n"


def test_a_start_refuses_it_too(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "config.supervisor"],
        cwd=BASE_DIR,
        env=os.environ | {"HANDOFF_HOME": str(tmp_path), "HANDOFF_HINTS": "maybe"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr == "Handoff cannot start: HANDOFF_HINTS must be on or off, not 'maybe'.\n"


def test_no_command_of_handoffs_own_goes_through_all_checks_first():
    """They load every page and view, for half a second of a core each time; `check` makes them."""
    ours = [(app, name) for name, app in get_commands().items() if app in OUR_APPS]
    assert {"run_workflow", "create_token", "worker", "doctor"} <= {name for _, name in ours}
    assert [name for app, name in ours if load_command_class(app, name).requires_system_checks] == []


def test_where_handoff_observes_a_command_that_could_change_something_refuses(tmp_path):
    line = "This Handoff observes only (HANDOFF_START): create_token could change something.\n"
    command = ["create_token", "--user", "admin", "--queue", "*"]
    by_variable = manage(tmp_path, *command, HANDOFF_START="observe")
    (tmp_path / "run.json").write_text('{"observes": true}')
    by_home = manage(tmp_path, *command)
    assert [(one.returncode, one.stderr) for one in (by_variable, by_home)] == [(1, line)] * 2


def test_every_command_of_ours_that_runs_while_handoff_observes_is_known_to_read():
    ours = {name for name, app in get_commands().items() if app in OUR_APPS}
    assert ours & command_line.READS == {
        *("doctor", "list_tokens", "print_workflow", "up", "verify_audit", "verify_history"),
    }
