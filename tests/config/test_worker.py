"""`manage.py worker QUEUE`: a worker that other means than `up` start has the queue that it was started for."""

import os

import pytest
from django.core.management import CommandError, call_command

from config.management.commands import worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def began(monkeypatch):
    """What each worker that was begun was told by its environment."""
    seen = []
    names = ("HANDOFF_PROCESS", "HANDOFF_WORKER_QUEUE")
    for name in names:
        # So that it is put back.
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(worker.environment, "connected_as", lambda process, _: {"ATOMIC_REQUESTS": False})
    monkeypatch.setattr(worker.worker, "work", lambda: seen.append([os.environ[name] for name in names]))
    return seen


@pytest.mark.parametrize("queue", ["engine", "ticks"])
def test_it_works_on_the_queue_that_it_was_started_for(began, settings, queue):
    settings.HANDOFF_DISPATCH = "polling"
    call_command("worker", queue)
    assert began == [["worker", queue]]


def test_with_hints_it_says_what_to_set(began, settings):
    settings.HANDOFF_DISPATCH = "hints"
    with pytest.raises(CommandError, match=r"^Set HANDOFF_DISPATCH=polling; with hints "):
        call_command("worker", "engine")
    assert began == []
