"""How the second call of a route is played (`verbs.py`), and how lists of routes are written."""

from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Settled:
    """How a verb is played: with `body`, after `before` (routes with their bodies), by REST or as a form.

    `leased`: the job is polled first, and its token is in the body;
    `failed`: the run is the one that has failed.
    """

    body: Body | None = None
    before: tuple[tuple[str, Body], ...] = ()
    form: bool = False
    leased: bool = False
    failed: bool = False


def form(**body: str) -> Settled:
    """Played as a form."""
    return Settled(body, form=True)


def after(*before: str, **body: Any) -> Settled:
    """Played by REST, after other routes."""
    return Settled(body, tuple((one, {}) for one in before))


OFF, ON = Settled({"enabled": False}), Settled({"enabled": True})
WHY = {"reason": "Because."}
POLLS = "requests; 2,000 polls a second of a tenant"
"""How often jobs may be polled (`limits.py`)."""


def each(text: str) -> set[tuple[str, str]]:
    """Names of routes, each with its method, which is POST unless it is written behind a colon."""
    pairs = (word.partition(":") for word in text.split())
    return {(name, method or "POST") for name, _, method in pairs}
