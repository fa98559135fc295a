"""The web process as `make up` serves it, on the tests' database."""

import base64
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection

from config.embedded.processes import child_setup, wait_until

ROOT = Path(__file__).resolve().parents[1]
CHEAP_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"
"""Argon2 takes a good part of a second of a core, on purpose; what logs in in tests is not what is tested."""
SERVE = """\
import sys
from lib.loading import loading
with loading():
    from config.asgi import application
    from config.web import serve
    from django.conf import settings
    from django.urls import get_resolver
    from runs.web import pace
    get_resolver().url_patterns
settings.PASSWORD_HASHERS.insert(0, {hasher!r})
# Other tests keep the machine busy: pages are told at once all the same, but where a test is about that.
pace.SHARE = 9.0
{setup}
serve(application, int(sys.argv[1]))
"""


@pytest.fixture(scope="session")
def site(django_db_setup) -> Iterator[str]:
    """The address of a web process that serves this session's database."""
    with served() as (address, _):
        yield address


@contextmanager
def served(
    setup: str = "pass", port: int = 0, **environment: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A web process and its address; `setup` is a statement that it runs first, `port` 0 whichever is free."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE.format(hasher=CHEAP_HASHER, setup=setup), str(listening.fileno())],
            cwd=ROOT,
            env=environment_of_a_process() | environment,
            pass_fds=[listening.fileno()],
            # It ends with the tests, also where they are killed.
            preexec_fn=child_setup(signal.SIGTERM),
        )
    try:
        wait_until(lambda: _answers(address) or process.poll() is not None, 30, "the web process")
        yield address, process
    finally:
        process.terminate()
        process.wait(20)


def environment_of_a_process(process: str = "web") -> dict[str, str]:
    """For a process of this kind on the tests' database."""
    parts = urlsplit(settings.DATABASE_URL)
    ours = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
    master = ",".join(base64.b64encode(key.reveal()).decode() for key in settings.HANDOFF_MASTER_KEYS)
    secret = {"HANDOFF_SECRET_KEY": settings.SECRET_KEY, "HANDOFF_MASTER_KEY": master}
    return os.environ | secret | {"DATABASE_URL": ours, "HANDOFF_PROCESS": process}


def _answers(address: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/healthz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False
