"""Requests to other servers, within the limits that an operator has set (`HANDOFF_EGRESS_ALLOW`)."""

from lib.egress import Egress, EgressError, EgressResponse
from steps.outside import BadSetting, egress

__all__ = ["BadSetting", "Egress", "EgressError", "EgressResponse", "egress"]
