"""The routes of webhooks' pages, of schedules, and of what is done with lists of runs: as `authorisation_together`."""

_HOOKS, _READS = "webhooks:manage", "runs:read"
_A_HOOK = "/settings/webhooks/{webhook}"
_A_SCHEDULE = "/schedules/{schedule}"
_STARTS, _WRITES, _LOOKS = "runs:start", "workflows:write", "workflows:read"

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
    "api-schedules": ({"GET": _READS, "POST": _STARTS}, "/api/v1/schedules"),
    "api-schedule": ({"GET": _READS, "PATCH": _STARTS, "DELETE": _STARTS}, "/api/v1/schedules/ours"),
    "api-schedule-next": ({"GET": _READS}, "/api/v1/schedules/ours/next"),
    "api-schedule-run": ({"POST": _STARTS}, "/api/v1/schedules/ours/run"),
    "api-schedule-history": ({"GET": _READS}, "/api/v1/schedules/ours/history"),
    "api-calendars": ({"GET": _LOOKS, "POST": _WRITES}, "/api/v1/calendars"),
    "api-calendar": ({"GET": _LOOKS, "PATCH": _WRITES, "DELETE": _WRITES}, "/api/v1/calendars/ours"),
    "api-calendar-days": ({"GET": _LOOKS}, "/api/v1/calendars/ours/days?from=2031-01-01&to=2031-01-31"),
    "schedules": ({"GET": _READS}, "/schedules/"),
    "schedule-new": ({"GET": _STARTS, "POST": _STARTS}, "/schedules/new"),
    "schedule-preview": ({"POST": _STARTS}, "/schedules/preview"),
    "schedule": ({"GET": _READS}, _A_SCHEDULE),
    "schedule-edit": ({"GET": _STARTS, "POST": _STARTS}, f"{_A_SCHEDULE}/edit"),
    "schedule-switch": ({"POST": _STARTS}, f"{_A_SCHEDULE}/switch"),
    "schedule-run": ({"POST": _STARTS}, f"{_A_SCHEDULE}/run"),
    "schedule-delete": ({"POST": _STARTS}, f"{_A_SCHEDULE}/delete"),
    "api-workflow-migrate": ({"POST": "runs:operate"}, "/api/v1/workflows/ours/migrate"),
    "api-bulk-job": ({"GET": _READS}, "/api/v1/bulk-jobs/{bulk}"),
    "api-run-migrate": ({"POST": "runs:operate"}, "/api/v1/runs/{run}/migrate"),
    "run-migrate": ({"GET": "runs:operate", "POST": "runs:operate"}, "/runs/{run}/migrate"),
    "workflow-move-runs": ({"GET": "runs:operate", "POST": "runs:operate"}, "/workflows/ours/move-runs"),
    "bulk-job": ({"GET": _READS}, "/bulk-jobs/{bulk}"),
    "bulk-job-go": ({"POST": "runs:operate"}, "/bulk-jobs/{bulk}/go"),
    "calendars": ({"GET": _LOOKS}, "/calendars/"),
    "calendar-new": ({"GET": _WRITES, "POST": _WRITES}, "/calendars/new"),
    "calendar": ({"GET": _LOOKS}, "/calendars/{calendar}"),
    "calendar-change": ({"POST": _WRITES}, "/calendars/{calendar}/change"),
    "calendar-delete": ({"POST": _WRITES}, "/calendars/{calendar}/delete"),
}
