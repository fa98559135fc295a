"""Whether consumers of a broker are told of jobs in time."""

from collections.abc import Mapping

from django.conf import settings

from engine.catalogue import Json
from integrations.broker.store import OutboxStanding, outbox_standing

OLD_SECONDS = 30.0


def is_led(standing: OutboxStanding) -> bool:
    """Whether a relay publishes."""
    leader = standing["leader"]
    return leader is not None and leader[2] > 0


def outbox_complaint(standing: OutboxStanding, *, with_reason: bool = False) -> str | None:
    """What is wrong, in a sentence; None where nothing is. The reason may name a queue of any tenant: it is for those
    who run Handoff, not for `/readyz` and pages.
    """
    oldest = standing["oldest_seconds"] or 0.0
    if not is_led(standing):
        return "no relay publishes jobs"
    if failing := standing["failing"]:
        or_more = " or more" if standing["or_more"] else ""
        events = "event" if failing == 1 and not or_more else "events"
        aside = (
            f", {standing['aside']:,}{or_more} set aside for workers that poll" if standing["aside"] else ""
        )
        complaint = f"{failing:,}{or_more} {events} of jobs can't be published{aside}"
        return f"{complaint}: {standing['why']}" if with_reason else complaint
    if oldest > OLD_SECONDS:
        return f"the oldest job waits for {oldest:.0f} s to be published"
    return None


def outbox() -> OutboxStanding | None:
    """How the outbox stands; None in modes that have none."""
    return outbox_standing() if settings.HANDOFF_BROKER else None


def outbox_told(it: OutboxStanding | None) -> Mapping[str, Json] | None:
    """The same as people read it, by what it is called."""
    if it is None:
        return None
    return {
        "Jobs to be published": it["waiting"],
        "Published, not yet seen to be taken": it["told"],
        "Can’t be published now": it["failing"],
        "Of these set aside": it["aside"],
    }


def outbox_row() -> dict[str, Json] | None:
    """How the outbox stands, as programs are told it (docs/api.md, "Operations")."""
    it = outbox()
    if it is None:
        return None
    return {
        "waiting": it["waiting"],
        "oldest_seconds": it["oldest_seconds"],
        "told": it["told"],
        "failing": it["failing"],
        "aside": it["aside"],
        "led": is_led(it),
        "complaint": outbox_complaint(it),
    }
