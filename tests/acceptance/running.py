"""A whole Handoff as a user has it: started by `make up`, seen through run.json, its output and its port."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import httpx
import psycopg

from config.embedded.processes import child_setup, wait_until
from config.embedded.redis import free_port

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90
_OF_THE_TESTS = ("HANDOFF_", "DATABASE_", "REDIS_", "DJANGO_", "MAKE")


class Handoff:
    """One home on one port; `environment` is added to a clean one."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.home, self.port = home, free_port()
        self.output = home.parent / f"{home.name[:40]}.output"
        self._environment = environment
        self.process: subprocess.Popen[bytes] | None = None

    @cached_property
    def admin_token(self) -> str:
        """A token of the first user's, for everybody who tests this Handoff."""
        return self._new_token("admin")

    @cached_property
    def worker_token(self) -> str:
        """A token that opens the jobs and nothing else."""
        return self._new_token("worker")

    def _new_token(self, role: str) -> str:
        """Made as pages make one: README's tour types the command, which takes seconds of a core."""
        with self.browser() as browser:
            answer = browser.post("/api/v1/tokens", json={"name": role, "role": role, "queues": ["*"]})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    @contextmanager
    def browser(self) -> Iterator[httpx.Client]:
        """A browser of the first user's, who has logged in."""
        site = f"http://127.0.0.1:{self.port}"
        kept = self.home / "admin-password"
        password = self._environment.get("HANDOFF_ADMIN_PASSWORD") or kept.read_text().strip()
        with httpx.Client(
            base_url=site, follow_redirects=True, trust_env=False, timeout=60, headers={"Origin": site}
        ) as browser:
            fields = {
                "username": "admin",
                "password": password,
                "csrfmiddlewaretoken": _written_in(browser.get("/login")),
            }
            browser.headers["X-CSRFToken"] = _written_in(browser.post("/login", data=fields))
            yield browser

    @property
    def environment(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_TESTS)}
        return clean | {"HANDOFF_HOME": str(self.home), "HANDOFF_PORT": str(self.port)} | self._environment

    def start(self) -> None:
        """`make up`, without waiting."""
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                ["make", "--no-print-directory", "up", f"PYTHON={sys.executable}"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=child_setup(signal.SIGTERM),
            )

    def start_and_wait(self) -> None:
        """`make up` until it is ready."""
        self.start()
        self.until_ready()

    def start_again(self) -> None:
        """`make up` until it is ready, whatever ended the life before: one that was killed left its run.json."""
        (self.home / "run.json").unlink(missing_ok=True)
        self.start_and_wait()

    def until_ready(self) -> None:
        """Wait for run.json, which is written when everything is ready."""
        wait_until(lambda: self.facts() != {} or self.ended(), START_SECONDS, "Handoff")
        assert not self.ended(), self.said()

    def until_answering(self) -> None:
        """Wait until the database of a Handoff that is up answers (again): a ready of `/readyz` may be a second old."""
        wait_until(self._database_answers, START_SECONDS, "the database")
        wait_until(lambda: b'"ready": true' in self.get("/readyz")[1], START_SECONDS, "readiness")

    def _database_answers(self) -> bool:
        try:
            psycopg.connect(self.facts()["database_url"], connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self, name: str) -> None:
        """kill -9 of one process, until the supervisor has started another in its place and the database answers.

        To ask for readiness alone is too early: what a dead server's connections still had in hand is answered.
        """
        killed = self.pids()[name]
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: self.pids().get(name, killed) != killed, START_SECONDS, f"another {name}")
        self.until_answering()

    def refusal(self) -> list[str]:
        """Start what must not start; gives what it said, without make's own last word."""
        self.start()
        assert self.process is not None
        assert self.process.wait(START_SECONDS) != 0
        assert "Traceback" not in self.said()
        usual = ("make: ***", "Handoff starts")
        return [line for line in self.said().splitlines() if line and not any(map(line.__contains__, usual))]

    def ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def said(self) -> str:
        return self.output.read_text(errors="replace")

    def facts(self) -> dict:
        try:
            return json.loads((self.home / "run.json").read_text())
        except OSError:
            return {}

    def pids(self) -> dict[str, int]:
        return self.facts().get("pids", {})

    def get(self, path: str) -> tuple[int, bytes]:
        """Status and body; 0 where nobody answers."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()
        except OSError:
            return 0, b""

    def manage(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command of manage.py in this home, as a second terminal has it."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


def _written_in(page: httpx.Response) -> str:
    """What forms of a page send to show that they are of a page."""
    return re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[0]


def is_alive(pid: int) -> bool:
    """A zombie is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@contextmanager
def hanging(pid: int, *, alone: bool = False) -> Iterator[None]:
    """The process is stopped, and its children with it unless it is `alone`."""
    children = [] if alone else Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    everybody = [pid, *map(int, children)]
    for each in everybody:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in everybody:
            os.kill(each, signal.SIGCONT)


def none_alive(pids: dict[str, int]) -> bool:
    return not any(map(is_alive, pids.values()))
