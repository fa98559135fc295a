"""A lost Redis is a line, a bug keeps its traceback."""

import json
import logging
import re
import select
import subprocess
import sys

import pytest

from config.environment import BadEnvironment
from config.logs import JsonLine, Line, OneLine, Seldom, formatter
from lib import log_context


def _record(name):
    try:
        raise ConnectionError("refused\nand more")
    except ConnectionError:
        return logging.LogRecord(name, logging.ERROR, __file__, 1, "lost %s", ("it",), sys.exc_info())


def test_an_error_of_celerys_machinery_is_one_line_with_its_place():
    record = _record("celery.worker.consumer")
    assert OneLine().filter(record)
    assert record.exc_info is None
    said = record.getMessage()
    assert said.startswith("lost it (ConnectionError: refused, ")
    assert "test_logs.py:" in said
    assert "\n" not in said


def test_an_error_that_says_nothing_is_its_name():
    record = _record("kombu")
    record.exc_info = (TimeoutError, TimeoutError(), None)
    OneLine().filter(record)
    assert record.getMessage() == "lost it (TimeoutError)"


def test_an_error_of_a_task_keeps_its_traceback():
    for name in ("celery.app.trace", "runs.drain"):
        record = _record(name)
        assert OneLine().filter(record)
        assert record.exc_info


def test_a_line_says_when_unless_the_supervisor_does(monkeypatch):
    record = logging.LogRecord("runs", logging.WARNING, __file__, 1, "slow", (), None)
    record.created, record.msecs = 1_700_000_000.5, 500.0
    monkeypatch.delenv("HANDOFF_SUPERVISED", raising=False)
    assert Line().format(record) == "2023-11-14T22:13:20.500Z WARNING runs: slow"
    monkeypatch.setenv("HANDOFF_SUPERVISED", "1")
    assert Line().format(record) == "WARNING runs: slow"


def test_what_celery_says_at_every_tick_is_said_seldom():
    """A Redis that is full or read-only made beat write a traceback for each of them."""
    seldom, heard = Seldom(), []
    for name in ("celery.beat", "celery.beat", "kombu.connection", "runs.drain", "runs.drain"):
        heard += [name] if seldom.filter(_record(name)) else []
    assert heard == ["celery.beat", "kombu.connection", "runs.drain", "runs.drain"]


def test_what_celery_says_over_many_lines_is_its_first_line():
    record = _record("celery.beat")
    record.msg, record.args = "Message Error: %s\n%s", ("READONLY", "['File one', 'File two']")
    OneLine().filter(record)
    assert record.getMessage().startswith("Message Error: READONLY (ConnectionError")
    assert "File one" not in record.getMessage()


def test_another_error_of_the_same_logger_is_said_all_the_same():
    """Through all filters of the console in their order: none makes the errors of a logger look alike to the next."""
    (console,) = (each for each in logging.getLogger().handlers if each.name == "console")
    heard = []
    for said in ("Message Error: %s", "Connection lost: %s", "Message Error: %s"):
        record = _record("celery.beat")
        record.msg, record.args = said, ("READONLY",)
        if console.filter(record):
            heard.append(record.getMessage().partition(" (")[0])
    assert heard == ["Message Error: READONLY", "Connection lost: READONLY"]


LOGGING_MUCH = """
import logging, sys
from config.logs import Console
logging.basicConfig(handlers=[Console()])
for n in range(3000):
    logging.warning("line %d %s", n, "x" * int(sys.argv[1]))
print("went on", flush=True)
input()
logging.warning("the last")
"""


@pytest.mark.parametrize(("width", "count"), [(100, 100), (9_000, 3)])
def test_who_logs_goes_on_though_nobody_reads_it(width, count):
    """Ctrl-Z stops the supervisor, not its children: once the pipe was full, web and workers stood still."""
    command = [sys.executable, "-c", LOGGING_MUCH, str(width)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            assert select.select([process.stdout], [], [], 30)[0], "it stands still"
            assert process.stdout.readline() == "went on\n"
            for number in range(count):
                assert process.stderr.readline().startswith(f"WARNING:root:line {number} ")
            _, said = process.communicate("\n", 30)
        finally:
            process.kill()
    *_, lost, last = said.splitlines()
    # Also behind a line that was cut in the middle.
    assert re.fullmatch(r"\d+ lines of the log are lost", lost)
    assert last == "WARNING:root:the last"


def test_a_line_of_json_says_what_it_is_about():
    record = _record("runs.workers.execute")
    record.created = 1_700_000_000.5
    about = log_context.begin({"run": "r", "step": "a", "attempt": 2})
    said = json.loads(JsonLine().format(record))
    log_context.end(about)
    error = said.pop("error")
    assert said == {
        "time": "2023-11-14T22:13:20.500Z",
        "level": "ERROR",
        "logger": "runs.workers.execute",
        "message": "lost it",
        "run": "r",
        "step": "a",
        "attempt": 2,
    }
    assert error.endswith("ConnectionError: refused\nand more")
    assert "run" not in json.loads(JsonLine().format(record))


def test_a_line_of_json_is_no_longer_than_the_supervisor_carries():
    record = logging.LogRecord("runs", logging.ERROR, __file__, 1, "\x00é" * 9_000, (), None)
    line = JsonLine().format(record)
    assert len(line) < 16_000
    assert json.loads(line)["message"].startswith("\x00é")


def test_the_format_is_what_the_environment_asks_for(monkeypatch):
    assert isinstance(formatter(), Line)
    monkeypatch.setenv("HANDOFF_LOG_FORMAT", "JSON")
    assert isinstance(formatter(), JsonLine)
    monkeypatch.setenv("HANDOFF_LOG_FORMAT", "xml")
    with pytest.raises(BadEnvironment, match="text or json"):
        formatter()
