"""One line for each change that somebody, or the server by itself, makes: who, what, to which object, why."""

import logging

from accounts.principal import Principal

logger = logging.getLogger("handoff.audit")


def record(principal: Principal, act: str, target: str, *, reason: str | None = None) -> None:
    """Notes that `principal` did `act` to `target`; call it in the transaction that does it."""
    logger.info(
        "%s %s by %s via %s in %s: %r",  # %r: a reason with line breaks must not look like more lines
        act,
        target,
        principal.username,
        principal.via,
        principal.tenant_slug,
        reason or "no reason given",
    )


def record_unasked(tenant_id: int, act: str, target: str, *, reason: str) -> None:
    """As `record`, of what the server does by itself in a tenant."""
    logger.info("%s %s by the server in %s: %r", act, target, tenant_id, reason)
