"""All that is evidence in one run, as the text of an evidence.json that needs nothing else to be checked (R-149)."""

import json
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_READ, TASKS_READ
from engine.catalogue import Json
from lib.refusals import Missing
from lib.stored_json import StoredDecoder
from tasks_inbox.evidence import ledger
from tasks_inbox.models import COMPLETED, ManualTask
from tasks_inbox.store import statements

FORMAT = "handoff-evidence/1"
_ASKED = ("title", "instructions", "facts", "outcomes", "form", "quorum")


def evidence_of(principal: Principal, run_id: UUID) -> str:
    """The evidence.json of the tenant's run. Raises Missing, and NotAllowed without the scopes for tasks and runs."""
    principal.require(TASKS_READ)
    principal.require(RUNS_READ)
    text = statements.evidence_of_run(principal.tenant_id, run_id)
    if text is None:
        raise Missing("There is no such run.")
    evidence: Json = json.loads(text, cls=StoredDecoder)
    records = _records(evidence["decisions"])
    remarks = _records(evidence["remarks"])
    return sealed(
        {
            "format": FORMAT,
            "exported": {"at": evidence["at"], "by": principal.username},
            "run": evidence["run"],
            "questions": [one for task in evidence["tasks"] for one in _questions(task, records, remarks)],
            "decisions": evidence["decisions"],
            "remarks": evidence["remarks"],
            "history": evidence["history"],
            "seals": evidence["seals"],
            "chain": evidence["chain"] or {"seq": 0, "digest": ledger.FIRST},
        }
    )


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
    facts = {one["round"]: one["facts"] for one in task["earlier"]} | {task["round"]: task["facts"]}
    return [
        {
            "task": task["id"],
            "round": number,
            "node": task["node"],
            "kind": task["kind"],
            "status": task["status"],
            "asked_at": task["created_at"],
            "shown": ledger.canonical(
                ledger.shown(ManualTask(**(question | {"facts": facts.get(number)}), round=number))
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
