"""Every change leaves a line that says who did what and why."""

import logging

import pytest

from tests.definitions import chain
from tests.people import People
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db


def test_a_change_is_noted_with_its_reason_on_one_line(caplog):
    author = People().principal("author")
    with caplog.at_level(logging.INFO, "handoff.audit"):
        lifecycle.create_workflow(author, name="flow", definition=chain("flow"), reason="asked\nroot did it")
    (line,) = [record.getMessage() for record in caplog.records if record.name == "handoff.audit"]
    assert line == "workflow.create flow by author-of-ours via token in ours: 'asked\\nroot did it'"
