"""Plug-ins: what an installed package offers is taken in where it keeps the rules, and takes nothing with it else."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from importlib.metadata import EntryPoint
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import Field

from config import checks, doctor
from handoff.steps import Params
from handoff.testing import problems_of
from steps.catalogue import BUILT_IN, CATALOGUE, PLUG_INS, RESERVED
from steps.map import MAP
from steps.noop import NOOP
from steps.plugins import GROUP, HUNG_EXIT, discover, sentences

WASH = replace(NOOP, name="acme.wash")
COUNTED = count()


class Untitled(Params):
    some_speed: int = Field(1, description="How fast it goes.")


@pytest.fixture
def offered(monkeypatch):
    """An entry point to a value, as a package that is installed would give it."""

    def offer(value, name="acme_steps"):
        module = ModuleType(name)
        module.offered = value
        monkeypatch.setitem(sys.modules, name, module)
        return EntryPoint(name, f"{name}:offered", GROUP)

    return offer


def taken(plug_ins):
    return [step_type.name for plug_in in plug_ins for step_type in plug_in.types]


def test_a_package_offers_a_step_type(offered):
    [plug_in] = discover(BUILT_IN, [offered(WASH)])
    assert (plug_in.types, plug_in.problems) == ((WASH,), ())
    assert plug_in.entry_point == "acme_steps:offered"


def test_or_several_which_keep_their_order(offered):
    several = [WASH, replace(NOOP, name="acme.dry"), replace(NOOP, name="acme.comb")]
    assert taken(discover(BUILT_IN, [offered(several)])) == ["acme.wash", "acme.dry", "acme.comb"]


def test_no_package_takes_the_name_of_what_no_definition_may_name_yet(offered):
    """It would be published as one type and executed as another."""
    assert taken(discover(RESERVED, [offered(replace(NOOP, name="map"))])) == []


def test_no_package_brings_a_container_yet(offered):
    [plug_in] = discover(RESERVED, [offered(replace(MAP, name="acme.each"))])
    assert plug_in.types == ()
    assert "has children" in plug_in.problems[0]


def test_the_text_steps_are_a_plug_in_that_comes_with_handoff():
    [text] = [plug_in for plug_in in PLUG_INS if plug_in.entry_point == "handoff_text:STEP_TYPES"]
    assert text.problems == ()
    assert [step_type.name for step_type in text.types] == [name for name in CATALOGUE if name[:5] == "text."]


def test_an_entry_point_that_two_distributions_have_is_read_once(offered):
    plug_ins = discover(BUILT_IN, [offered(WASH), offered(WASH)])
    assert taken(plug_ins) == ["acme.wash"]
    assert sentences(plug_ins) == []


def test_a_name_that_is_built_in_is_left_as_it_is(offered):
    plug_ins = discover(BUILT_IN, [offered([replace(NOOP, title="Mine"), WASH])])
    assert taken(plug_ins) == ["acme.wash"]
    assert "The step type `noop` already exists" in sentences(plug_ins)[0]


def test_of_two_plug_ins_with_one_name_the_first_has_it(offered):
    first, second = offered(WASH, "acme_steps"), offered(replace(WASH, title="Mine"), "zeta_steps")
    plug_ins = discover(BUILT_IN, [second, first])
    assert [plug_in.types for plug_in in plug_ins] == [(WASH,), ()]
    assert "The plug-in zeta_steps:offered" in sentences(plug_ins)[0]


def test_what_is_no_step_type_is_left_out(offered):
    [plug_in] = discover(BUILT_IN, [offered(["hello", WASH])])
    assert plug_in.types == (WASH,)
    assert plug_in.problems == ("It offers 'hello', which is not a StepType.",)


@pytest.mark.parametrize("name", ["no_such_module", "exits", "explodes"])
def test_a_module_that_cannot_be_imported_stops_nobody(name, tmp_path, monkeypatch, offered):
    (tmp_path / "exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "explodes.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    broken, whole = discover(BUILT_IN, [EntryPoint("aaa", f"{name}:x", GROUP), offered(WASH)])
    assert "It can't be loaded" in broken.problems[0]
    assert whole.types == (WASH,)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "Acme Wash"}, "must be lower-case words divided by dots"),
        ({"title": " "}, "`title` is empty"),
        ({"help": "Washes"}, "`help` must be a sentence"),
        ({"kind": "quick"}, "`kind` must be one of inline, blocking, external, engine, wait, not 'quick'"),
        ({"retry": "often"}, "`retry` must be one of"),
        ({"kind": "blocking"}, "`has_side_effects` must be true"),
        ({"lease_seconds": 0}, "`lease_seconds` must be"),
        ({"example": {"params": {}}}, "`example` has no input"),
        ({"example": {"params": {"x": 1}, "input": {}}}, "`x`"),
        ({"params_model": Untitled}, "Untitled.some_speed needs a title"),
        ({"output_schema_of": lambda params: 1 / 0}, "ZeroDivisionError"),
        ({"output_schema_of": lambda params: "none"}, "must give a JSON Schema"),
    ],
    # Not by the changes: the name of a test is the same in each process.
    ids=lambda given: given if isinstance(given, str) else next(iter(given)),
)
def test_what_breaks_a_rule_is_left_out_and_the_problem_names_it(changes, says, offered):
    plug_ins = discover(BUILT_IN, [offered(replace(WASH, **changes))])
    assert taken(plug_ins) == []
    assert any(says in sentence for sentence in sentences(plug_ins)), sentences(plug_ins)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"output_schema_of": lambda params: {"type": "string"}}, "The example's output does not fit"),
        ({"run": lambda context: next(COUNTED)}, "something else the second time"),
        ({"run": lambda context: context.input.update(a=2) or {}}, "changes its params or its input"),
    ],
    ids=["output", "impure", "changes"],
)
def test_an_author_s_tests_find_what_a_start_does_not_look_for(changes, says):
    wrong = replace(WASH, example={"params": {}, "input": {"a": 1}}, **changes)
    assert any(says in problem for problem in problems_of(wrong)), problems_of(wrong)
    assert problems_of(WASH) == []


def test_the_doctor_and_django_s_checks_say_which_and_why(monkeypatch, offered):
    broken = discover(BUILT_IN, [EntryPoint("aaa", "no_such_module:x", GROUP), offered(WASH)])
    monkeypatch.setattr(doctor, "PLUG_INS", broken)
    monkeypatch.setattr(checks, "PLUG_INS", broken)
    problem, good = doctor._plug_ins()
    assert problem.level == "problem"
    assert "no_such_module:x" in problem.text
    assert "No module named 'no_such_module'" in problem.text
    assert good.text.endswith("has acme.wash")
    [warning] = checks.plug_ins_are_whole()
    assert "No module named 'no_such_module'" in warning.msg


ROOT = Path(__file__).parents[2]
IMPATIENT = """
import handoff_text
from steps import plugins
plugins.SLOW_SECONDS, plugins.HUNG_SECONDS = 0.5, 1.5
from steps import catalogue
print("imported")
"""


def test_a_package_that_hangs_when_it_is_imported_is_named_and_ends_the_process(tmp_path):
    (tmp_path / "acme_hangs.py").write_text("import threading\nthreading.Event().wait()\n")
    info = tmp_path / "acme_hangs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-hangs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nhangs = acme_hangs:STEP\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    slow, hung = done.stderr.splitlines()[-2:]
    assert slow.startswith("The plug-in acme_hangs:STEP (acme-hangs 1.0) has been at its import")
    assert hung.startswith("The plug-in acme_hangs:STEP (acme-hangs 1.0) hangs in its import")
    assert (done.returncode, done.stdout) == (HUNG_EXIT, "")


def test_who_watches_the_import_is_gone_before_processes_are_forked(offered):
    before = threading.active_count()
    discover(BUILT_IN, [offered(WASH)])
    assert threading.active_count() == before
