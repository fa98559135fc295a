"""The mail of the day is written when its hour has come where its receiver is, once a day, and says how things are when
it is sent (`account_mails`).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from zoneinfo import ZoneInfo

from django.conf import settings
from django.urls import reverse

from accounts import outgoing
from accounts.models import User
from accounts.outgoing import DueMail
from accounts.principal import Principal
from accounts.queries import session_principal
from accounts.reading import reader_of
from lib.clock import now_here
from lib.reader import Reader, reading_as, zone_of
from runs.reading.requests import changed_since, request_rows
from tasks_inbox.eligibility.identity import who_is
from tasks_inbox.forms.texts import title_of
from tasks_inbox.limits import DIGEST_LINES, DIGEST_PERIOD
from tasks_inbox.mail import digests
from tasks_inbox.mail.digests import Line, Part
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import listing
from tasks_inbox.reading.requests import decided_since
from tasks_inbox.reading.sources import MENU_COUNTED

_A_DAY = timedelta(days=1)


def tick() -> int:
    """Write the mails whose hour has come; gives how many."""
    zones = outgoing.digest_zones()
    now = now_here()
    there = [(zone, now.astimezone(ZoneInfo(zone_of(zone) or "UTC"))) for zone in zones]
    return outgoing.write_digests([(zone, at.date(), at.hour) for zone, at in there]) if there else 0


def message_of(due: DueMail, user: User, *, sender: str) -> EmailMessage | None:
    """What is to be said to somebody now; None for nothing."""
    principal = session_principal(user)
    if principal is None or principal.tenant_id != due.tenant:
        return None
    reader = reader_of(user)
    with reading_as(reader):
        parts = [*_tasks(principal, reader), *_requests(principal, _since(due))]
    if not parts:
        return None
    return digests.written(
        parts,
        id=due.id,
        sender=sender,
        to=user.email,
        subject=f"Your day: {', '.join(part.heading[0].lower() + part.heading[1:] for part in parts)}",
        inbox=_address("inbox"),
        settings=_address("settings-notifications"),
    )


def _since(due: DueMail) -> datetime:
    now = now_here()
    before = outgoing.digest_before(due.tenant, due.user, due.id)
    return max(before, now - DIGEST_PERIOD) if before else now - _A_DAY


def _tasks(principal: Principal, reader: Reader) -> list[Part]:
    who = who_is(principal)
    counts = listing.counts(who).views
    mine = listing.first_of(who, "mine", "due", DIGEST_LINES) if counts["mine"] else []
    teams = listing.first_of(who, "teams", "due", DIGEST_LINES) if counts["teams"] else []
    parts = (
        (f"{_count(counts['mine'], 'task')} of yours", mine, counts["mine"]),
        (f"{_count(counts['teams'], 'task')} for you or your groups", teams, counts["teams"]),
    )
    return [
        Part(heading, _lines(tasks, reader), _more(count, tasks)) for heading, tasks, count in parts if tasks
    ]


def _lines(tasks: Sequence[ManualTask], reader: Reader) -> list[Line]:
    now = now_here()
    with reading_as(reader):
        return [
            Line(title_of(task), digests.due(task.due_at, now, reader), _address("task", task.pk))
            for task in tasks
        ]


def _requests(principal: Principal, since: datetime) -> list[Part]:
    runs = changed_since(principal, since, lambda ids: decided_since(principal, ids, since))
    rows = request_rows(principal, runs[:DIGEST_LINES])
    lines = [
        Line(
            f"{row['title']} ({row['about']})" if row["about"] else row["title"],
            row["status"],
            _address("request", row["id"]),
        )
        for row in rows
    ]
    heading = f"{_count(len(runs), 'request')} of yours made progress"
    return [Part(heading, lines, _more(len(runs), rows))] if lines else []


def _count(count: int, noun: str) -> str:
    many = f"{MENU_COUNTED} or more" if count > MENU_COUNTED else str(count)
    return f"{many} {noun}{'' if count == 1 else 's'}"


def _more(count: int, items: Sequence[object]) -> str:
    return f"… and {count - len(items)} more" if count > len(items) else ""


def _address(name: str, *args: object) -> str:
    return settings.HANDOFF_URL + reverse(name, args=args)
