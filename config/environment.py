"""Where this process finds its home, its servers and its secrets: the environment first, then the home's run.json."""

import base64
import binascii
import json
import os
import shlex
from collections.abc import Callable
from functools import partial
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, unquote, urlsplit

from config import hardness

BASE_DIR = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (BASE_DIR / "scripts" / "bootstrap").is_file()
"""Whether this is the repository itself; otherwise a wheel was installed, and BASE_DIR is where packages are."""
_SWITCHES = ("HANDOFF_HINTS", "HANDOFF_TRUST_PROXY", "HANDOFF_REQUIRE_SEEN")
_MASTER_KEY_BYTES, _SHORTEST_METRICS_TOKEN = 32, 16
TEXT, JSON = "text", "json"
V1_LEASE = ("HANDOFF_V1_LEASE_SECONDS", 0, 0, 86_400)  # what `whole` takes; 0: as leases of others
ON, OFF = frozenset({"on", "1", "true", "yes"}), frozenset({"off", "0", "false", "no"})


class BadEnvironment(ValueError):
    """A variable has a value that means nothing; the message is one line that says what to do."""


def home() -> Path:
    """The folder that holds everything a local Handoff keeps (`HANDOFF_HOME`).

    By default `.handoff/` in the checkout, or in the current folder where Handoff was installed as a package.
    """
    default = (BASE_DIR if IS_CHECKOUT else Path.cwd()) / ".handoff"
    return Path(os.environ.get("HANDOFF_HOME") or default).absolute()


def resource(name: str) -> Path:
    """The folder `templates` or `static`, which a wheel has within `config`."""
    return BASE_DIR / name if IS_CHECKOUT else BASE_DIR / "config" / name


def command(name: str) -> str:
    """What a person types to `up` or `doctor` here, for messages."""
    return f"{'make' if IS_CHECKOUT else 'handoff'} {name}"


def port() -> int:
    """The port that the web process listens on (`HANDOFF_PORT`, default 8000). Raises BadEnvironment."""
    value = os.environ.get("HANDOFF_PORT") or "8000"
    if not (value.isascii() and value.isdecimal() and 0 < int(value) < 65_536):
        raise BadEnvironment(f"HANDOFF_PORT must be a number from 1 to 65535, not {value[:20]!r}.")
    return int(value)


def blocking_threads() -> int:
    """How many steps that wait for others one worker does at once (`HANDOFF_BLOCKING_THREADS`, default 32).

    Raises BadEnvironment.
    """
    return whole("HANDOFF_BLOCKING_THREADS", 32, 1, 1000)


def web_processes() -> int:
    """How many web processes answer (`HANDOFF_WEB_PROCESSES`, default: one for each core, up to 4).

    Raises BadEnvironment.
    """
    return whole("HANDOFF_WEB_PROCESSES", min(_cores(), 4), 1, 32)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def continue_after_events() -> int:
    """From how many events of history on a loop goes on as a new run (`HANDOFF_CONTINUE_AFTER_EVENTS`, default 10,000).

    Raises BadEnvironment for anything but a number from 100 to 1,000,000.
    """
    return whole("HANDOFF_CONTINUE_AFTER_EVENTS", 10_000, 100, 1_000_000)


def tree_depth() -> int:
    """How many levels of runs may start one another (`HANDOFF_TREE_DEPTH`, default 20). Raises BadEnvironment."""
    return whole("HANDOFF_TREE_DEPTH", 20, 1, 100)


def tree_open_runs() -> int:
    """How many runs that others wait for may be open in a tree (`HANDOFF_TREE_OPEN_RUNS`, default 1,000).

    Raises BadEnvironment.
    """
    return whole("HANDOFF_TREE_OPEN_RUNS", 1_000, 1, 100_000)


def tree_runs() -> int:
    """How many runs a tree may start in all (`HANDOFF_TREE_RUNS`, default 1,000,000). Raises BadEnvironment."""
    return whole("HANDOFF_TREE_RUNS", 1_000_000, 1, 100_000_000)


