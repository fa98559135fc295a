"""What alerts say of what is beside runs: owners, mails, webhooks, the outbox, versions and the disk."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from engine.catalogue import Json
from operations.alerts.words import Words, capitalized, counted, many_of, seconds_in_words

Facts = Mapping[str, Json]
_OFF: Final = {
    "gone": "its receiver wants no more messages",
    "failing": "no message has arrived for three days",
    "backlog": "too many messages waited for it",
}


def webhook_off(facts: Facts, _: str | None) -> Words:
    """A webhook out that was switched off."""
    called = facts["description"] or _host(facts["url"])
    return Words(
        f"The webhook {called} was switched off",
        f"Nothing is sent to {called} any more: {_OFF.get(facts['reason'], facts['reason'])}.",
        "Fix its receiver, then switch it on again.",
        "/settings/webhooks/out",
    )


def owner_gone(facts: Facts, _: str | None) -> Words:
    """A schedule or webhook that acts for somebody who may not do that any more."""
    what, name, workflow = facts["what"], facts["name"], facts["workflow"]
    if what == "schedule":
        return Words(
            f"The schedule {name} was stopped",
            f"It starts nothing of {workflow} any more. {facts['why']}",
            "Switch it on to have it act for you, or hand it over: Settings, Members. Or delete it.",
            f"/schedules/{facts['id']}",
        )
    return Words(
        f"The webhook {name} refuses messages",
        f"It does nothing with {workflow} any more: it acts for {facts['acts_for']}, who may no longer do this.",
        "Change it to have it act for you, or hand it over: Settings, Members. Or switch it off.",
        f"/settings/webhooks/{facts['id']}",
    )


def mail_failing(facts: Facts, _: str | None) -> Words:
    """Mails that could not be sent."""
    return Words(
        "Mail is not sent",
        f"{many_of(facts['many'], 'mail')} could not be sent. {facts['error']}",
        "Check that the mail server is up and that HANDOFF_SMTP_URL is right.",
    )


def dead_letters(facts: Facts, _: str | None) -> Words:
    """Open dead letters."""
    of = f" of {facts['workflow']}" if facts["workflow"] else ""
    letters = capitalized(counted(facts, "dead letter"))
    return Words(
        f"{letters}{of} wait",
        f"{letters}{of} wait for somebody to retry or discard them.",
        "Fix what they have in common, then retry them together.",
        "/operations/dead-letters",
    )


def outbox(facts: Facts, _: str | None) -> Words:
    """Jobs that wait to be announced to the broker."""
    return Words(
        f"{many_of(facts['many'], 'job')} could not be announced to the broker",
        f"The oldest of {many_of(facts['many'], 'job')} in the outbox has waited {seconds_in_words(facts['seconds'])}. "
        f"{facts['error']}".rstrip(),
        "Check that the broker is up and that the relay runs.",
        "/operations/dispatch",
    )


def relay_leader(facts: Facts, _: str | None) -> Words:
    """Jobs that wait while no relay leads."""
    return Words(
        "No relay announces jobs to the broker",
        f"{many_of(facts['many'], 'job')} in the outbox wait, and no relay has led for "
        f"{seconds_in_words(facts['seconds'])}.",
        "Start the relay, or see in its log why it does not lead.",
        "/operations/dispatch",
    )


def refusal_ignored(facts: Facts, _: str | None) -> Words:
    """A version that goes on from a refusal as from an approval."""
    steps = ", ".join(facts["steps"])
    runs = f"{facts['open']:,} of its runs {'is' if facts['open'] == 1 else 'are'} open"
    return Words(
        f"{facts['called']}, version {facts['number']}: a refusal goes on as an approval would",
        f"After {steps}, version {facts['number']} of {facts['called']} goes on whatever people choose. {runs}.",
        "Open the draft, take the fixes offered there, publish it, and move or end the open runs of this version.",
        f"/workflows/{quote(facts['workflow'], safe='')}",
    )


def disk(facts: Facts, _: str | None) -> Words:
    """A disk that fills up."""
    return Words(
        f"Only {facts['free']:.0f} % of the disk is free",
        f"{facts['free']:.1f} % of the disk that Handoff keeps its files on is free.",
        "Free some space before it is full: otherwise nothing can be written, and runs stand still.",
    )


def _host(url: str) -> str:
    # Path and query may be secrets.
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2]
