"""Each step type says by which other words people search for it."""

import pytest

from steps.catalogue import CATALOGUE
from workflows.design import palette


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_step_type_has_other_words(name):
    words = CATALOGUE[name].keywords.split()
    assert words
    assert len(set(words)) == len(words)
    assert all(word == word.lower() for word in words)


def test_the_builder_is_told_of_them():
    told = {one["name"]: one["keywords"] for one in palette.step_types()}
    assert "timer" in told["wait"]
    assert "sign-off" in told["human.approval"]
