"""Checks an evidence.json by itself, offline: `python verify.py evidence.json [its SHA-256]`, Python 3.9.

Says each fault and exits 1, or says what it found right and exits 0. README.txt says what that proves."""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FORMAT, FIRST, DECIDED = "handoff-evidence/1", "0" * 64, ("TASK_VOTED", "TASK_COMPLETED", "TASK_RETURNED")
ENDS = ("RUN_COMPLETED", "RUN_CONTINUED", "RUN_FAILED", "RUN_CANCELLED", "RUN_COMPENSATED")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def faults(text: str) -> Iterator[str]:
    """Everything that is wrong with the text of an evidence.json."""
    try:
        told = json.loads(text)
        if json.dumps(told, sort_keys=True, ensure_ascii=False, indent=1) + "\n" != text:
            yield "file: it is not spelled as it was exported"
        rest = text.replace(f'"sha256": "{told["sha256"]}"', '"sha256": null')
        if told["format"] != FORMAT or sha(rest) != told["sha256"]:
            yield "file: it is not what its own digest says"
        yield from of_decisions(told, told["run"])
        yield from of_history(told, told["run"])
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        yield f"file: it can't be read ({error!a})"


def of_decisions(told: Any, run: Any) -> Iterator[str]:
    """Each record against its digest, its run, the one before, and what was shown."""
    asked = {(one["task"], one["round"]): one for one in told["questions"]}
    digests, last, head = {0: FIRST}, 0, told["chain"]
    for one in told["decisions"]:
        seq, record = one["seq"], json.loads(one["record"])
        question = asked.get((record["task"], record["round"]), {"shown": "{}", "node": None})
        place = (seq, run["id"], run["tenant"], run["requester"], question["node"])
        checks = {
            "its record is not what its digest says": sha(one["record"]) != one["digest"],
            "it does not follow the one before": seq <= last
            or record["previous"] != digests.get(seq - 1, record["previous"]),
            "its record is of another place, run, tenant or step": place
            != tuple(record[key] for key in ("seq", "run", "tenant", "requester", "node")),
            "what was shown is not what its record says": sha(question["shown"]) != record["shown_sha256"],
        }
        yield from (f"decision {seq}: {what}" for what, is_wrong in checks.items() if is_wrong)
        digests[seq], last = one["digest"], seq
    if head["seq"] < last or digests.get(head["seq"], head["digest"]) != head["digest"]:
        yield "chain: it ends before the last decision, or otherwise"


def of_history(told: Any, run: Any) -> Iterator[str]:
    """The chain of events against the seals, and events against questions and decisions."""
    link, links = run["id"].encode(), [(0, 0, "")]
    events = [json.loads(text) for text in told["history"]]
    for event, text in zip(events, told["history"]):  # noqa: B905
        link = hashlib.sha256(link + text.encode()).digest()
        links.append((event[0], len(links), link.hex()))
    ends = [link for link, event in zip(links[1:], events) if event[2] in ENDS]  # noqa: B905
    said, found = [], []
    for _, _, kind, node, _, _, what, _ in events:
        if kind in DECIDED and "evidence" in what:
            said.append((kind, node, *map(what.get, ("evidence", "task", "by", "on_behalf_of", "outcome"))))
    for what, digest in ((json.loads(one["record"]), one["digest"]) for one in told["decisions"]):
        by, first, end = what["by"]["username"], what["on_behalf_of"], what["quorum"]["outcome"]
        kind = DECIDED[2 if what["outcome"] == "@returned" else end is not None]
        outcome = what["outcome"] if end is None else end
        found.append((kind, what["node"], digest, what["task"], by, first, outcome))
    sealed = [(one["life"], (one["last_event"], one["events"], one["digest"])) for one in told["seals"]]
    opened = {event[6]["task"] for event in events if event[2] == "TASK_OPENED"}
    checks = {
        "history: its events are out of order": links != sorted(set(links)),
        "history: it is not what was sealed": sealed != list(enumerate(ends, 1))[: run["sealed_life"]],
        "questions: history tells of others": opened != {one["task"] for one in told["questions"]},
        "decisions: history tells of others, or otherwise of them": said != found,
    }
    yield from (what for what, is_wrong in checks.items() if is_wrong)


def main(path: str, digest: str = "") -> int:
    raw = Path(path).read_bytes()
    text, found = raw.decode("utf-8", "surrogateescape"), hashlib.sha256(raw).hexdigest()
    wrong = [*faults(text), *([f"file: its SHA-256 is {found}"] if digest.lower() not in ("", found) else [])]
    print("".join(f"FAULT {fault}\n" for fault in wrong), end="")
    if not wrong:
        told = json.loads(text)
        sealed = sum(one["events"] for one in told["seals"][-1:])
        print(f"Right. Decisions: {len(told['decisions'])}, events: {len(told['history'])}, sealed: {sealed}")
        print(f"SHA-256 of this file (the foot of evidence.html and evidence.pdf says it): {found}")
        print(f"The tenant's decisions ended at {told['chain']['seq']} with {told['chain']['digest']}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
