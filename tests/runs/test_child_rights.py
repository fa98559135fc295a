"""Names of workflows that come out of expressions are checked for a whole batch at once."""

import pytest

from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

SUB = {"id": "a", "type": "subworkflow", "params": {"workflow": "{{ input.w }}"}}


def asked(definition, *names):
    """The names of the statements of a batch of steps that begin children of these names."""
    make.start(definition, *({"w": name} for name in names))
    with watching() as seen:
        make.work("engine")
    return seen.named


@pytest.mark.parametrize("count", [1, 50])
def test_all_names_are_checked_in_one_statement(count):
    names = [f"nobody-{number}" for number in range(count)]
    named = asked(make.graph([SUB], []), *names, *names)
    assert named.count("who_may_start") == 1
    assert named.count("insert_runs") == 0


def test_nothing_is_asked_for_names_that_are_written():
    child = make.a_version(make.graph(["x"], [])).workflow.name
    named = asked(make.graph([SUB | {"params": {"workflow": child}}], []), "x", "y")
    assert named.count("who_may_start") == 0
    assert named.count("insert_runs") == 1
