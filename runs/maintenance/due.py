"""Hints for work that nobody announces: retries that have become due, and steps whose hint was lost."""

from runs.kernel import dispatch
from runs.store import hot

FORGOTTEN_SECONDS = 3.0


def hint() -> int:
    """Wake the queues that have claimable steps; gives how many. At most one message a second each."""
    queues = hot.queues_with_work(dispatch.BUILT_IN_QUEUES)
    dispatch.wake(queues)
    return len(queues)


def hint_forgotten() -> int:
    """Wake the queues whose steps have waited for seconds, whatever the wake keys in Redis say; gives how many."""
    queues = hot.queues_with_work(dispatch.BUILT_IN_QUEUES, older_seconds=FORGOTTEN_SECONDS)
    dispatch.wake(queues, even_if_awake=True)
    return len(queues)
