"""What a poll that waits looks out for: jobs of its queues, and that its token still lets it in."""

import time
from typing import Any

from accounts import services
from accounts.principal import Principal
from accounts.roles import JOBS_WORK
from lib.waiting import Topics
from runs.commands import jobs

TOKEN_SECONDS = 3.0
# It stands where a queue has its tenant.
_TOKEN = "token"


class _Lookout:
    """Asks for jobs at every look, and every few seconds for the tokens, of all who wait in one statement each."""

    def __init__(self) -> None:
        self._asked_at = time.monotonic()

    def look(self, topics: Topics) -> Topics:
        """Those about which there is something to say."""
        tokens = {name for kind, name in topics if kind == _TOKEN}
        topics_with_news: set[Any] = set(
            jobs.queues_with_jobs({topic for topic in topics if topic[0] != _TOKEN})
        )
        if tokens and time.monotonic() - self._asked_at >= TOKEN_SECONDS:
            self._asked_at = time.monotonic()
            topics_with_news |= {(_TOKEN, name) for name in services.tokens_shut_out(tokens, JOBS_WORK)}
        return topics_with_news


_lookout = _Lookout()
look = _lookout.look
"""For `Attempt.look`; what it finds of a token makes the poll ask once more, which is then refused."""


def topics(principal: Principal, queues: list[str]) -> Topics:
    """What a poll of this principal for these queues is about."""
    names: set[Any] = {(principal.tenant_id, queue) for queue in queues}
    return names | {(_TOKEN, principal.token)} if principal.token else names
