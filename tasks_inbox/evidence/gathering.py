"""All that is evidence in one run, as the text of an evidence.json that needs nothing else to be checked (R-149)."""

import json
from collections.abc import Iterable
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_READ, TASKS_READ
from engine.catalogue import Json
from lib.refusals import Missing
from lib.stored_json import StoredDecoder
from runs.files import store
from runs.files.limits import NAMED_FILES
from tasks_inbox.evidence import ledger
from tasks_inbox.models import COMPLETED, ManualTask
from tasks_inbox.store import statements

FORMAT = "handoff-evidence/2"
_ASKED = ("title", "instructions", "facts", "outcomes", "form", "quorum")
_OPEN_TO_ALL = (
    *("id", "tenant", "parent", "rerun_of", "place"),
    *("status", "created_at", "completed_at", "sealed_life"),
)
"""What is told of a run whose workflow the reader may not read."""


def evidence_of(principal: Principal, run_id: UUID) -> str:
    """The evidence.json of the tenant's run, of the runs below it and of what these reran; those that the principal
    may not read are without what they are about. Raises Missing, and NotAllowed without the scopes for tasks and runs.
    """
    principal.require(TASKS_READ)
    principal.require(RUNS_READ)
    text = statements.evidence_of_run(principal.tenant_id, run_id)
    if text is None:
        raise Missing("There is no such run.")
    evidence: Json = json.loads(text, cls=StoredDecoder)
    first, *others = runs = evidence["runs"]
    for one in runs:
        one["readable"] = one is first or principal.may_in(RUNS_READ, one["folder"])
    readable = [one for one in runs if one["readable"]]
    return sealed(
        {
            "format": FORMAT,
            "exported": {"at": evidence["at"], "by": principal.username},
            "run": first["run"],
            "questions": [question for one in readable for question in _questions_of(one)],
            "decisions": _in_order(_decision(one, link) for one in runs for link in one["decisions"]),
            "remarks": _in_order(link for one in readable for link in one["remarks"]),
            "files": store.files_used(principal.tenant_id, str(run_id), NAMED_FILES),
            "history": first["history"],
            "seals": first["seals"],
            "runs": [_below(one) for one in others],
            "chain": evidence["chain"] or {"seq": 0, "digest": ledger.FIRST},
        }
    )


def _in_order(links: Iterable[Json]) -> list[Json]:
    return sorted(links, key=lambda link: link["seq"])


def _decision(run: Json, link: dict[str, Json]) -> dict[str, Json]:
    """A decision with its place: the steps that lead from the root run down to the one that asked."""
    record = json.loads(link["record"], cls=StoredDecoder)
    place = [*run["run"]["place"], {"node": record["node"], "index": None}]
    if run["readable"]:
        return link | {"place": place}
    what = {
        "run": record["run"],
        "by": record["by"]["username"],
        "outcome": record["outcome"],
        "at": record["at"],
    }
    return link | {"place": place, "record": None, "hidden": what}


def _below(one: Json) -> dict[str, Json]:
    run: dict[str, Json] = (
        one["run"] if one["readable"] else {name: one["run"][name] for name in _OPEN_TO_ALL}
    )
    return run | {"history": one["history"] if one["readable"] else None, "seals": one["seals"]}


def _questions_of(run: Json) -> list[dict[str, Json]]:
    records, remarks = _records(run["decisions"]), _records(run["remarks"])
    place = run["run"]["place"]
    return [
        question | {"run": run["run"]["id"], "place": [*place, {"node": question["node"], "index": None}]}
        for task in run["tasks"]
        for question in _questions(task, records, remarks)
    ]


def sealed(evidence: dict[str, Json]) -> str:
    """The text of an evidence.json that says this; its digest is over the text with null in its place."""
    return _text(evidence | {"sha256": ledger.digest_of(_text(evidence | {"sha256": None}))})


def _text(evidence: dict[str, Json]) -> str:
    return json.dumps(evidence, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _records(links: list[Json]) -> list[Json]:
    return [json.loads(one["record"], cls=StoredDecoder) for one in links]


def _questions(task: Json, records: list[Json], remarks: list[Json]) -> list[dict[str, Json]]:
    """A task as it was shown, once for each round in which it was decided, spoken of or is open."""
    of_it = [record for record in records if record["task"] == task["id"]]
    remarks_of_it = [remark for remark in remarks if remark["task"] == task["id"]]
    question = {name: task[name] for name in _ASKED}
    # Of the rounds before, what may have been corrected since is as it was then; what somebody took away is nothing,
    # and whoever checks the record finds that.
    by_round = {one["round"]: {"facts": None} | one for one in task["earlier"]} | {task["round"]: question}
    return [
        {
            "task": task["id"],
            "round": number,
            "node": task["node"],
            "kind": task["kind"],
            "status": task["status"],
            "asked_at": task["created_at"],
            "shown": ledger.canonical(
                ledger.shown(
                    ManualTask(**(question | by_round.get(number, {"facts": None}) | {"round": number}))
                )
            ),
            "without_record": None if of_it else _without_record(task),
        }
        for number in sorted({task["round"], *(record["round"] for record in of_it + remarks_of_it)})
    ]


def _without_record(task: Json) -> dict[str, Json] | None:
    """Who decided a task before decisions were kept as records; None where nobody did."""
    if task["status"] != COMPLETED:
        return None
    decision = {name: task[name] for name in ("outcome", "comment", "decided_by", "decided_at")}
    return decision | {"data": ledger.canonical(task["data"])}
