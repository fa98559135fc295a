"""Asking the web processes whether work goes on."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from typing import Any

READY_SECONDS = 5.0
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def complaints(url: str) -> list[str]:
    """What keeps Handoff from its work, a sentence each; empty where it is ready."""
    status, body = _fetch_answer(f"{url}/readyz", READY_SECONDS)
    if status == 200:
        return []
    try:
        standing = json.loads(body)
        failing = [
            name for name, good in standing["checks"].items() if not good and name in ("database", "redis")
        ]
        return [f"{name} does not answer" for name in failing] + list(
            map(str, standing.get("complaints", []))
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return ["web does not answer"]


def _fetch_answer(url: str, seconds: float) -> tuple[int, bytes]:
    try:
        with _OPENER.open(url, timeout=seconds) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read()
    except (OSError, HTTPException):
        return 0, b""


class Readiness:
    """Says when work stops going on, and when it goes on again; a hiccup is not worth a line."""

    _HICCUP = 2

    def __init__(self, say: Callable[[str], Any]) -> None:
        self._say = say
        self._bad = 0

    def note(self, wrong: list[str]) -> None:
        """How it stands now, asked every few seconds."""
        if not wrong and self._bad >= self._HICCUP:
            self._say("Handoff is ready again")
        self._bad = self._bad + 1 if wrong else 0
        if self._bad == self._HICCUP:
            self._say(f"Handoff is not ready: {'; '.join(wrong)}")
