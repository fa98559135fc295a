"""Checks an evidence.json by itself, offline: `python verify.py evidence.json [its SHA-256]`, Python 3.9.
Says each fault and exits 1, or says what it found right and exits 0; 2: no such file. README.txt: what that proves."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035

FORMAT, FIRST, DECIDED = "handoff-evidence/2", "0" * 64, ("TASK_VOTED", "TASK_COMPLETED", "TASK_RETURNED")
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
        runs = runs_of(evidence)
        by_id = {run["id"]: run for run in runs}
        yield from of_decisions(evidence, by_id, folder)
        yield from of_files("start", evidence.get("files", ()), folder)
        for run in runs:
            yield from of_run(run, by_id)
            if run["history"] is not None:
                yield from (f"run {run['id']}: {fault}" for fault in of_history(evidence, run, by_id))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        yield f"file: it can't be read ({error!a})"


def runs_of(evidence: Any) -> Any:
    """The run, then the others of its tree, each with history and seals; the history is null where it is not shown."""
    return [
        {**evidence["run"], "history": evidence["history"], "seals": evidence["seals"]},
        *evidence["runs"],
    ]


def of_decisions(evidence: Any, runs: Any, folder: Path) -> Iterator[str]:
    """Each link against its digest, its run, the one before; a decision also against what was shown and its files."""
    questions = {(one["run"], one["task"], one["round"], one["node"]): one for one in evidence["questions"]}
    digests, last, head = {0: FIRST}, 0, evidence["chain"]
    links = [(name[:-1], one) for name in ("decisions", "remarks") for one in evidence[name]]
    for kind, one in sorted(links, key=lambda link: link[1]["seq"]):
        seq, is_remark, is_hidden = one["seq"], kind == "remark", one["record"] is None
        record = {"previous": None, **one["hidden"]} if is_hidden else json.loads(one["record"])
        run = runs[record["run"]]
        checks = {
            "it follows another one": seq <= last
            or (not is_hidden and digests.get(seq - 1) not in (None, record["previous"])),
            "it is not hidden like its run": is_hidden != (run["history"] is None),
            "its place is not that of its run": not (is_remark or one["place"][:-1] == run["place"]),
        }
        if not is_hidden:
            question = questions.get(
                (record["run"], record["task"], record["round"], record["node"]), {"shown": "{}"}
            )
            place = {
                "seq": seq,
                "tenant": run["tenant"],
                **({} if is_remark else {"requester": run["requester"]}),
            }
            checks["its record is not what its digest says"] = sha(one["record"]) != one["digest"]
            checks["its record is of another place, run or tenant"] = any(
                record.get(name, value) != value for name, value in place.items()
            )
            checks["it is of another kind, or of no question"] = (
                "remark" in record
            ) != is_remark or "run" not in question
            step = {"node": record["node"], "index": None}
            checks["its place is not that of its record"] = not (is_remark or one["place"][-1] == step)
            checks["what was shown is not what its record says"] = (
                not is_remark and sha(question["shown"]) != record["shown_sha256"]
            )
        yield from (f"{kind} {seq}: {fault}" for fault, is_wrong in checks.items() if is_wrong)
        yield from of_files(f"decision {seq}", record.get("files", ()), folder)
        digests[seq], last = one["digest"], seq
    if head["seq"] < last or digests.get(head["seq"], head["digest"]) != head["digest"]:
        yield "chain: it ends before the last decision, or otherwise"


def of_files(whose: str, files: Any, folder: Path) -> Iterator[str]:
    """Files of which the evidence tells against those beside it."""
    for file in files if folder.is_dir() else ():
        path = folder / f"{file['id']}-{file['name']}"
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
            yield f"{whose}: its file {path.name} is missing, or is not what its record says"


def of_run(run: Any, runs: Any) -> Iterator[str]:
    """A run of the tree against its parent: its own history says which step began it."""
    parent, begun = runs.get(run["parent"]), json.loads(run["history"][0])[6] if run["history"] else None
    if begun is not None and begun.get("rerun_of") != run["rerun_of"]:
        yield f"run {run['id']}: its history tells of another run that it reran"
    if parent is not None and parent["place"] != run["place"][:-1]:
        yield f"run {run['id']}: its place is not below that of its parent"
    if begun is None or "parent" not in begun:
        return
    step = {"node": begun["parent_step"], "index": begun.get("index")}
    if (run["parent"], run["place"][-1:]) != (begun["parent"], [step]):
        yield f"run {run['id']}: its history tells of another parent or place"


def of_history(evidence: Any, run: Any, runs: Any) -> Iterator[str]:
    """The chain of events against the seals, and events against questions, decisions and the other runs."""
    link, links, rows, records = run["id"].encode(), [(0, 0, "")], [], []
    events = [json.loads(text) for text in run["history"]]
    for event, text in zip(events, run["history"]):  # noqa: B905
        link = hashlib.sha256(link + text.encode()).digest()
        links.append((event[0], len(links), link.hex()))
        if event[2] in DECIDED and "evidence" in event[6]:
            rows.append((*event[2:4], *map(event[6].get, "evidence task by on_behalf_of outcome".split())))  # noqa: SIM905
    ends = [link for link, event in zip(links[1:], events) if event[2] in ENDS]  # noqa: B905
    own = [one for one in evidence["decisions"] if one["record"]]
    for record, digest in ((json.loads(one["record"]), one["digest"]) for one in own):
        if record["run"] == run["id"]:
            by, first, end = record["by"]["username"], record["on_behalf_of"], record["quorum"]["outcome"]
            kind = DECIDED[2 if record["outcome"] == "@returned" else end is not None]
            records.append(
                (kind, record["node"], digest, record["task"], by, first, end or record["outcome"])
            )
    seals = [(one["life"], (one["last_event"], one["events"], one["digest"])) for one in run["seals"]]
    opened_tasks = {event[6]["task"] for event in events if event[2] == "TASK_OPENED"}
    questions = {one["task"] for one in evidence["questions"] if one["run"] == run["id"]}
    checks = {
        "history: its events are out of order": links != sorted(set(links)),
        "history: it is not what was sealed": seals != list(enumerate(ends, 1))[: run["sealed_life"]],
        "questions: history tells of others": opened_tasks != questions,
        "decisions: history tells of others, or otherwise of them": rows != records,
        "runs: one that history names is not there": not named(events) <= set(runs),
    }
    yield from (fault for fault, is_wrong in checks.items() if is_wrong)


def named(events: Any) -> Any:
    """The ids of the runs that a history names: begun by its steps, what it continues as, and what it reran."""
    begun: Any = {}
    for event in events:
        step = (event[3], event[6].get("index"))
        if event[2] == "STEP_WAITING" and event[6].get("kind") == "run":
            begun.setdefault(step, []).append(event[6]["run"])
        elif (event[6].get("error") or {}).get("code") == "ChildNotStarted" and begun.get(step):
            begun[step].pop()
    others = {event[6]["as"] for event in events if event[2] == "RUN_CONTINUED"}
    others |= {event[6]["rerun_of"] for event in events if event[6].get("rerun_of")}
    return {run for runs in begun.values() for run in runs} | others


def main(path: str, digest: str = "") -> int:
    raw = Path(path).read_bytes()
    text, own = raw.decode("utf-8", "surrogateescape"), hashlib.sha256(raw).hexdigest()
    folder = Path(path).parent / "files"
    wrong = [*faults(text, folder), *[f"file: its SHA-256 is {own}"] * (digest.lower() not in ("", own))]
    print("".join(f"FAULT {fault}\n" for fault in wrong), end="")
    if not wrong:
        data = json.loads(text)
        runs, hidden = runs_of(data), sum(one["history"] is None for one in data["runs"])
        events = sum(len(run["history"] or ()) for run in runs)
        sealed = sum(run["seals"][-1]["events"] for run in runs if run["history"] and run["seals"])
        counts = ", ".join(f"{name}: {len(data[name])}" for name in ("decisions", "remarks"))
        print(f"Right. {counts.capitalize()}, runs: {len(runs)}, events: {events}, sealed: {sealed}")
        for run in (one for one in runs if one["completed_at"] is None and one["history"]):
            print(
                f"Run {run['id']} was open: this is complete up to event {json.loads(run['history'][-1])[0]}."
            )
        if hidden:
            print(
                f"Runs not checked, as whoever exported this may not read them: {hidden}; their decisions are listed."
            )
        print(
            "The files beside it were checked, too." if folder.is_dir() else "There are no files beside it."
        )
        print(f"SHA-256 of this file (the foot of evidence.html and evidence.pdf says it): {own}")
        print(f"The tenant's decisions ended at {data['chain']['seq']} with {data['chain']['digest']}")
    return int(bool(wrong))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not Path(sys.argv[1]).is_file():
        sys.exit(print("Usage: python verify.py evidence.json [its SHA-256]", file=sys.stderr) or 2)
    sys.exit(main(*sys.argv[1:]))
