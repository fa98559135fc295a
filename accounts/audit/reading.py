"""Reading the audit log: filters, and records as they are shown."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.db.models import Q, QuerySet

from accounts.models import AuditLink, AuditRecord

FAMILY = "*"
"""At the end of a filter: what begins so, such as `member.*`."""
_LAST = "\U0010ffff"
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ADDRESS = re.compile(r"[0-9a-fA-F.:]{2,45}")


@dataclass(frozen=True, slots=True)
class Filters:
    """Records from `since` on and before `until`, of whom, what and on what is given; `act` may end with `*`."""

    since: datetime | None = None
    until: datetime | None = None
    by: str = ""
    act: str = ""
    target: str = ""

    def condition(self, path: str = "") -> Q:
        """The records as a condition; `path` leads from a row to its record."""
        values: dict[str, Any] = {
            "at__gte": self.since,
            "at__lt": self.until,
            "by": self.by,
            "target": self.target,
        }
        if self.act.endswith(FAMILY):
            first = self.act.removesuffix(FAMILY)
            values |= {"act__gte": first, "act__lt": first + _LAST}
        else:
            values["act"] = self.act
        return Q(**{f"{path}{name}": value for name, value in values.items() if value})


def records_of(tenant_id: int, filters: Filters) -> QuerySet[AuditRecord]:
    """The tenant's records with their places in the chain."""
    return AuditRecord.objects.for_tenant(tenant_id).select_related("link").filter(filters.condition())


def links_of(tenant_id: int, filters: Filters) -> QuerySet[AuditLink]:
    """The places of the chain with their records: unlike by ids, what is written later comes later."""
    return (
        AuditLink.objects.for_tenant(tenant_id).select_related("record").filter(filters.condition("record__"))
    )


def rows(records: Iterable[AuditRecord]) -> list[dict[str, Any]]:
    """Records as they are shown, with their places in the chain."""
    return [_row(record) for record in records]


def as_jsonl(shown: Sequence[Mapping[str, Any]]) -> bytes:
    """Records as JSON Lines."""
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in shown)


def as_cef(shown: Sequence[Mapping[str, Any]], tenant: str) -> bytes:
    """Records in the Common Event Format, a line each."""
    return "".join(f"{_cef_line(row, tenant)}\n" for row in shown).encode()


def weight(link: AuditLink) -> int:
    """How many characters the record at this place has, roughly."""
    record = link.record
    return 500 + len(record.before) + len(record.after) + len(record.reason)


def _row(record: AuditRecord) -> dict[str, Any]:
    link = getattr(record, "link", None)
    return {
        "id": record.pk,
        "seq": link and link.seq,
        "at": record.at,
        "by": record.by,
        "via": record.via,
        "token": record.token or None,
        "door": record.door,
        "address": record.address,
        "act": record.act,
        "target": record.target,
        "before": orjson.loads(record.before) if record.before else None,
        "after": orjson.loads(record.after) if record.after else None,
        "reason": record.reason,
        "count": record.count,
        "digest": link and bytes(link.digest).hex(),
    }


def _cef_line(row: Mapping[str, Any], tenant: str) -> str:
    severity = "6" if row["act"] == "refused" else "3"
    header = ("Handoff", "Handoff", "1", row["act"], row["act"], severity)
    place = "src" if _ADDRESS.fullmatch(row["address"]) else "shost"
    fields = {
        "rt": str(int(row["at"].timestamp() * 1000)),
        "externalId": str(row["id"]),
        "suser": row["by"],
        place: row["address"],
        "act": row["act"],
        "cnt": str(row["count"]),
        "reason": row["reason"],
        **_labelled("cs1", "target", row["target"]),
        **_labelled("cs2", "before", row["before"]),
        **_labelled("cs3", "after", row["after"]),
        **_labelled("cs4", "token", row["token"]),
        **_labelled("cs5", "tenant", tenant),
        **_labelled("cs6", "digest", row["digest"]),
        "app": row["door"],
    }
    extension = " ".join(f"{key}={_in_extension(text)}" for key, text in fields.items() if text)
    return f"CEF:0|{'|'.join(map(_in_header, header))}|{extension}"


def _labelled(key: str, label: str, value: Any) -> dict[str, str]:
    if value is None or value == "":
        return {}
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return {f"{key}Label": label, key: text}


def _in_header(text: str) -> str:
    return _LINE_END.sub(" ", text.replace("\\", "\\\\").replace("|", "\\|"))


def _in_extension(text: str) -> str:
    # Whatever a reader may take for the end of a line is written as one that is none.
    return _LINE_END.sub(r"\\n", text.replace("\\", "\\\\").replace("=", "\\="))
