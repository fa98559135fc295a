"""What the builder's own tests (`frontend/test/`) take for what the server tells of step types and forms."""

import json
from pathlib import Path

from workflows.design import palette, snippets

FILE = Path(__file__).parent / "palette.json"


def test_the_builder_is_tested_with_the_step_types_and_forms_that_there_are():
    """Stale? Write it again: `manage.py shell -c "from tests.workflows.test_palette import *; write()"`."""
    assert json.loads(FILE.read_text()) == current()


def current() -> dict:
    shown = {
        "step_types": palette.step_types(),
        "definition_schema": palette.definition_schema(),
        "snippets": snippets.snippets(),
    }
    return json.loads(json.dumps(shown))


def write() -> None:
    """Makes the file what there is now."""
    FILE.write_text(json.dumps(current(), indent=1, ensure_ascii=False) + "\n")
