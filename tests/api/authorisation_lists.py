"""The routes of webhooks' pages, and of what is done with lists of runs: as `authorisation_together`."""

_HOOKS, _READS = "webhooks:manage", "runs:read"

LISTS: dict[str, tuple[dict[str, str], str]] = {
    "api-runs-bulk": ({"POST": "runs:operate"}, "/api/v1/runs/bulk"),
    "api-run-searches": ({"GET": _READS, "POST": _READS}, "/api/v1/run-searches"),
    "api-run-search": (dict.fromkeys(("GET", "PATCH", "DELETE"), _READS), "/api/v1/run-searches/{search}"),
}
