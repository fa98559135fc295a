"""The groups of steps that the palette offers are sound as they are."""

import pytest

from steps.catalogue import CATALOGUE
from workflows.checking.check import check
from workflows.design.snippets import snippets


def definition_of(snippet: dict) -> dict:
    return {"name": snippet["name"], "nodes": snippet["nodes"], "edges": snippet["edges"]}


@pytest.mark.parametrize("snippet", snippets(), ids=lambda snippet: snippet["name"])
def test_the_validator_finds_nothing_in_it(snippet):
    assert [
        problem.as_dict() for problem in check(definition_of(snippet), name=snippet["name"]).problems
    ] == []


@pytest.mark.parametrize("snippet", snippets(), ids=lambda snippet: snippet["name"])
def test_it_begins_with_its_first_step_and_says_what_it_is_for(snippet):
    ids = [node["id"] for node in snippet["nodes"]]
    assert set(ids) - {edge["to"] for edge in snippet["edges"]} == {ids[0]}
    assert set(snippet["places"]) == set(ids)
    assert len({tuple(place.values()) for place in snippet["places"].values()}) == len(ids)
    assert snippet["help"].endswith(".")
    assert {node["type"] for node in snippet["nodes"]} <= CATALOGUE.keys()


def test_each_is_called_otherwise():
    assert len({snippet["title"] for snippet in snippets()}) == len(snippets())
