"""`make bench` prints and keeps what it could measure."""

import json

import pytest

from benchmarks import __main__ as bench
from benchmarks import builder, suite


@pytest.fixture
def measured(monkeypatch):
    """The figures of a suite of which one benchmark can't be run."""

    def broken(url, share):
        raise FileNotFoundError("Chromium is missing")

    benchmarks = {"one": lambda url, share: {"p50_ms": 1200 * share}, "two": broken, "three": lambda *_: {}}
    monkeypatch.setattr(suite, "SUITE", benchmarks)
    monkeypatch.setattr(suite.scenarios, "chain_throughput", lambda *_: {})
    return suite.measure


def test_one_that_cannot_be_run_costs_no_other_its_figures(measured, tmp_path, capsys):
    assert bench.report(measured("http://here", 1), tmp_path) == 1
    printed = capsys.readouterr().out
    assert "1,200" in printed
    assert printed.endswith("Not measured:\n  two\n")
    (path,) = tmp_path.iterdir()
    kept = json.loads(path.read_text())
    assert kept["one"] == {"p50_ms": 1200}
    assert kept["two"] == {"error": "FileNotFoundError: Chromium is missing"}
    assert kept["three"] == {}
    assert kept["machine"]["cores"]


def test_some_of_them_are_printed_and_not_kept(measured, tmp_path, capsys):
    assert bench.report(measured("http://here", 0.5, "one"), None) == 0
    assert "600" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_without_a_browser_the_builder_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    (tmp_path / "admin-password").write_text("x")
    monkeypatch.setattr(builder.shutil, "which", lambda _: None)
    with pytest.raises(FileNotFoundError, match="apt-get install chromium"):
        builder.drawn_and_dragged("http://127.0.0.1:1", 10)
