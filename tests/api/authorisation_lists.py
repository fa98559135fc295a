"""The routes of webhooks' pages, and of what is done with lists of runs: as `authorisation_together`."""

_HOOKS, _READS = "webhooks:manage", "runs:read"
_A_HOOK = "/settings/webhooks/{webhook}"

LISTS: dict[str, tuple[dict[str, str], str]] = {
    "settings-webhooks": ({"GET": _HOOKS, "POST": _HOOKS}, "/settings/webhooks"),
    "settings-webhook": ({"GET": _HOOKS}, _A_HOOK),
    "settings-webhook-switch": ({"POST": _HOOKS}, f"{_A_HOOK}/switch"),
    "settings-webhook-rotate": ({"POST": _HOOKS}, f"{_A_HOOK}/rotate"),
    "settings-webhook-delete": ({"POST": _HOOKS}, f"{_A_HOOK}/delete"),
    "api-runs-bulk": ({"POST": "runs:operate"}, "/api/v1/runs/bulk"),
    "api-run-searches": ({"GET": _READS, "POST": _READS}, "/api/v1/run-searches"),
    "api-run-search": (dict.fromkeys(("GET", "PATCH", "DELETE"), _READS), "/api/v1/run-searches/{search}"),
    "api-webhook-deliveries": ({"GET": _HOOKS}, "/api/v1/webhooks/{webhook}/deliveries"),
}
