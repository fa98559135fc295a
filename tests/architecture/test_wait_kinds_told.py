"""Each kind of wait has words for the story of a run, and the pages know it and what wakes it."""

import re

import pytest

from runs.kernel import wait_kinds
from tests.architecture.sources import section

KINDS = wait_kinds._KINDS
ALL = pytest.mark.parametrize("kind", sorted(KINDS))


def test_the_kinds_that_apps_register_are_there():
    assert {"children", "operator", "run", "signal", "task", "timer"} <= set(KINDS)


@ALL
def test_a_kind_has_words_where_only_the_kind_is_known(kind):
    assert wait_kinds.in_short(kind)


def test_the_page_on_the_engine_knows_the_kinds_that_are_not_for_people():
    told = section("docs/engine.md", "Waits")
    assert [kind for kind in sorted(KINDS) if kind != "task" and f"`{kind}`" not in told] == []


@ALL
def test_the_page_on_operations_says_what_a_source_is(kind):
    rows = re.findall(r"^\| `([\w ]+)` \|", section("docs/operations.md", "Never stuck"), re.MULTILINE)
    assert KINDS[kind].source in rows