def blobs(folder: Path | None = None) -> str:
    """Where large payloads are kept (`HANDOFF_BLOBS`): `file:///folder`, `s3://bucket/prefix`, or empty: in their rows.

    `folder`: the home of a database that lives there, too: without a word they are beside it. Raises BadEnvironment.
    """
    value = os.environ.get("HANDOFF_BLOBS", "").strip()
    if value.lower() in OFF:
        return ""
    if not value:
        return (folder / "blobs").as_uri() if folder else str(run_facts().get("blobs_url") or "")
    parts = urlsplit(value)
    is_folder = parts.scheme == "file" and not parts.netloc and len(parts.path) > 1
    if not (is_folder or (parts.scheme == "s3" and parts.netloc)):
        raise BadEnvironment(
            f"HANDOFF_BLOBS must be file:///a/folder, s3://a-bucket/prefix or off, not {value[:40]!r}."
        )
    return value


def blob_bytes() -> int:
    """From how many bytes on a payload is large (`HANDOFF_BLOB_BYTES`, default 65,536). Raises BadEnvironment."""
    return whole("HANDOFF_BLOB_BYTES", 65_536, 100, 64 * 1024 * 1024)


def file_scan() -> str:
    """The command that looks at each file before it is kept (`HANDOFF_FILE_SCAN`); empty for none.

    Raises BadEnvironment.
    """
    value = os.environ.get("HANDOFF_FILE_SCAN", "").strip()
    try:
        shlex.split(value)
    except ValueError:
        raise BadEnvironment("HANDOFF_FILE_SCAN must be a command; a quote in it has no end.") from None
    return value


def session_hours() -> int:
    """How long after the login a session ends, whatever is done (`HANDOFF_SESSION_HOURS`, default 12).

    Raises BadEnvironment.
    """
    return whole("HANDOFF_SESSION_HOURS", 12, 1, 720)


def idle_minutes(*, default: int) -> int:
    """After how long without anybody doing something a session ends (`HANDOFF_IDLE_MINUTES`). Raises BadEnvironment."""
    return whole("HANDOFF_IDLE_MINUTES", default, 1, 43_200)


def whole(variable: str, default: int, least: int, most: int) -> int:
    """A whole number within these bounds. Raises BadEnvironment."""
    value = os.environ.get(variable) or str(default)
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and least <= int(value) <= most):
        raise BadEnvironment(f"{variable} must be a number from {least} to {most}, not {value[:20]!r}.")
    return int(value)


def undo_seconds() -> int:
    """How long a decision on a page can be undone (`HANDOFF_UNDO_SECONDS`, default 10; 0: not at all).

    Raises BadEnvironment.
    """
    value = os.environ.get("HANDOFF_UNDO_SECONDS") or "10"
    if not (value.isascii() and value.isdecimal() and int(value) <= 60):
        raise BadEnvironment(f"HANDOFF_UNDO_SECONDS must be a number from 0 to 60, not {value[:20]!r}.")
    return int(value)


def operator_tasks() -> tuple[str, ...]:
    """Of what operators get tasks in the inbox (`HANDOFF_OPERATOR_TASKS`: dead_letters, repairs; default nothing).

    Raises BadEnvironment.
    """
    names = tuple(dict.fromkeys(os.environ.get("HANDOFF_OPERATOR_TASKS", "").replace(",", " ").split()))
    for name in names:
        if name not in ("dead_letters", "repairs"):
            raise BadEnvironment(
                f"HANDOFF_OPERATOR_TASKS may have dead_letters and repairs, not {name[:20]!r}."
            )
    return names


def mail_facts() -> bool:
    """Whether mails about tasks have their facts (`HANDOFF_MAIL_FACTS`: on or off; default on)."""
    return switch("HANDOFF_MAIL_FACTS", default=True)


