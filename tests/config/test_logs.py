"""A lost Redis is a line, a bug keeps its traceback."""

import logging
import sys

from config.logs import OneLine


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


def test_an_error_of_a_task_keeps_its_traceback():
    for name in ("celery.app.trace", "runs.drain"):
        record = _record(name)
        assert OneLine().filter(record)
        assert record.exc_info
