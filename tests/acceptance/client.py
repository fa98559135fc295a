"""What a user of a running Handoff has: an API token, and (as its operator) its database."""

from contextlib import suppress

import httpx
import psycopg

from config.embedded.processes import wait_until
from engine.catalogue import Json
from tests.acceptance.running import Handoff
from tests.invariants import ORACLES


class Client:
    """The REST API of a running Handoff with an admin's token, and its tables for the oracles."""

    def __init__(self, handoff: Handoff) -> None:
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{handoff.port}/api/v1",
            headers={"Authorization": f"Bearer {handoff.admin_token}"},
            timeout=60,
            trust_env=False,
        )
        self.handoff = handoff
        self._line: psycopg.Connection | None = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        if self._line is not None:
            self._line.close()

    def post(self, path: str, body: Json) -> Json:
        """A POST that must succeed."""
        answer = self.http.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def get(self, path: str) -> Json:
        """A GET that must succeed."""
        answer = self.http.get(path)
        assert answer.is_success, answer.text
        return answer.json()

    def publish(self, definition: Json) -> str:
        """The definition as a published workflow; gives its name."""
        self.post("/workflows", {"name": definition["name"], "definition": definition})
        self.post(f"/workflows/{definition['name']}/publish", {})
        return definition["name"]

    def start(self, workflow: str, count: int, **body: Json) -> list[str]:
        """Start runs in one request."""
        items = [{"input": {"n": number, **body}} for number in range(count)]
        return [run["id"] for run in self.post("/runs/batch", {"workflow": workflow, "items": items})["runs"]]

    def rows(self, statement: str) -> list[tuple]:
        """Rows of a statement on the database of the home, by a line that is kept while the database lives."""
        if self._line is not None:
            with suppress(psycopg.OperationalError):
                return self._line.execute(statement.encode()).fetchall()
            self._line.close()
        self._line = psycopg.connect(self.handoff.facts()["database_url"], autocommit=True)
        return self._line.execute(statement.encode()).fetchall()

    def number(self, statement: str) -> int:
        """The one number that a statement gives."""
        return int(self.rows(statement)[0][0])

    def until(self, statement: str, least: int, seconds: float) -> None:
        """Wait until the number is reached."""
        wait_until(
            lambda: self.number(statement) >= least,
            seconds,
            lambda: f"{statement}: {self.number(statement)} of {least}",
        )

    def broken_invariants(self) -> dict[str, list[tuple]]:
        """The oracles that find something, with what they find."""
        return {name: rows for name, statement in ORACLES.items() if (rows := self.rows(statement))}
