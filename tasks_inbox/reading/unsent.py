"""Mails about tasks that were tried in vain, told to `runs`."""

from lib.clock import now_here
from runs.reading.mails import GIVEN_UP, UnsentMail
from tasks_inbox.models import Notification


def unsent_of(tenant: int, most: int) -> list[UnsentMail]:
    """So many, at most, that wait for another attempt, and as many that were given up lately."""
    tried = Notification.objects.for_tenant(tenant).filter(sent_at=None, attempts__gt=0)
    waiting = tried.filter(next_at__isnull=False)
    given_up = tried.filter(next_at=None, created_at__gte=now_here() - GIVEN_UP)
    rows = [*waiting.order_by("-id")[:most], *given_up.order_by("-created_at")[:most]]
    return [
        UnsentMail(
            row.username or "whom the task asks",
            f"a task: {row.kind}",
            row.error,
            row.created_at,
            row.next_at,
            row.run_id,
        )
        for row in rows
    ]
