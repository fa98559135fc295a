"""The page of the audit log."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

import orjson
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.dateparse import parse_date

from accounts import pages, people
from accounts.access import PageRequest, page
from accounts.audit import reading
from accounts.audit.reading import Filters
from accounts.limits import AUDIT_FILTER_CHARACTERS, AUDIT_SHOWN_CHARACTERS
from accounts.models import AuditRecord
from accounts.roles import MEMBERS_MANAGE
from lib.api.pagination import keyset_page
from lib.reader import reader

FAMILIES = (
    ("member.*", "Members"),
    ("user.*", "Own settings and passwords"),
    ("group.*", "Groups"),
    ("folder.*", "Folders"),
    ("token.*", "API tokens"),
    ("webhook.*", "Webhooks in"),
    ("webhook_out.*", "Webhooks out"),
    ("schedule.*", "Schedules"),
    ("calendar.*", "Calendars"),
    ("alert_*", "Alert rules and channels"),
    ("away.*", "Absences"),
    ("workflow.*", "Workflows"),
    ("evidence.*", "Exports of evidence"),
    ("key.*", "Keys"),
    ("audit.*", "This log"),
    ("refused", "Refusals"),
)
DOORS = {
    "page": "on a page",
    "rest": "over REST",
    "grpc": "over gRPC",
    "command": "by a command",
    "server": "in the background",
}
FIELDS = ("by", "act", "target", "since", "until")


@page(MEMBERS_MANAGE)
def audit_log(request: PageRequest) -> HttpResponse:
    """Who changed which setting and who was refused what, newest first."""
    typed = {name: request.GET.get(name, "").replace("\x00", "").strip() for name in FIELDS}
    filters, tenant = _filters(typed), request.principal.tenant_id
    cursor = request.GET.get("cursor") or None
    records = keyset_page(
        reading.records_of(tenant, filters), request, keys=("id",), limit=pages.ON_A_PAGE, cursor=cursor
    )
    context = {
        "entries": _entries(tenant, records.rows),
        "typed": typed,
        "is_filtered": any(typed.values()),
        "families": FAMILIES,
        "is_other_act": typed["act"] and typed["act"] not in dict(FAMILIES),
        "exports": [(kind, _export(filters, kind)) for kind in ("jsonl", "cef")],
    }
    return render(request, "settings/audit.html", context | pages.neighbours(records))


def _filters(typed: Mapping[str, str]) -> Filters:
    texts = {name: typed[name][:AUDIT_FILTER_CHARACTERS] for name in FIELDS[:3]}
    return Filters(since=_moment(typed["since"], 0), until=_moment(typed["until"], 1), **texts)


def _entries(tenant: int, records: Sequence[AuditRecord]) -> list[dict[str, Any]]:
    """Records as the page shows them; it learns what people are called."""
    rows = reading.rows(records)
    people.learn(tenant, {row["by"] for row in rows if ":" not in row["by"]})
    return [row | {"changes": _changes(row), "door": DOORS[row["door"]]} for row in rows]


def _moment(text: str, days: int) -> datetime | None:
    """The beginning of this day where the reader is, or of one after it; None where no day was typed."""
    try:
        day = parse_date(text)
        return (
            datetime.combine(day + timedelta(days), time(), reader().clock).astimezone(UTC) if day else None
        )
    except (ValueError, OverflowError):
        return None


def _export(filters: Filters, kind: str) -> str:
    """The address of an export of what is shown."""
    values = {"by": filters.by, "act": filters.act, "target": filters.target, "format": kind}
    moments = {name: value.isoformat() for name in ("since", "until") if (value := getattr(filters, name))}
    return f"{reverse('api-audit')}?{urlencode({name: text for name, text in (values | moments).items() if text})}"


def _changes(row: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each field that differs with what it was and what it is; empty texts for what is not told."""
    before, after = row["before"] or {}, row["after"] or {}
    return [(name, _text(before, name), _text(after, name)) for name in {**before, **after}]


def _text(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return ""
    value = values[name]
    if value in (None, "", [], {}):
        return "none"
    text = value if isinstance(value, str) and value else orjson.dumps(value).decode()
    return text if len(text) <= AUDIT_SHOWN_CHARACTERS else f"{text[:AUDIT_SHOWN_CHARACTERS]}…"
