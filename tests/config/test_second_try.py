"""What CI makes of a test that fails once, twice, or with others (`scripts/test_twice`)."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from tests.serving import ROOT

pytestmark = pytest.mark.processes

TESTS = """
import pathlib, pytest
HERE = pathlib.Path(__file__).parent

def first_time(name):
    seen = HERE / f"{name}.seen"
    try:
        return not seen.exists()
    finally:
        seen.touch()

@pytest.mark.parametrize("number", range(4))
def test_flaky(number):
    assert number >= int((HERE / "flaky").read_text()) or not first_time(f"flaky {number}"), "only once"

def test_broken():
    assert not (HERE / "broken").exists()

def test_interrupted():
    if (HERE / "interrupted").exists():
        raise KeyboardInterrupt

@pytest.fixture
def late():
    yield
    assert not (HERE / "late").exists() or not first_time("late")

def test_end(late):
    pass
"""


@pytest.fixture
def run(tmp_path, capfd):
    """Runs a small suite as CI runs ours; gives its exit status and what was said."""
    loader = SourceFileLoader("test_twice", str(ROOT / "scripts" / "test_twice"))
    script = module_from_spec(spec_from_loader("test_twice", loader))
    loader.exec_module(script)
    (tmp_path / "test_small.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q -p no:cacheprovider\n")
    command = [sys.executable, "-B", "-m", "pytest", "-c", str(tmp_path / "pytest.ini")]

    def run(*happens, flaky=0):
        (tmp_path / "flaky").write_text(str(flaky))
        for one in happens:
            (tmp_path / one).touch()
        # The names are those of the root, where CI runs them.
        suites = [
            [*command, "-p", "tests.failures", str(tmp_path), "-k", which] for which in ("flaky", "not flaky")
        ]
        status = script.run(suites, command)
        return status, capfd.readouterr().out

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        yield run


def test_nothing_is_said_of_a_second_try_where_all_is_well(run):
    status, said = run()
    assert (status, "second" in said) == (0, False)


@pytest.mark.parametrize("happens", [{"flaky": 2}, {"late": True}])
def test_what_passes_at_the_second_try_is_told_with_its_first_traceback(run, happens):
    flaky = happens.pop("flaky", 0)
    status, said = run(*happens, flaky=flaky)
    assert status == 0
    told = said.partition("A second try, alone:")[2]
    if flaky:
        assert told.count("passed only at the second try: test_small.py::test_flaky[") == 2
        assert "only once" in told
    else:
        assert "passed only at the second try: test_small.py::test_end" in told
        assert "first_time" in told


def test_three_are_too_many(run):
    status, said = run(flaky=3)
    assert status == 1
    assert "3 tests failed: too many for a second try." in said


def test_where_three_failed_the_other_suites_are_left_out(run):
    """They take as long again, for a run that is lost."""
    status, said = run("interrupted", flaky=3)
    assert status == 1
    assert "3 tests failed: too many for a second try." in said


def test_what_fails_twice_fails(run):
    assert run("broken")[0] == 1
    assert run("broken", flaky=1)[0] == 1


def test_a_run_that_was_interrupted_fails_whatever_it_found(run):
    status, said = run("interrupted", flaky=1)
    assert status == 1
    assert "did not come to their end" in said


def test_a_run_that_never_began_fails(run, tmp_path):
    (tmp_path / "test_small.py").write_text("import nothing_like_it")
    assert run()[0] == 1
