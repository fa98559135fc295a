"""docs/definitions-as-code.md: what it shows does what it says."""

import re
from pathlib import Path

import pytest

from engine.canonical import content_hash
from handoff.definition import Workflow, python_source

PAGE = (Path(__file__).parents[2] / "docs" / "definitions-as-code.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_of_the_page_can_be_executed_and_comes_back(block):
    names = {}
    exec(compile(block, "docs/definitions-as-code.md", "exec"), names)
    made = [value for value in names.values() if isinstance(value, Workflow)]
    assert made
    for workflow in made:
        again = {}
        exec(python_source(workflow.definition()), again)
        assert content_hash(again["workflow"].definition()) == content_hash(workflow.definition())


def test_the_first_block_is_a_workflow_without_a_warning():
    names = {}
    exec(BLOCKS[0], names)
    assert names["booking"].problems() == []
