"""The decisions of an evidence.json as a table, one row each: CSV for spreadsheets; pure."""

import json
from datetime import UTC, datetime

from engine.catalogue import Json
from engine.value_types import Type, below, reduced
from lib.csv_lines import MARK, csv_lines
from lib.stored_json import StoredDecoder
from lib.typed_values import kind_of, text_of
from runs.reading import places
from tasks_inbox.evidence.readable import files_named

_FIRST = (
    "Decision",
    "Question",
    "Step",
    "Round",
    "Outcome",
    "Meaning",
    "Decided by",
    "Name",
    "On behalf of",
    "At",
    "Comment",
)


def csv_of(text: str) -> bytes:
    """The decisions of an evidence.json, with the facts and the filled-in fields in columns of their own.

    Amounts are numbers, with the currency in the title of the column; moments are in UTC, people are usernames, files
    names.
    """
    evidence = json.loads(text)
    links = [one for one in evidence["decisions"] if one["record"]]
    records = [(one, json.loads(one["record"], cls=StoredDecoder)) for one in links]
    files = {one["id"]: one["name"] for one in files_named(evidence, records)}
    questions = {(one["task"], one["round"]): one for one in evidence["questions"]}
    rows = [_row(one, record, questions, files) for one, record in records]
    titles = list(dict.fromkeys([*_FIRST, *(title for row in rows for title in row)]))
    lines = csv_lines([titles, *([row.get(title) for title in titles] for row in rows)])
    return (MARK + "".join(lines)).encode()


def _row(one: Json, record: Json, questions: Json, files: dict[str, str]) -> dict[str, str]:
    question = questions[record["task"], record["round"]]
    content = json.loads(question["shown"], cls=StoredDecoder)
    values = (
        str(one["seq"]),
        content["title"],
        places.in_words(question["place"]),
        str(record["round"]),
        record["outcome"],
        record["meaning"],
        record["by"]["username"],
        record["by"]["name"],
        record["on_behalf_of"] or "",
        _utc(record["at"]),
        record["comment"],
    )
    row = dict(zip(_FIRST, values, strict=True))
    for fact in content["facts"]:
        kind = fact.get("type")
        row[_title(f"Fact: {fact['label']}", kind)] = _value(fact["value"], kind, files)
    form = reduced(content["form"])
    data = record["data"] if isinstance(record["data"], dict) else {}
    for name, value in data.items():
        kind = below(form, (name,))
        row[_title(f"Filled in: {(kind or {}).get('title') or name}", kind)] = _value(value, kind, files)
    return row


def _title(name: str, kind: Type | None) -> str:
    currency = (kind or {}).get("x-currency")
    return f"{name} ({currency})" if currency else name


def _value(value: Json, kind: Type | None, files: dict[str, str]) -> str:
    match kind_of(kind):
        case "money" | "date" | "time" | "person":
            return value if isinstance(value, str) else json.dumps(value)
        case "moment":
            return _utc(value)
        case "file" if isinstance(value, str):
            return files.get(value, value)
    text = text_of(value, kind)
    return (
        text
        if text is not None
        else value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
    )


def _utc(text: Json) -> str:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (TypeError, ValueError, OverflowError):
        return str(text)
