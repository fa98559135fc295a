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
    found = statements.evidence_of_run(principal.tenant_id, run_id)
    if found is None:
        raise Missing("There is no such run.")
    told: Json = json.loads(found, cls=StoredDecoder)
    records = _records(told["decisions"])
    remarks = _records(told["remarks"])
    return sealed(
        {
            "format": FORMAT,
            "exported": {"at": told["at"], "by": principal.username},
            "run": told["run"],
            "questions": [one for task in told["tasks"] for one in _questions(task, records, remarks)],
            "decisions": told["decisions"],
            "remarks": told["remarks"],
            "history": told["history"],
            "seals": told["seals"],
            "chain": told["chain"] or {"seq": 0, "digest": ledger.FIRST},
        }
    )


def sealed(told: dict[str, Json]) -> str:
    """The text of an evidence.json that says this; its digest is over the text with null in its place."""
    return _text(told | {"sha256": ledger.digest_of(_text(told | {"sha256": None}))})


def _text(told: dict[str, Json]) -> str:
    return json.dumps(told, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _records(links: list[Json]) -> list[Json]:
    return [json.loads(one["record"], cls=StoredDecoder) for one in links]


def _questions(task: Json, records: list[Json], remarks: list[Json]) -> list[dict[str, Json]]:
    """A task as it was shown, once for each round in which it was decided, spoken of or is open."""
    of_it = [record for record in records if record["task"] == task["id"]]
    said = [remark for remark in remarks if remark["task"] == task["id"]]
    shown = {name: task[name] for name in _ASKED}
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
                ledger.shown(ManualTask(**(shown | {"facts": facts.get(number)}), round=number))
            ),
            "without_record": None if of_it else _without_record(task),
        }
        for number in sorted({task["round"], *(record["round"] for record in of_it + said)})
    ]


def _without_record(task: Json) -> dict[str, Json] | None:
    """Who decided a task before decisions were kept as records; None where nobody did."""
    if task["status"] != COMPLETED:
        return None
    said = {name: task[name] for name in ("outcome", "comment", "decided_by", "decided_at")}
    return said | {"data": ledger.canonical(task["data"])}
