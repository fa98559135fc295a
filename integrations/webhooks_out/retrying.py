"""When a message is tried again: exponential pauses with jitter, about three days in all. Pure."""

import random

from integrations.webhooks_out.limits import RETRY_AFTER_SECONDS, RETRY_SECONDS

FIRST_SECONDS = 5.0
FACTOR = 4.0
FAILING_SECONDS = 3 * 24 * 3600.0
"""After so long without one attempt that succeeded a webhook is switched off."""
_JITTER = 0.2


def pause(failures: int, longest: float = RETRY_SECONDS, dice: float | None = None) -> float:
    """Seconds until the next attempt after so many that failed, a fifth more or less; `dice` is 0 to 1, by chance."""
    usual = min(FIRST_SECONDS * FACTOR ** min(failures - 1, 20), longest)
    thrown = random.random() if dice is None else dice  # noqa: S311  # spreads, hides nothing
    return usual * (1 - _JITTER + 2 * _JITTER * thrown)


def retry_after(value: str | None) -> float:
    """The seconds that a receiver asks for in `Retry-After`, a day at most; 0 where it asks for none in seconds."""
    text = (value or "").strip()
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        return 0.0
    return min(float(text), RETRY_AFTER_SECONDS)
