"""Kafka on one node, of jars that Maven fetches once: two loopback ports, a small heap, its data in its folder.

For trying out and for tests. It asks for no password: whoever has an account on this machine reaches it.
"""

import base64
import hashlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.embedded.private_files import private_folder, write_private
from config.embedded.processes import EmbeddedError, child_setup, clear_away
from config.embedded.redis import free_port, is_free

STOP_SIGNAL = signal.SIGTERM
SILENCE_SECONDS = 30.0
"""So long it may say nothing: a JVM on a busy machine."""
_POM = Path(__file__).with_name("kafka.xml")
_FETCH_SECONDS = 600
_FORMAT_SECONDS = 120
_ANSWER_SECONDS = 3.0
_JVM = (
    "-Xms64m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djava.awt.headless=true",
)
_SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    # One node is all there is to keep a copy.
    "offsets.topic.replication.factor": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "offsets.topic.num.partitions": "4",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    # A node that was killed waits until its earlier life counts as dead.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    # The database sends again what consumers have lost: a day is plenty.
    "log.retention.hours": "24",
    "log.segment.bytes": "67108864",
    "log.index.size.max.bytes": "1048576",
    # By default these take more than the whole heap.
    "log.cleaner.dedupe.buffer.size": "4194304",
    "num.network.threads": "1",
    "num.io.threads": "2",
    "background.threads": "2",
}
_LOGGING = """\
status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d %p %m (%c{1})%n
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
"""
# The first request of the protocol, which anybody may send: which versions are there. Its answer repeats the number.
_NUMBER = 7
_QUESTION = struct.pack("!hhih", 18, 0, _NUMBER, -1)


def java() -> str:
    """The program `java`. Raises EmbeddedError where there is none."""
    home = os.environ.get("JAVA_HOME", "")
    if program := shutil.which("java", path=f"{home}/bin" if home else None) or shutil.which("java"):
        return program
    raise EmbeddedError(
        "There is no embedded Kafka without Java: install Java 17 or newer, or name your own brokers."
    )


def is_fetched() -> bool:
    """Whether all jars are here."""
    return _jars().is_dir()


def jars() -> Path:
    """The folder with all jars, fetched by Maven where it isn't there yet: beside Maven's own, for all homes.

    Raises EmbeddedError where that is not possible.
    """
    folder = _jars()
    if not folder.is_dir():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Whole or not at all: whoever comes first renames it.
        with tempfile.TemporaryDirectory(prefix="kafka-", dir=folder.parent) as draft:
            _fetch(Path(draft, "jars"))
            if not folder.is_dir():
                Path(draft, "jars").rename(folder)
    return folder


def _jars() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "handoff")
    return cache / f"kafka-{hashlib.sha256(_POM.read_bytes()).hexdigest()[:16]}"


def _fetch(folder: Path) -> None:
    if not (maven := shutil.which("mvn")):
        raise EmbeddedError("Kafka's jars are missing: install Maven (mvn), which fetches them once.")
    goal = ("dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder}")
    try:
        done = subprocess.run(
            # -C: what does not have the checksum that its repository names is refused.
            [maven, "-q", "-B", "-C", "-f", str(_POM), *goal],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_FETCH_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EmbeddedError(f"Maven did not fetch Kafka's jars within {_FETCH_SECONDS} s.") from None
    if done.returncode or not folder.is_dir():
        lines = [line for line in done.stdout.splitlines() if line.startswith("[ERROR]")]
        reason = lines[0].removeprefix("[ERROR]").strip()[:300] if lines else f"exit code {done.returncode}"
        raise EmbeddedError(f"Maven could not fetch Kafka's jars: {reason}")


@dataclass(frozen=True)
class Kafka:
    """An embedded node that keeps everything under `folder`; `settings` are added to its own."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        return int((self.folder / "port").read_text())

    @property
    def address(self) -> str:
        """As clients read it."""
        return f"127.0.0.1:{self.port}"

    def prepare(self) -> None:
        """Fetch what is missing, clear away what a killed node left, choose ports, format the data folder once.

        Raises EmbeddedError.
        """
        java()
        jars()
        private_folder(self.folder)
        clear_away(self.folder, "java", STOP_SIGNAL)
        self._choose_ports()
        write_private(self.folder / "log4j2.properties", _LOGGING)
        if not (self.folder / "data").exists():
            self._format()
        write_private(self.folder / "server.properties", self._configuration(self.folder / "data"))

    def command(self) -> list[str]:
        """The command line of the node; its working directory has to be `folder`."""
        return self._java("kafka.Kafka", "server.properties")

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the node as a child of this process; its log goes to `folder`/log."""
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                start_new_session=True,
                preexec_fn=child_setup(signal.SIGKILL),
            )

    def is_ready(self) -> bool:
        """Whether it answers."""
        # Without a client: there may be none, and a JVM that stands still takes connections, too.
        try:
            with socket.create_connection(("127.0.0.1", self.port), _ANSWER_SECONDS) as line:
                line.sendall(struct.pack("!i", len(_QUESTION)) + _QUESTION)
                with line.makefile("rb") as answer:
                    head = answer.read(10)
        except OSError:
            return False
        return len(head) == 10 and struct.unpack("!iih", head)[1:] == (_NUMBER, 0)

    def _choose_ports(self) -> None:
        """The last ones if they are free."""
        files = [self.folder / name for name in ("port", "controller-port")]
        while not (all(map(_has_free_port, files)) and files[0].read_text() != files[1].read_text()):
            for file in files:
                write_private(file, str(free_port()))

    def _java(self, *words: str) -> list[str]:
        return [
            java(),
            *_JVM,
            "-Dlog4j2.configurationFile=log4j2.properties",
            "-cp",
            f"{jars()}/*",
            *words,
        ]

    def _format(self) -> None:
        """Make the data folder beside its place and rename it: a kill in between leaves nothing half made."""
        identity = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        with tempfile.TemporaryDirectory(prefix="new-", dir=self.folder) as draft:
            properties = Path(draft, "server.properties")
            write_private(properties, self._configuration(Path(draft, "data")))
            try:
                done = subprocess.run(
                    # The equals sign: an identity may begin with a hyphen.
                    self._java(
                        "kafka.tools.StorageTool",
                        "format",
                        f"--cluster-id={identity}",
                        f"--config={properties}",
                    ),
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=_FORMAT_SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise EmbeddedError(
                    f"Kafka did not make its data folder within {_FORMAT_SECONDS} s."
                ) from None
            if done.returncode:
                reason = (done.stderr.strip() or done.stdout.strip() or "no reason").splitlines()[-1][:300]
                raise EmbeddedError(f"Kafka could not make its data folder (it needs Java 17): {reason}")
            Path(draft, "data").rename(self.folder / "data")

    def _configuration(self, data: Path) -> str:
        controller = f"127.0.0.1:{(self.folder / 'controller-port').read_text()}"
        lines = {
            **_SETTINGS,
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://{controller}",
            "advertised.listeners": f"PLAINTEXT://{self.address}",
            "controller.quorum.voters": f"1@{controller}",
            "log.dirs": str(data).replace("\\", "\\\\"),
            **self.settings,
        }
        return "".join(f"{name}={value}\n" for name, value in lines.items())


def _has_free_port(file: Path) -> bool:
    return file.exists() and file.read_text().isdecimal() and is_free(int(file.read_text()))
