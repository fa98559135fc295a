"""The egress client: requests to hosts that others have chosen, which may reach the public internet and no more."""

from lib.egress.client import Egress, EgressResponse, url_of
from lib.egress.errors import (
    EgressError,
    EgressFailed,
    EgressRedirects,
    EgressRefused,
    EgressTimeout,
    EgressTooLarge,
    EgressUnreached,
)
from lib.egress.rules import Allowance, EgressRules, Server, allowances

__all__ = [
    "Allowance",
    "Egress",
    "EgressError",
    "EgressFailed",
    "EgressRedirects",
    "EgressRefused",
    "EgressResponse",
    "EgressRules",
    "EgressTimeout",
    "EgressTooLarge",
    "EgressUnreached",
    "Server",
    "allowances",
    "url_of",
]
