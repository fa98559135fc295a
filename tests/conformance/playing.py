"""How each SDK plays a case: the program that does, built where it has to be, and what it plays against (R-193)."""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.serving import ROOT

SDKS: Final = ROOT / "sdks"
CASES: Final = sorted((SDKS / "conformance" / "cases").glob("*.json"))
Command = list[str]


class CannotBuild(Exception):
    """A tool is missing; the message says which."""


def run_in(folder: Path, *command: str) -> None:
    """Run a command there; what it says is told where it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stdout}{done.stderr}")


def copied(sdk: str, out: Path) -> Path:
    """The folder of an SDK as it is in the repository, where things may be built."""
    built = shutil.ignore_patterns("node_modules", "build", "target")
    return Path(shutil.copytree(SDKS / sdk, out / sdk, ignore=built))


def _needs(tool: str) -> None:
    if shutil.which(tool) is None:
        raise CannotBuild(f"{tool} is missing")


def _go(out: Path) -> Command:
    _needs("go")
    run_in(SDKS / "go" / "conformance", "go", "build", "-o", str(out / "conformance"), ".")
    return [str(out / "conformance")]


def _typescript(out: Path) -> Command:
    _needs("npm")
    folder = copied("typescript", out)
    run_in(folder, "npm", "ci", "--silent")
    run_in(folder, "npx", "tsc")
    return ["node", str(folder / "build" / "conformance" / "main.js")]


def _java(out: Path) -> Command:
    _needs("mvn")
    _needs("java")
    folder = copied("java", out)
    libraries = ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    run_in(folder, "mvn", "--quiet", "--batch-mode", "-DskipTests", "package", *libraries)
    built = [folder / "target" / name for name in ("classes", "test-classes", "dependency/*")]
    return ["java", "-cp", ":".join(map(str, built)), "handoff.conformance.Conformance"]


class Player(NamedTuple):
    """`title`: of its column in the table. `program`: what plays a case, in Python, or a function that gives the
    command which does; it builds into a folder, and raises CannotBuild. `place`: the fixture that gives what it plays
    against. `needs`: the mark of what not every machine has.
    """

    title: str
    program: Path | Callable[[Path], Command]
    place: str = "by_rest"
    needs: str | None = None


_PYTHON: Final = SDKS / "python" / "conformance.py"
_RAW: Final = Path(__file__).parent
PLAYERS: Final[Mapping[str, Player]] = {
    "rest": Player("REST alone", _RAW / "raw_rest.py"),
    "grpc": Player("gRPC alone", _RAW / "raw_grpc.py", "by_grpc"),
    "python": Player("Python", _PYTHON),
    "python-redis": Player("Python, told by Redis", _PYTHON, "told_by_redis"),
    "python-kafka": Player("Python, told by Kafka", _PYTHON, "told_by_kafka", "kafka"),
    "typescript": Player("TypeScript", _typescript, needs="toolchains"),
    "typescript-grpc": Player("TypeScript, gRPC", _typescript, "by_stream", "toolchains"),
    "typescript-redis": Player("TypeScript, told by Redis", _typescript, "told_by_redis", "toolchains"),
    "typescript-kafka": Player("TypeScript, told by Kafka", _typescript, "told_by_kafka", "kafka"),
    "go": Player("Go", _go, needs="toolchains"),
    "go-grpc": Player("Go, gRPC", _go, "by_stream", "toolchains"),
    "go-redis": Player("Go, told by Redis", _go, "told_by_redis", "toolchains"),
    "go-kafka": Player("Go, told by Kafka", _go, "told_by_kafka", "kafka"),
    "java": Player("Java", _java, needs="toolchains"),
    "java-grpc": Player("Java, gRPC", _java, "by_stream", "toolchains"),
    "java-redis": Player("Java, told by Redis", _java, "told_by_redis", "toolchains"),
    "java-kafka": Player("Java, told by Kafka", _java, "told_by_kafka", "kafka"),
}
