"""The catalogue: what is built in, and what plug-ins offer."""

from dataclasses import replace

import pytest

from engine.catalogue import Catalogue
from steps.catalogue import BUILT_IN, CATALOGUE, GROUP_TITLES, build
from steps.noop import NOOP
from steps.plugins import PlugIn


def test_it_has_the_types_that_are_built_in():
    text = {"text.clean", "text.summarize", "text.keywords", "text.tag"}
    assert text | {"transform", "decision", "job", "noop"} <= set(CATALOGUE)


def test_it_cannot_be_changed():
    with pytest.raises(TypeError):
        CATALOGUE["x"] = NOOP


def test_it_is_what_the_engine_expects():
    catalogue: Catalogue = CATALOGUE
    assert catalogue["text.clean"].input_schema


def test_types_stand_by_their_groups_and_unknown_groups_are_last():
    types = [replace(NOOP, name=f"acme.{group}", group=group) for group in ("acme", "text", "flow")]
    plug_in = PlugIn("acme 1", "acme:STEPS", tuple(types), ())
    groups = [step_type.group for step_type in build(BUILT_IN, [plug_in]).values()]
    assert groups == sorted(groups, key=[*GROUP_TITLES, "acme"].index)


@pytest.mark.parametrize("kind", ["inline", "blocking"])
def test_a_type_that_may_compute_for_ever_is_none(kind):
    with pytest.raises(ValueError, match="needs timeout_seconds"):
        replace(NOOP, kind=kind, timeout_seconds=None)
