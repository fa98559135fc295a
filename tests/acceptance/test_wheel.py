"""Handoff as a package: its wheel in an environment of its own, a plug-in beside it, started in an empty folder."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.processes import child_setup
from tests.acceptance.client import Client
from tests.acceptance.conftest import end
from tests.acceptance.running import ROOT, Handoff
from tests.architecture.sources import PACKAGES

SHOUT = Path("docs", "examples", "handoff-shout")
PAGE = (ROOT / "docs" / "plugins.md").read_text()
COMMANDS = "".join(re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
TIDY = [{"type": "text.clean"}, {"type": "acme.shout", "params": {"marks": 2}}]


class Installed(Handoff):
    """Started by the command `handoff` of an environment, in a folder of its own, with no say about its home."""

    def __init__(self, environment: Path, folder: Path) -> None:
        super().__init__(folder / ".handoff")
        self.folder, self.bin = folder, environment / "bin"
        self.output = environment.parent / "output"

    @property
    def environment(self) -> dict[str, str]:
        clean = {name: value for name, value in super().environment.items() if name != "HANDOFF_HOME"}
        # What builds a plug-in is there: nothing is fetched for it.
        offline = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1", "PYTHONPATH": ""}
        return clean | offline | {"PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}"}

    def start(self) -> None:
        """`handoff up`, without waiting."""
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [str(self.bin / "handoff"), "up"],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=child_setup(15),
            )

    def shell(self, script: str) -> str:
        """What these commands print, typed in the folder; they must succeed."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def manage(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command of Handoff in the folder."""
        said = self.shell(f"handoff {' '.join(arguments)}")
        return subprocess.CompletedProcess(arguments, 0, said, "")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder,
        ROOT,
    ]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Iterator[Installed]:
    """The wheel in a new environment, which finds what Handoff depends on in that of the tests."""
    environment = tmp_path_factory.mktemp("wheel") / "venv"
    venv.create(environment, symlinks=True)
    inside = {"base": str(environment), "platbase": str(environment)}
    packages = Path(sysconfig.get_path("purelib", "venv", inside))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    folder = tmp_path_factory.mktemp("empty")
    one = Installed(environment, folder)
    one.shell(f"python -m pip install -q --no-deps --force-reinstall {wheel}")
    yield one
    end(one)


def test_the_wheel_holds_what_the_checkout_has(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    places = {package: package for package in PACKAGES}
    places |= {"templates": "config/templates", "static": "config/static"}
    for folder, place in places.items():
        files = [path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*.*") if path.is_file()]
        assert files
        assert {f"{place}/{file}" for file in files if file.suffix != ".pyc"} <= names
    assert {"handoff/py.typed", "steps/py.typed", "engine/py.typed", "handoff_text/py.typed"} <= names
    assert [
        name for name in names if name.startswith(("tests/", "benchmarks/", "scripts/", ".handoff/"))
    ] == []


def test_the_page_on_plug_ins_shows_the_example_as_it_is():
    shown = re.findall(r"^<!-- file: (.*?) -->\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert dict(shown) == {
        name: (ROOT / SHOUT / name).read_text()
        for name in ("pyproject.toml", "handoff_shout.py", "tests/test_shout.py")
    }


def test_the_text_steps_say_the_same_of_themselves_as_the_wheel_that_has_them():
    ours, theirs = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        for folder in ("", "plugins/handoff-text")
    )
    assert ours["entry-points"] == theirs["entry-points"]
    assert ours["requires-python"] == theirs["requires-python"]
    assert set(theirs["dependencies"]) - {"handoff>=0.1"} <= set(ours["dependencies"])


@pytest.mark.exhaustive
def test_handoff_up_in_an_empty_folder_runs_a_plug_in(installed):
    shutil.copytree(ROOT / SHOUT, installed.folder / SHOUT)
    said = installed.shell(COMMANDS)
    assert "the plug-in handoff_shout:SHOUT (handoff-shout 1.0) has acme.shout" in said
    assert "Handoff 0.2.0 is installed as a package" in said
    shutil.rmtree(installed.folder / "docs")

    installed.start_and_wait()

    assert installed.get("/readyz")[0] == 200
    assert {path.name for path in installed.folder.iterdir()} == {".handoff"}
    login = installed.get("/login/")[1].decode()
    [style, *_] = re.findall(r'href="(/static/[^"]+\.css)"', login)
    assert installed.get(style)[0] == 200
    with Client(installed) as client:
        types = {found["name"]: found for found in client.get("/step-types")["results"]}
        assert types["acme.shout"]["group_title"] == "Texts"
        assert types["text.clean"]["group_title"] == "Texts"
        client.publish({"name": "loud", "steps": TIDY})
    (installed.folder / "text.txt").write_text("<b>fire</b>")
    assert '"FIRE!!"' in installed.shell("handoff run loud --input text.txt")
