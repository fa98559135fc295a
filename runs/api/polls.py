"""What a poll that waits looks out for: jobs of its queues, and that its token still lets it in."""

import random
import time
from functools import cache
from typing import Any

from django.conf import settings

from accounts import services
from accounts.principal import Principal
from accounts.roles import JOBS_WORK
from lib.refusals import TooMany
from lib.token_bucket import TokenBuckets
from lib.waiting import Topics, Waiting
from runs.commands import jobs
from runs.limits import POLL_PAUSE_SECONDS

TOKEN_SECONDS = 3.0
BURST_SECONDS = 2.0
"""So many seconds' polls a tenant may have at once after it had none."""
# It stands where a queue has its tenant.
_TOKEN = "token"


class _Lookout:
    """Asks for jobs at every look, and every few seconds for the tokens, of all who wait in one statement each."""

    def __init__(self) -> None:
        self._asked_at = time.monotonic()

    def look(self, waiting: Waiting) -> Waiting:
        """How many jobs there are for those who wait, and how many of them are to be told that they may not."""
        tokens = {topic[1] for topic in waiting if topic[0] == _TOKEN}
        news: dict[Any, int] = dict(
            jobs.ready_jobs({topic: many for topic, many in waiting.items() if topic[0] != _TOKEN})
        )
        if tokens and time.monotonic() - self._asked_at >= TOKEN_SECONDS:
            self._asked_at = time.monotonic()
            shut_out = services.tokens_shut_out(tokens, JOBS_WORK)
            news |= {(_TOKEN, name): waiting[_TOKEN, name] for name in shut_out}
        return news


_lookout = _Lookout()
look = _lookout.look
"""What it finds of a token makes the poll ask once more, which is then refused."""


def let_in(tenant: int) -> None:
    """Take one of the polls that a tenant has each second. Raises TooMany where there is none left.

    Each web process counts its part of them, without asking anybody.
    """
    buckets = _buckets()
    if buckets is not None and not buckets.take(tenant):
        # Apart from one another: who comes together now shall not come together again.
        seconds = random.randint(1, POLL_PAUSE_SECONDS)  # noqa: S311
        raise TooMany(
            "There are too many polls at once: pause, and ask for more jobs at a time.", retry_after=seconds
        )


@cache
def _buckets() -> TokenBuckets[int] | None:
    rate = settings.HANDOFF_POLLS_PER_SECOND / settings.HANDOFF_WEB_PROCESSES
    return TokenBuckets(rate, burst=max(1.0, BURST_SECONDS * rate)) if rate else None


def topics(principal: Principal, queues: list[str]) -> Topics:
    """What a poll of this principal for these queues is about."""
    names: set[Any] = {(principal.tenant_id, queue, principal.jobs.folders) for queue in queues}
    return names | {(_TOKEN, principal.token)} if principal.token else names