def trusted_proxies() -> tuple[IPv4Network | IPv6Network, ...]:
    """Whose `X-Forwarded-For` is believed (`HANDOFF_TRUSTED_PROXIES`: CIDRs, divided by commas; default nobody's).

    Raises BadEnvironment.
    """
    networks = []
    for text in os.environ.get("HANDOFF_TRUSTED_PROXIES", "").replace(",", " ").split():
        try:
            networks.append(ip_network(text))
        except ValueError:
            raise BadEnvironment(
                f"HANDOFF_TRUSTED_PROXIES must be networks such as 10.1.2.0/24, not {text[:40]!r}."
            ) from None
    return tuple(networks)


def url() -> str:
    """Where people reach Handoff, for links in mails (`HANDOFF_URL`); empty where it is not said.

    Raises BadEnvironment.
    """
    value = os.environ.get("HANDOFF_URL", "").strip().rstrip("/")
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if value and not (good and value == f"{parts.scheme}://{parts.netloc}" and "@" not in value):
        raise BadEnvironment(
            "HANDOFF_URL must be an address such as https://handoff.example.org, without a path."
        )
    return value


def switch(variable: str, *, default: bool) -> bool:
    """An on/off variable. Raises BadEnvironment: who mistypes one must not get the opposite of what they want."""
    value = os.environ.get(variable, "").strip().lower()
    if value and value not in ON | OFF:
        raise BadEnvironment(f"{variable} must be on or off, not {value[:20]!r}.")
    return value in ON if value else default


def master_keys() -> tuple[bytes, ...]:
    """The master keys (docs/security.md, "Secrets at rest"), the current one first; empty where there is none.

    From `HANDOFF_MASTER_KEY`, else the home's `master-key`: base64 of 32 bytes each, divided by commas or lines.
    Raises BadEnvironment, which repeats nothing of them; a guessable key may stand behind another one only.
    """
    try:
        texts = secret("HANDOFF_MASTER_KEY", "master-key").replace(",", " ").split()
        keys = tuple(base64.b64decode(_padded(text), altchars=b"-_", validate=True) for text in texts)
    except (binascii.Error, ValueError):
        keys = (b"",)
    where = "HANDOFF_MASTER_KEY (or master-key in the home)"
    if any(len(key) != _MASTER_KEY_BYTES for key in keys):
        raise BadEnvironment(f"{where} must be base64 of 32 bytes for each key, comma separated.")
    if keys and hardness.is_guessable(keys[0]):
        raise BadEnvironment(f"{where} is not random: put one of `openssl rand -base64 32` before it.")
    return keys


def metrics_token() -> str:
    """Who sends it as a bearer token may read `/metrics` (`HANDOFF_METRICS_TOKEN`); empty: nobody.

    Raises BadEnvironment for one that is short or not plain ASCII, and repeats nothing of it.
    """
    value = os.environ.get("HANDOFF_METRICS_TOKEN", "").strip()
    is_plain = value.isascii() and value.isprintable() and " " not in value
    if value and not (is_plain and len(value) >= _SHORTEST_METRICS_TOKEN):
        raise BadEnvironment(
            f"HANDOFF_METRICS_TOKEN must be {_SHORTEST_METRICS_TOKEN} or more ASCII characters without spaces."
        )
    return value


def log_format() -> str:
    """How logs are written: `TEXT` or `JSON` (`HANDOFF_LOG_FORMAT`). Raises BadEnvironment."""
    value = os.environ.get("HANDOFF_LOG_FORMAT", "").strip().lower() or TEXT
    if value not in (TEXT, JSON):
        raise BadEnvironment(f"HANDOFF_LOG_FORMAT must be {TEXT} or {JSON}, not '{value[:50]}'.")
    return value


def _padded(text: str) -> str:
    """Either spelling of base64, with or without its padding, as the one that is read."""
    text = text.rstrip("=").replace("+", "-").replace("/", "_")
    return text + "=" * (-len(text) % 4)


