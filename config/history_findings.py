"""What the doctor finds of the check of ended runs: how far it is, and what differs."""

from collections.abc import Iterator

from config.host import Finding
from runs.reading.histories import differing, history_standing


def of_history() -> Iterator[Finding]:
    """Of all tenants."""
    if count := differing():
        advice = "run manage.py verify_history --all, and find out who or what changed the database"
        yield Finding("problem", f"{count} ended runs differ from what their history says", advice)
    if (one := history_standing()) is None:
        yield Finding("ok", "the history of ended runs was never checked yet: Handoff does it while it runs")
        return
    last = f"{one.last_at:%Y-%m-%d %H:%M} UTC" if one.last_at else "now"
    if one.ended_at is not None:
        far = f"all by {one.ended_at:%Y-%m-%d %H:%M} UTC"
    else:
        far = f"up to those started {one.reached:%Y-%m-%d %H:%M} UTC" if one.reached else "a round begins"
    long = f"; {one.left_out} are too long for it" if one.left_out else ""
    yield Finding(
        "ok", f"ended runs were checked against history (last {last}): {one.runs} of this round, {far}{long}"
    )
