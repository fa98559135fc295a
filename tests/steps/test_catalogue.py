"""The catalogue: what is built in, and what installed packages offer."""

import dataclasses
import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from engine.catalogue import Catalogue
from steps.catalogue import BUILT_IN, CATALOGUE, GROUP, CatalogueError, build
from steps.noop import NOOP


@pytest.fixture
def offered(monkeypatch):
    """An entry point to a value, as a package that is installed would give it."""
    module = ModuleType("acme_steps")
    monkeypatch.setitem(sys.modules, "acme_steps", module)

    def offer(value):
        module.offered = value
        return EntryPoint("acme", "acme_steps:offered", GROUP)

    return offer


def renamed(name):
    fields = ("kind", "title", "help", "icon", "group", "example", "run")
    return type(NOOP)(name=name, **{field: getattr(NOOP, field) for field in fields})


def test_it_has_the_types_that_are_built_in():
    text = {"text.clean", "text.summarize", "text.keywords", "text.tag"}
    assert text | {"transform", "decision", "job", "noop"} <= set(CATALOGUE)


def test_it_cannot_be_changed():
    with pytest.raises(TypeError):
        CATALOGUE["x"] = NOOP


def test_it_is_what_the_engine_expects():
    catalogue: Catalogue = CATALOGUE
    assert catalogue["text.clean"].input_schema


def test_installed_packages_add_their_types(offered):
    assert "acme.wash" in build(BUILT_IN, [offered(renamed("acme.wash"))])


def test_a_name_that_is_taken_stops_the_start(offered):
    with pytest.raises(CatalogueError, match="acme_steps:offered offers `noop`, which is taken"):
        build(BUILT_IN, [offered(renamed("noop"))])


def test_something_else_stops_the_start(offered):
    with pytest.raises(CatalogueError, match="acme_steps:offered is no StepType"):
        build(BUILT_IN, [offered("hello")])


def test_a_package_that_is_broken_stops_the_start():
    with pytest.raises(CatalogueError, match=r"no_such_module:x cannot be loaded"):
        build(BUILT_IN, [EntryPoint("broken", "no_such_module:x", GROUP)])


@pytest.mark.parametrize("kind", ["inline", "blocking"])
def test_a_type_that_may_compute_for_ever_is_none(kind):
    with pytest.raises(ValueError, match="needs timeout_seconds"):
        dataclasses.replace(NOOP, kind=kind, timeout_seconds=None)
