"""A connection to a Handoff that a test has started."""

import json
from http.client import HTTPConnection, HTTPException
from typing import Any


class Connection:
    """A kept connection of a token's, made anew after an error; status 0 where no answer came."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._http: HTTPConnection | None = None

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Send JSON below `/api/v1`; gives the status and the JSON of the answer."""
        status, said = self.send(method, path, None if body is None else json.dumps(body).encode())
        try:
            return status, json.loads(said) if said else {}
        except ValueError:
            return status, {"not json": said.decode(errors="replace")}

    def send(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        """Send a body as it is; gives the status and the answer as it came."""
        try:
            if self._http is None:
                self._http = HTTPConnection("127.0.0.1", self._port, timeout=60)
            self._http.request(method, f"/api/v1{path}", body, self._headers)
            answer = self._http.getresponse()
            said = answer.read()
        except (OSError, HTTPException):
            self.close()
            return 0, b""
        return answer.status, said

    def close(self) -> None:
        """Close it; the next request makes another one."""
        if self._http is not None:
            self._http.close()
            self._http = None
