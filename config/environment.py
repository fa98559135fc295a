"""Where this process finds its home, its servers and its secrets: the environment first, then the home's run.json."""

import json
import os
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

BASE_DIR = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The folder that holds everything a local Handoff keeps (`HANDOFF_HOME`, default `.handoff/` in the checkout)."""
    return Path(os.environ.get("HANDOFF_HOME") or BASE_DIR / ".handoff").absolute()


def port() -> int:
    """The port that the web process listens on (`HANDOFF_PORT`, default 8000)."""
    return int(os.environ.get("HANDOFF_PORT") or 8000)


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


def database_of(url: str) -> dict[str, object]:
    """Django's description of a `postgresql://` URL; a socket directory comes as `?host=/path`."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or (parts.hostname or ""),
        "PORT": query.pop("port", "") or str(parts.port or ""),
        "OPTIONS": {"prepare_threshold": 5, "options": PLANNER, **query},
    }


def connected_as(process: str, database: dict[str, object]) -> dict[str, object]:
    """`database` with how a process keeps connections: threads of "web" share a pool, others keep one a thread.

    (Celery closes connections after every task but for CELERY_DB_REUSE_MAX, and there a pool would not help.)
    """
    if process != "web":
        return {**database, "CONN_MAX_AGE": 600}
    options = {**dict(database["OPTIONS"]), "pool": {"min_size": 2, "max_size": 10, "timeout": 10}}  # type: ignore[call-overload]
    return {**database, "OPTIONS": options, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}


def broker_url(redis_url: str) -> str:
    """A Redis URL as redis-py reads it, spelled for Celery: only a unix socket is written otherwise there."""
    if not redis_url.startswith("unix://"):
        return redis_url
    parts = urlsplit(redis_url)
    query = dict(parse_qsl(parts.query))
    password = parts.password or quote(query.get("password", ""), safe="")
    return f"redis+socket://:{password}@{parts.path}?virtual_host={query.get('db', '0')}"
