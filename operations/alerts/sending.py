"""Sends the messages that are due, through a process of its own that is ended when it takes too long.

A message is leased before it is sent: one of which nobody could say what came of it is sent again, by the same id.
"""

import json
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.conf import settings

from lib.sealing import CannotOpen
from lib.visible import visible
from operations.alerts import channels, process, store
from operations.alerts.limits import DELIVERY_ATTEMPTS
from operations.alerts.store import OutcomeRow
from steps import outside

log = logging.getLogger("handoff.alerts")

TICK_SECONDS = 20.0
"""After so long the rest is left for the next tick."""
CHILD_SECONDS = 40.0
"""After so long the process that sends is ended: more than a start and an attempt take."""
_TOO_LONG, _BROKEN = "The receiver took too long.", "The process that sends it ended by itself."
_TEST_SUBJECT = "A test of Handoff"
_TEST_BODY = "This is a test: alerts that are sent to this channel arrive here."
_GONE = "The channel is gone or off."
_HEADS = {"raised": "", "escalated": "Nobody has acknowledged it: ", "resolved": "Resolved: "}


def send_due(seconds: float = TICK_SECONDS) -> int:
    """Send what is due, for about so many seconds; gives how many messages were tried."""
    until, count = time.monotonic() + seconds, 0
    while time.monotonic() < until and (leased := store.lease_deliveries()):
        store.note_deliveries(_outcomes(leased))
        count += len(leased)
    return count


def _outcomes(leased: Sequence[Mapping[str, Any]]) -> list[OutcomeRow]:
    rows = store.read_messages([one["id"] for one in leased])
    ready, outcomes = [], list[OutcomeRow]()
    for one in leased:
        row = rows.get(one["id"])
        if row is None:
            outcomes.append({"id": one["id"], "state": "failed", "error": _GONE})
            continue
        try:
            address = channels.open_address(one["tenant"], one["channel"], row["number"], row["sealed"])
        except CannotOpen as error:
            outcomes.append(_outcome(one, f"The address can’t be read: {error}.", for_good=False))
            continue
        ready.append(message_of({**one, **row, "address": address}))
    answers = _posted(ready) if ready else {}
    by_id = {one["id"]: one for one in leased}
    return outcomes + [
        _outcome(by_id[id], answer["error"], for_good=answer["for_good"]) for id, answer in answers.items()
    ]


def _outcome(of: Mapping[str, Any], error: str, *, for_good: bool) -> OutcomeRow:
    # Who asks for a test waits for the answer.
    ends = for_good or of["event"] == "test" or of["attempts"] >= DELIVERY_ATTEMPTS
    state = "sent" if not error else "failed" if ends else "pending"
    if state == "failed":
        log.error("The alert %s was not sent to the channel %s: %s", of["alert"], of["channel"], error)
    return {"id": of["id"], "state": state, "error": error}


def message_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A message as it is handed to `posting`: what is said in words, and what programs read."""
    is_test = row["event"] == "test"
    link = settings.HANDOFF_URL + row["link"] if row["link"] else f"{settings.HANDOFF_URL}/operations/alerts"
    lines = [row["text"]] if not is_test else [_TEST_BODY]
    if row["event"] in ("raised", "escalated"):
        lines.append(row["advice"])
    return {
        "id": row["id"],
        "kind": row["kind"],
        "address": row["address"],
        "event": row["event"],
        "message": row["message"],
        "alert": row["alert"] or "",
        "rule": row["rule"] or "",
        "severity": row["severity"] or "info",
        "status": row["status"] or "",
        "key": f"handoff:{row['tenant']}:{row['key'] or 'test'}",
        "link": link,
        "subject": _TEST_SUBJECT if is_test else visible(_HEADS[row["event"]] + row["subject"]),
        "body": "\n".join([*(visible(line) for line in lines if line), link]),
    }


def _posted(messages: Sequence[Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
    """What came of each of the messages, by id."""
    own = [[server.host, server.port] for server in outside.egress().rules.deny]
    document = json.dumps({"own": own, "messages": list(messages)}).encode()
    output = process.run(document, CHILD_SECONDS)
    error = _TOO_LONG if output.was_ended else _BROKEN
    whole = output.text[: output.text.rfind(b"\n") + 1]
    outcomes = {one["id"]: one for one in map(orjson.loads, whole.splitlines())}
    return {one["id"]: outcomes.get(one["id"], {"error": error, "for_good": False}) for one in messages}
