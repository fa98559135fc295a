"""The functions that completion offers are those that there are, and their examples work."""

import pytest

from engine.expressions import compile_expression
from engine.functions import FUNCTIONS

SCOPE = {
    "input": {
        "name": "Anna",
        "amount": 17,
        "vip": True,
        "tags": ["a"],
        "items": [{"price": 5}, {"price": 200}],
    },
    "run": {"now": "2026-11-22T09:00:00Z"},
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_its_example_works(function):
    assert compile_expression(function.example).evaluate(SCOPE) is not None


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_it_is_explained_in_a_sentence(function):
    assert function.help.endswith(".")
    assert function.name.split()[0] in function.signature


def test_each_is_offered_once():
    assert len({function.name for function in FUNCTIONS}) == len(FUNCTIONS)
