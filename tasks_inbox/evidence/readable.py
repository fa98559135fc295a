"""What an evidence.json says, in words for people: headings with lines under them, for HTML and PDF; pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from engine.catalogue import Json
from engine.json_schema import any_properties
from engine.value_types import Type, reduced
from lib.reader import NOBODY, reading_as
from lib.stored_json import StoredDecoder
from lib.typed_values import plain_text
from lib.visible import visible
from runs.reading import places

Line = tuple[str, str]
NO_FILES: Mapping[str, str] = {}
"""What something is, and what it says."""

VIA = {
    "token": "with an API token",
    "session": "in a browser",
    "command": "on the server",
    "clock": "by itself",
}
WAYS = {
    "task": "at this task",
    "dead letter": "by its dead letter",
    "step": "at the step of the run",
    "command": "on the server",
    "skip": "outside the task, by skipping its step",
}
REMARKS = {"said": "Comment", "asked": "Question", "answered": "Answer"}
READER = "whoever exported this"
STATUSES = {"OPEN": "nobody yet", "CANCELLED": "nobody: the run went on, or ended, without it"}


@dataclass(frozen=True, slots=True)
class Part:
    """A heading, lines under it, and the parts that belong to it."""

    title: str
    lines: list[Line]
    parts: list["Part"]


def parts_of(text: str) -> Part:
    """The whole of an evidence.json: about the run, then each question, each decision of it below."""
    with reading_as(NOBODY):
        return _whole(json.loads(text))


def _whole(evidence: Json) -> Part:
    links = sorted([*evidence["decisions"], *evidence["remarks"]], key=lambda one: one["seq"])
    records = [(one, json.loads(one["record"], cls=StoredDecoder)) for one in links if one["record"]]
    files = {one["id"]: _file(one) for one in files_named(evidence, records)}
    parts = [_question(one, records, files) for one in evidence["questions"]]
    parts += [_hidden(one) for one in evidence["decisions"] if one["record"] is None]
    return Part(f"Evidence of run {evidence['run']['id']}", list(_about(evidence)), parts)


def files_named(evidence: Json, records: Iterable[tuple[Json, Json]]) -> list[Json]:
    """The files of the start, and those that decisions tell of."""
    return [*evidence.get("files", ()), *(one for _, record in records for one in record.get("files", ()))]


def _hidden(one: Json) -> Part:
    """A decision in a workflow that whoever exported this may not read."""
    decision = one["hidden"]
    lines = [
        ("Place", places.in_words(one["place"])),
        ("Outcome", decision["outcome"]),
        ("Decided by", decision["by"]),
        ("At", moment(decision["at"])),
        ("Record", one["digest"]),
    ]
    return Part(f"Decision {one['seq']}, in a workflow that {READER} may not read", lines, [])


def moment(text: str | None) -> str:
    """A time as people read it: UTC, to the second."""
    if text is None:
        return "not yet"
    return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _about(evidence: Json) -> Iterator[Line]:
    run, last = evidence["run"], max((seal["events"] for seal in evidence["seals"]), default=0)
    version = f" version {run['version']}" if run["version"] else ", a test run of its draft"
    yield "Workflow", f"{run['workflow']}{version} (content {run['version_hash']})"
    yield "Tenant", run["tenant"]
    if run["business_key"]:
        yield "Business key", run["business_key"]
    if run["rerun_of"]:
        yield "Reruns", f"run {run['rerun_of']}, whose decisions are here, too"
    filer = f", filed by {run['filed_by']}" if run["filed_by"] else ""
    yield "Started", f"{moment(run['created_at'])} by {run['requester']}{filer}"
    yield "Ended", f"{moment(run['completed_at'])} · {run['status']}"
    if run["completed_at"] is None and evidence["history"]:
        yield "Complete up to", f"event {json.loads(evidence['history'][-1])[0]}"
    yield "Decisions", str(len(evidence["decisions"]))
    if others := evidence["runs"]:
        hidden = sum(one["history"] is None for one in others)
        unread = f"; {READER} may not read {hidden} of them" if hidden else ""
        yield "Other runs", f"{len(others)}, in its tree or rerun{unread}"
    unsealed = len(evidence["history"]) - last
    not_yet = f"; the last {unsealed} not sealed yet" if unsealed else ""
    yield "History", f"{len(evidence['history'])} events, {last} of them sealed{not_yet}"
    for seal in evidence["seals"]:
        yield f"Seal of life {seal['life']}", f"{seal['digest']} of {moment(seal['sealed_at'])}"
    yield "Chain of decisions", f"ended at {evidence['chain']['seq']} with {evidence['chain']['digest']}"
    yield "Exported", f"{moment(evidence['exported']['at'])} by {evidence['exported']['by']}"


def _question(question: Json, records: list[tuple[Json, Json]], files: Mapping[str, str]) -> Part:
    content = json.loads(question["shown"], cls=StoredDecoder)
    of_it = [
        pair
        for pair in records
        if (pair[1]["task"], pair[1]["round"]) == (question["task"], question["round"])
    ]
    lines = [
        (
            "Asked",
            f"{moment(question['asked_at'])} · step {places.in_words(question['place'])} · round {question['round']}",
        )
    ]
    lines += [("Instructions", content["instructions"])] if content["instructions"] else []
    lines += [(fact["label"], _value(fact["value"], fact.get("type"), files)) for fact in content["facts"]]
    lines += [("Form", _fields(content["form"]))] if content["form"] is not None else []
    lines.append(
        ("To choose from", ", ".join(f"{one['label']} ({one['name']})" for one in content["outcomes"]))
    )
    lines.append(("Must agree", _needed(content["quorum"], content["outcomes"])))
    if all("remark" in record for _, record in of_it):
        lines.append(("Decided by", _nobody(question)))
    form = reduced(content["form"])
    return Part(content["title"], lines, [_link(*pair, form, files) for pair in of_it])


def _link(one: Json, record: Json, form: Type | None, files: Mapping[str, str]) -> Part:
    return _remark(one, record) if "remark" in record else _decision(one, record, form, files)


def _remark(one: Json, record: Json) -> Part:
    lines = [
        ("Said by", f"{_whom(record['by'])}, {VIA.get(record['by']['via'], record['by']['via'])}"),
        ("At", moment(record["at"])),
        ("Text", record["text"]),
        ("Record", one["digest"]),
        ("Record before it in the chain", record["previous"]),
    ]
    return Part(f"{REMARKS.get(record['kind'], 'Comment')} {one['seq']}", lines, [])


def _whom(by: Json) -> str:
    return str(by["name"] if by["name"] == by["username"] else f"{by['name']} ({by['username']})")


def _nobody(question: Json) -> str:
    decision = question["without_record"]
    if decision is None:
        return STATUSES[question["status"]]
    when = f"{decision['decided_by']}, {moment(decision['decided_at'])}: {decision['outcome']}"
    return f"{when}, before decisions were kept as records. {decision['comment']} {decision['data']}"


def _decision(one: Json, record: Json, form: Type | None, files: Mapping[str, str]) -> Part:
    by = record["by"]
    lines = [
        ("Meaning", f"{record['meaning']} ({record['outcome']})"),
        ("Decided by", f"{_whom(by)}, {VIA.get(by['via'], by['via'])}"),
        ("At", moment(record["at"])),
    ]
    lines += [("On behalf of", record["on_behalf_of"])] if record["on_behalf_of"] else []
    lines += [("Signed", "with their password, given again")] if by["signed"] else []
    lines += [("Comment", record["comment"])] if record["comment"] else []
    lines += [("Filled in", _value(record["data"], form, files))] if record["data"] is not None else []
    lines += [("File", _file(file)) for file in record.get("files", ())]
    if way := record.get("settled_by"):
        lines.append(("Settled", WAYS.get(way, way)))
    lines.append(("How the votes stood", _standing(record["quorum"])))
    lines += [("Who was asked", ", ".join(map(_asked, record["named"])))] if "named" in record else []
    lines.append(("SHA-256 of what was shown", record["shown_sha256"]))
    lines += [("Seen", _seen(record))] if "seen" in record and record["by"]["via"] != "clock" else []
    lines += [("Record", one["digest"]), ("Record before it in the chain", record["previous"])]
    return Part(f"Decision {one['seq']}", lines, [])


def _asked(one: Json) -> str:
    if one.get("replaced_by"):
        return f"{one['name']} (replaced by {one['replaced_by']})"
    return f"{one['name']} (excluded)" if one.get("excluded") else str(one["name"])


def _seen(record: Json) -> str:
    """What the decider said that they had seen; records from before that was kept say nothing of it."""
    if record["seen"] is None:
        return "not confirmed as seen"
    return f"the task as it was shown to them, SHA-256 {record['seen']}"


def _file(file: Json) -> str:
    words = f"{file['name']} ({file['media_type']}, {file['size']:,} bytes) of {file['by']}"
    return f"{words}, SHA-256 {file['sha256']}"


def _fields(form: Json) -> str:
    """The fields of a form, one a line; a form of another kind as it is."""
    fields = any_properties(form)
    if not fields or not all(isinstance(one, dict) for one in fields.values()):
        return _value(form)
    required = form.get("required") or ()
    return "\n".join(
        f"{one.get('title', name)} ({_value(one.get('type', 'anything'))}{', needed' if name in required else ''})"
        for name, one in fields.items()
    )


def _needed(quorum: Json, outcomes: Json) -> str:
    groups = quorum.get("groups") or {}
    if not groups and quorum["need"] == 1:
        return "one person decides"
    first = outcomes[0]["label"]
    demand = ", ".join(f"{count} of {name}" for name, count in groups.items()) or f"{quorum['need']}"
    majority = quorum.get("rule") == "majority"
    rule = "any other choice needs as many" if majority else "any other choice decides at once"
    return f"{demand} for “{first}”; {rule}"


def _standing(quorum: Json) -> str:
    groups = [f"{one['have']} of {one['need']} in {one['name']}" for one in quorum.get("groups") or ()]
    tally = ", ".join(groups) or f"{quorum['have']} of {quorum['need']}"
    end = "not decided yet" if quorum["outcome"] is None else f"decided: {quorum['outcome']}"
    return f"{tally} for the first choice; {end}"


def _value(value: Json, kind: Type | None = None, files: Mapping[str, str] = NO_FILES) -> str:
    """A value for people, with what a text is exactly, which is part of the evidence. `files` in words, by id."""
    return plain_text(value, kind, files=files, between="\n", is_exact=True)


def visible_part(part: Part) -> Part:
    """The part with each character of it visible: for people, while the evidence.json beside it is exact."""
    lines = [(visible(label), visible(text)) for label, text in part.lines]
    return Part(visible(part.title), lines, [visible_part(one) for one in part.parts])


def texts_of(part: Part) -> Iterable[str]:
    """All texts of a part and those below it."""
    yield part.title
    for label, text in part.lines:
        yield from (label, text)
    for one in part.parts:
        yield from texts_of(one)