def problems() -> list[str]:
    """A line for each variable that cannot be understood; empty when all is well."""
    messages = []
    readers: list[Callable[[], object]] = [
        port,
        url,
        blocking_threads,
        file_scan,
        master_keys,
        metrics_token,
        log_format,
        trusted_proxies,
        session_hours,
        web_processes,
        blobs,
        blob_bytes,
        partial(whole, *V1_LEASE),
        partial(idle_minutes, default=30),
    ]
    readers += [partial(switch, name, default=False) for name in _SWITCHES]
    for read in readers:
        try:
            read()
        except BadEnvironment as problem:
            messages.append(str(problem))
    return messages


def run_facts() -> dict[str, object]:
    """What the running supervisor wrote into run.json; empty when nothing runs there."""
    try:
        facts = json.loads((home() / "run.json").read_text())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def server_url(variable: str, fact: str) -> str:
    """The URL of a server: `variable` from the environment, else `fact` of run.json, else empty."""
    return os.environ.get(variable) or str(run_facts().get(fact) or "")


def own_servers(database_url: str, redis_url: str, *others: tuple[str, int]) -> list[tuple[str, int]]:
    """Host and port of our own database, Redis and `others`, which no step may reach; those that have a port."""
    database = database_of(database_url)
    redis = urlsplit(redis_url)
    servers = [(str(database["HOST"]), int(str(database["PORT"] or 5432))), *others]
    if redis.scheme != "unix":
        servers.append((redis.hostname or "", redis.port or 6379))
    return [(host, port) for host, port in servers if host and port and not host.startswith("/")]


def secret(variable: str, file: str) -> str:
    """A secret from the environment, else from a file of the home; empty where neither has it."""
    if value := os.environ.get(variable):
        return value
    try:
        return (home() / file).read_text().strip()
    except OSError:
        return ""


# The plans of the hot statements are made once, when their tables may still be empty, and must hold for millions of
# rows: everything that they touch is reached by an index.
PLANNER = "-c enable_seqscan=off -c jit=off"
STATEMENT_SECONDS = 30
# What a process holds that was stopped in the middle of a transaction is let go of: others wait for its locks.
IDLE_SECONDS = 5
# Of one web process: of several, so many that all of them leave enough for the workers.
WEB_CONNECTIONS, FEWEST_WEB_CONNECTIONS, ALL_WEB_CONNECTIONS = 10, 4, 30
# A peer that vanished without a word (TCP only) is noticed within half a minute.
_TCP = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
_CONNECT_SECONDS = 2


def database_of(url: str) -> dict[str, object]:
    """Django's description of a `postgresql://` URL; a socket directory comes as `?host=/path`."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "config.database",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or (parts.hostname or ""),
        "PORT": query.pop("port", "") or str(parts.port or ""),
        "OPTIONS": {
            "prepare_threshold": 5,
            "options": PLANNER,
            "connect_timeout": _CONNECT_SECONDS,
            **_TCP,
            **query,
        },
    }


def connections_of_web() -> int:
    """How many connections to the database one web process has at most."""
    return min(max(ALL_WEB_CONNECTIONS // web_processes(), FEWEST_WEB_CONNECTIONS), WEB_CONNECTIONS)


def connected_as(process: str, database: dict[str, object]) -> dict[str, object]:
    """`database` with how a process keeps connections, and how long it waits for an answer.

    Threads of "web", and of "grpc", share some. The others keep one a thread: Celery closes connections after every
    task but for CELERY_DB_REUSE_MAX. Commands (the empty name) may take their time: they migrate.
    """
    if not process:
        return {**database, "CONN_MAX_AGE": 600}
    kept_options = cast(dict[str, object], database["OPTIONS"])
    # The server ends what runs too long; we end it a little later where the server itself hangs.
    limits = f"{kept_options['options']} -c statement_timeout={STATEMENT_SECONDS}s"
    limits += f" -c idle_in_transaction_session_timeout={IDLE_SECONDS}s"
    options = {**kept_options, "options": limits, "longest_wait": STATEMENT_SECONDS + 2.0}
    if process in ("web", "grpc"):
        options["shared_connections"] = connections_of_web()
        return {**database, "OPTIONS": options, "CONN_MAX_AGE": 0}
    return {**database, "OPTIONS": options, "CONN_MAX_AGE": 600}
