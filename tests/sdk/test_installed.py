"""Each SDK is installed outside the checkout as its README says; the first program of that README does its jobs."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from config.embedded.processes import wait_until
from tests.conformance.playing import SDKS, copied, run_in
from tests.serving import site

__all__ = ["site"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

DEFINITION: Final = {"name": "credit_score", "nodes": [{"id": "credit-score", "type": "job"}]}
JVM_ENDED_BY_SIGTERM: Final = 143
POM: Final = """
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>scores</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>handoff</groupId>
      <artifactId>handoff-sdk</artifactId>
      <version>0.2.0</version>
    </dependency>
  </dependencies>
</project>
"""


def example(sdk: str, language: str) -> str:
    """The first program in the README of an SDK."""
    text = (SDKS / sdk / "README.md").read_text()
    worker = text[text.index("## A worker") :]
    found = re.search(rf"^```{language}\n(.*?)^```", worker, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def python(folder: Path) -> list[str]:
    """Installs it as pip does, but for httpx, which is here."""
    source = copied("python", folder)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
    ]
    run_in(folder, *pip, "--target", str(folder / "site"), str(source))
    (folder / "worker.py").write_text(example("python", "python"))
    assert (folder / "site" / "handoff_sdk" / "models.py").exists()
    return ["env", f"PYTHONPATH={folder / 'site'}", sys.executable, "worker.py"]


def typescript(folder: Path) -> list[str]:
    """Installs the folder of the checkout itself: nothing is fetched, and nothing built."""
    (folder / "package.json").write_text('{"name": "scores", "version": "1.0.0", "type": "module"}')
    run_in(folder, "npm", "install", "--offline", "--silent", str(SDKS / "typescript"))
    (folder / "worker.js").write_text(example("typescript", "ts"))
    return ["node", "worker.js"]


def go(folder: Path) -> list[str]:
    """Needs no other module."""
    run_in(folder, "go", "mod", "init", "scores")
    run_in(folder, "go", "mod", "edit", "-replace", f"handoff={SDKS / 'go'}")
    run_in(folder, "env", "GOPROXY=off", "go", "get", "handoff")
    (folder / "main.go").write_text(example("go", "go"))
    run_in(folder, "env", "GOPROXY=off", "go", "build", "-o", "scores", ".")
    return [str(folder / "scores")]


def java(folder: Path) -> list[str]:
    """Installs into a repository whose other files are those of this machine's."""
    repository, known = folder / "repository", Path.home() / ".m2" / "repository"
    repository.mkdir()
    if known.is_dir():
        run_in(folder, "cp", "-rs", f"{known}/.", str(repository))
    # One that was installed here by hand is not what is tested.
    shutil.rmtree(repository / "handoff", ignore_errors=True)
    maven = ["mvn", "--quiet", "--batch-mode", f"-Dmaven.repo.local={repository}"]
    run_in(copied("java", folder), *maven, "-DskipTests", "install")
    (folder / "pom.xml").write_text(POM)
    source = folder / "src" / "main" / "java" / "Scores.java"
    source.parent.mkdir(parents=True)
    source.write_text(example("java", "java"))
    # The plugins that the SDK has itself, so that no others are fetched.
    goals = ("maven-compiler-plugin:3.14.1:compile", "maven-dependency-plugin:3.8.1:copy-dependencies")
    run_in(folder, *maven, *(f"org.apache.maven.plugins:{goal}" for goal in goals))
    libraries = {path.name for path in (folder / "target" / "dependency").glob("*.jar")}
    assert libraries == {name for name in libraries if name.startswith(("handoff-", "jackson-"))}
    return ["java", "-cp", "target/classes:target/dependency/*", "Scores"]


class Installed(NamedTuple):
    """`tool`: which it needs. `install`: installs it into a folder and gives the command of the program. `code`: with
    which that ends at SIGTERM.
    """

    tool: str
    install: Callable[[Path], list[str]]
    code: int = 0


INSTALLED: Final = {
    "python": Installed(sys.executable, python),
    "typescript": Installed("npm", typescript),
    "go": Installed("go", go),
    "java": Installed("mvn", java, JVM_ENDED_BY_SIGTERM),
}


@pytest.mark.parametrize(
    "sdk",
    ["python", "typescript", *(pytest.param(each, marks=pytest.mark.toolchains) for each in ("go", "java"))],
)
def test_the_first_program_of_the_readme_runs_in_somebodys_own_project(
    sdk, site, people, api, ended, tmp_path
):
    tool, install, code = INSTALLED[sdk]
    if shutil.which(tool) is None and not os.environ.get("CI"):
        pytest.skip(f"{tool} is missing")
    folder = tmp_path / "scores"
    folder.mkdir()
    command = install(folder)
    assert (
        api.post("/api/v1/workflows", {"name": "credit_score", "definition": DEFINITION}).status_code == 201
    )
    assert api.post("/api/v1/workflows/credit_score/publish").status_code == 201
    started = api.post("/api/v1/runs", {"workflow": "credit_score", "input": {"amount": 12_000}})
    environment = {"HANDOFF": f"{site}/api/v1", "TOKEN": people.token("worker"), "NO_PROXY": "127.0.0.1"}
    output = folder / "output"
    with output.open("wb") as terminal:
        worker = subprocess.Popen(
            command, cwd=folder, env=os.environ | environment, stdout=terminal, stderr=subprocess.STDOUT
        )
    try:
        wait_until(
            lambda: api.get(f"/api/v1/runs/{started.json()['id']}").json()["status"] == "COMPLETED",
            30,
            output.read_text,
        )
        assert ended(started.json()["id"])[0]["output"]["score"] in (510, 730)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == code, output.read_text()
    finally:
        worker.kill()
        worker.wait()
