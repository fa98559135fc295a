"""Test cases in memory: within a time, and never beside what is published."""

import time
from itertools import pairwise

import pytest

from lib.refusals import Unprocessable
from tests.factories import graph
from tests.people import People
from tests.workflows.test_concurrency import at_once
from workflows.trials import cases
from workflows.trials.case_runs import Case, Subject, run_cases
from workflows.versions import lifecycle

SLOW = "[" + ", ".join(["0"] * 100) + "]"


def subject(definition):
    return Subject(definition, "graph", "ours", {}, is_valid=True)


def test_cases_for_which_no_time_is_left_fail_by_saying_so():
    definition = graph(["a", "b"], ["a>b"])
    many = [Case(number, str(number), {}) for number in range(3)]
    results = run_cases(subject(definition), many, seconds=0.0)
    assert [one.differences[0].what for one in results] == ["time"] * 3
    assert not any(one.passed for one in results)
    assert [one.passed for one in run_cases(subject(definition), many)] == [True] * 3


@pytest.mark.parametrize("kind", ["transform", "text.clean"])
def test_one_case_takes_no_more_than_its_time_either(kind):
    """Expressions with macros are slow on purpose: each step costs what one costs, and there are many."""
    slow = f"{{{{ {SLOW}.map(x, {SLOW}.map(y, x + y)).size() }}}}"
    params = {"set": {"n": slow}} if kind == "transform" else {"max_chars": slow}
    nodes = [{"id": f"n{number}", "type": kind, "params": params} for number in range(100)]
    definition = graph(nodes, [])
    begun = time.monotonic()
    (result,) = run_cases(subject(definition), [Case(1, "slow", {"text": "x"})], seconds=0.2)
    assert [one.what for one in result.differences] == ["time"]
    assert time.monotonic() - begun < 5


def test_values_have_their_room():
    """Each step could give as much as is stored of one; a process that serves others can't hold all of that."""
    doubled = {"set": {"text": "{{ prev.text }}{{ prev.text }}"}}
    names = [f"n{number}" for number in range(40)]
    nodes = [{"id": name, "type": "transform", "params": doubled} for name in names[:8]]
    wide = {"set": {"all": ["{{ prev }}"] * 30}}
    nodes += [{"id": name, "type": "transform", "params": wide} for name in names[8:]]
    definition = graph(nodes, [f"{one}>{two}" for one, two in pairwise(names[:8])])
    definition["edges"] += [{"from": "n7", "to": name} for name in names[8:]]
    (result,) = run_cases(subject(definition), [Case(1, "large", {"text": "x" * 500})])
    assert [one.what for one in result.differences] == ["size"]
    assert result.output is None


def test_stubs_of_steps_that_are_not_there_fail_a_case():
    stubs = {"gone": {"output": 1}}
    (result,) = run_cases(subject(graph(["a"], [])), [Case(1, "old", {}, stubs)])
    assert [(one.what, one.expected) for one in result.differences] == [("stubs", ["gone"])]


@pytest.fixture
def author():
    return People().principal("author")


@pytest.mark.django_db(transaction=True)
def test_whatever_is_published_passes_every_case_that_was_there(author):
    """A case that is made meanwhile is in before the tests or after the version; publishing never misses one."""
    for turn in range(5):
        name = f"flow-{turn}"
        lifecycle.create_workflow(author, name=name, definition=graph(["a"], [], name=name))
        cases.create_case(author, name, case_name="good", input=1)

        def publish(name=name):
            try:
                return lifecycle.publish(author, name)
            except Unprocessable as refusal:
                return refusal

        def record(name=name):
            return cases.create_case(author, name, case_name="bad", input=1, expect={"output": 2})

        published, made = at_once(publish, record)
        if isinstance(published, Unprocessable):
            assert published.code == "test_cases_failed"
        else:
            assert published.version.published_at <= made.created_at


@pytest.mark.django_db
def test_a_draft_that_was_changed_after_its_tests_is_tested_again(author):
    definition = graph(["a"], [], name="flow")
    lifecycle.create_workflow(author, name="flow", definition=definition)
    cases.create_case(author, "flow", case_name="one", input=1, expect={"path": ["a"]})
    before = cases.before_publishing(author.tenant_id, "flow")
    changed = graph(["b"], [], name="flow")
    workflow = lifecycle.save_draft(author, "flow", definition=changed, expected_revision=1).workflow
    with pytest.raises(Unprocessable):
        cases.refuse_failing(workflow, cases.check(changed, name="flow"), before)
    assert [one.passed for one in before.results] == [True]
