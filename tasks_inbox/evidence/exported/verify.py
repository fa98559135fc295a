"""Checks an evidence.json by itself, offline: `python verify.py evidence.json [its SHA-256]`, Python 3.9.
Says each fault and exits 1, or says what it found right and exits 0. README.txt says what that proves."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035

FORMAT, FIRST, DECIDED = "handoff-evidence/1", "0" * 64, ("TASK_VOTED", "TASK_COMPLETED", "TASK_RETURNED")
ENDS = ("RUN_COMPLETED", "RUN_CONTINUED", "RUN_FAILED", "RUN_CANCELLED", "RUN_COMPENSATED")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def faults(text: str, folder: Path) -> Iterator[str]:
    """Everything that is wrong with the text of an evidence.json."""
    try:
        evidence = json.loads(text)
        if json.dumps(evidence, sort_keys=True, ensure_ascii=False, indent=1) + "\n" != text:
            yield "file: it is not spelled as it was exported"
        blanked = text.replace(f'"sha256": "{evidence["sha256"]}"', '"sha256": null')
        if evidence["format"] != FORMAT or sha(blanked) != evidence["sha256"]:
            yield "file: it is not what its own digest says"
        yield from (*of_decisions(evidence, evidence["run"], folder), *of_history(evidence, evidence["run"]))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        yield f"file: it can't be read ({error!a})"


def of_decisions(evidence: Any, run: Any, folder: Path) -> Iterator[str]:
    """Each link against its digest, its run, the one before; a decision also against what was shown and its files."""
    questions = {(one["task"], one["round"], one["node"]): one["shown"] for one in evidence["questions"]}
    digests, last, head = {0: FIRST}, 0, evidence["chain"]
    links = [(name[:-1], one) for name in ("decisions", "remarks") for one in evidence.get(name, ())]
    for kind, one in sorted(links, key=lambda link: link[1]["seq"]):
        seq, record, is_remark = one["seq"], json.loads(one["record"]), kind == "remark"
        question = questions.get((record["task"], record["round"], record["node"]), "{}")
        place = {"seq": seq, "run": run["id"], "tenant": run["tenant"]}
        place.update({} if is_remark else {"requester": run["requester"]})
        checks = {
            "its record is not what its digest says": sha(one["record"]) != one["digest"],
            "it follows another one": seq <= last or digests.get(seq - 1) not in (None, record["previous"]),
            "its record is of another place, run or tenant": any(
                record.get(name, value) != value for name, value in place.items()
            ),
            "it is of another kind, or of no question": ("remark" in record) != is_remark or question == "{}",
            "what was shown is not what its record says": not is_remark
            and sha(question) != record["shown_sha256"],
        }
        yield from (f"{kind} {seq}: {fault}" for fault, is_wrong in checks.items() if is_wrong)
        for file in record.get("files", ()) if folder.is_dir() else ():
            path = folder / f"{file['id']}-{file['name']}"
            if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
                yield f"decision {seq}: its file {path.name} is missing, or is not what its record says"
        digests[seq], last = one["digest"], seq
    if head["seq"] < last or digests.get(head["seq"], head["digest"]) != head["digest"]:
        yield "chain: it ends before the last decision, or otherwise"


def of_history(evidence: Any, run: Any) -> Iterator[str]:
    """The chain of events against the seals, and events against questions and decisions."""
    link, links, rows, records = run["id"].encode(), [(0, 0, "")], [], []
    events = [json.loads(text) for text in evidence["history"]]
    for event, text in zip(events, evidence["history"]):  # noqa: B905
        link = hashlib.sha256(link + text.encode()).digest()
        links.append((event[0], len(links), link.hex()))
        if event[2] in DECIDED and "evidence" in event[6]:
            rows.append((*event[2:4], *map(event[6].get, "evidence task by on_behalf_of outcome".split())))  # noqa: SIM905
    ends = [link for link, event in zip(links[1:], events) if event[2] in ENDS]  # noqa: B905
    for record, digest in ((json.loads(one["record"]), one["digest"]) for one in evidence["decisions"]):
        by, first, end = record["by"]["username"], record["on_behalf_of"], record["quorum"]["outcome"]
        kind = DECIDED[2 if record["outcome"] == "@returned" else end is not None]
        records.append((kind, record["node"], digest, record["task"], by, first, end or record["outcome"]))
    seals = [(one["life"], (one["last_event"], one["events"], one["digest"])) for one in evidence["seals"]]
    opened_tasks = {event[6]["task"] for event in events if event[2] == "TASK_OPENED"}
    checks = {
        "history: its events are out of order": links != sorted(set(links)),
        "history: it is not what was sealed": seals != list(enumerate(ends, 1))[: run["sealed_life"]],
        "questions: history tells of others": opened_tasks != {one["task"] for one in evidence["questions"]},
        "decisions: history tells of others, or otherwise of them": rows != records,
    }
    yield from (fault for fault, is_wrong in checks.items() if is_wrong)


def main(path: str, digest: str = "") -> int:
    raw = Path(path).read_bytes()
    text, own = raw.decode("utf-8", "surrogateescape"), hashlib.sha256(raw).hexdigest()
    folder = Path(path).parent / "files"
    wrong = [*faults(text, folder), *[f"file: its SHA-256 is {own}"] * (digest.lower() not in ("", own))]
    print("".join(f"FAULT {fault}\n" for fault in wrong), end="")
    if not wrong:
        data = json.loads(text)
        event_count = sum(one["events"] for one in data["seals"][-1:])
        counts = ", ".join(f"{name}: {len(data.get(name, ()))}" for name in ("decisions", "remarks"))
        print(f"Right. {counts.capitalize()}, events: {len(data['history'])}, sealed: {event_count}")
        print(
            "The files beside it were checked, too." if folder.is_dir() else "There are no files beside it."
        )
        print(f"SHA-256 of this file (the foot of evidence.html and evidence.pdf says it): {own}")
        print(f"The tenant's decisions ended at {data['chain']['seq']} with {data['chain']['digest']}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
