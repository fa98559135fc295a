"""The wait of the kind `task`: opens tasks when steps begin to wait for people, and cancels those that nobody needs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from accounts import queries as people
from accounts.names import key_of
from accounts.people import name_of
from engine.catalogue import Json
from lib.uuid7 import uuid7
from runs.kernel import live
from runs.kernel.approvals import covers
from runs.kernel.wait_kinds import Entered, WaitKind
from runs.store.attempts import AttemptResult, ClaimedStep
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import named_by
from tasks_inbox.eligibility.quorum import counts_people, needs_several
from tasks_inbox.forms.texts import written
from tasks_inbox.lifecycle.new_times import retime
from tasks_inbox.lifecycle.working_time import counted
from tasks_inbox.store import statements, trees
from workflows.models import Workflow

_ASKED = (
    "kind",
    "title",
    "instructions",
    "texts",
    "facts",
    "outcomes",
    "form",
    "candidates",
    "quorum",
    "clock",
    "undo_seconds",
    "priority",
    "due_seconds",
)
REQUESTER = "requester"
DECIDER = "decider"
SHOWN_NAMES = 3


def _open(waits: Entered) -> list[tuple[ClaimedStep, AttemptResult]]:
    tasks = counted([(step, wait["task"]) for step, wait in waits])
    askers = trees.askers({step.run_id for step, task in tasks if task.get("exclude_requester")})
    deciders = trees.decided_around(
        {step.run_id for step, task in tasks if task.get("exclude_deciders") and not task.get("again")}
    )
    forms = {step.run_id for step, task in tasks if task["kind"] == "form" and task["candidates"]["users"]}
    starters = statements.requesters(forms)
    rows = [_row(step, task) | _barred(step.run_id, task, askers, deciders) for step, task in tasks]
    for row, (_, task), (_, wait) in zip(rows, tasks, waits, strict=True):
        if task.get("again"):
            row |= _barred_again(row, task, wait["approves"])
    for row, (step, task) in zip(rows, tasks, strict=True):
        if step.run_id in starters and policies.names_user(row["audience"], starters[step.run_id]):
            row["audience"].append(policies.starter_mark(starters[step.run_id]))
        if counts_people(task.get("quorum")):
            candidates = with_manager(step.tenant_id, task["candidates"])
            row["named"] = named_by(step.tenant_id, candidates, row["exclude"], partial(_folder_of, step))
    statements.open_tasks(rows)
    _tell({step.tenant_id for step, _ in tasks})
    return []


def _folder_of(step: ClaimedStep) -> int | None:
    rows = Workflow.objects.for_tenant(step.tenant_id).filter(versions=step.version_id)
    return rows.values_list("folder_id", flat=True).first()


def _leave(runs: Iterable[str]) -> None:
    _tell({*statements.cancel_tasks(runs)})


def _tell(tenants: Collection[int]) -> None:
    """Tell the inboxes once it is committed."""
    if tenants:
        live.tell_inboxes(tenants)


def _barred(
    run: str, task: Mapping[str, Json], askers: Mapping[str, list[str]], deciders: Mapping[str, list[str]]
) -> dict[str, Json]:
    """Who may not decide, and of those whom four eyes bar, why (R-149)."""
    why = {key_of(name): DECIDER for name in deciders.get(run, ()) if task.get("exclude_deciders")}
    if task.get("exclude_requester"):
        why |= dict.fromkeys(map(key_of, askers.get(run, ())), REQUESTER)
    names = [*policies.excluded(task["exclude"]), *why]
    bars = bool(task.get("exclude_deciders"))
    return {"exclude": list(dict.fromkeys(names)), "why_excluded": why or None, "bars_deciders": bars}


def _barred_again(
    row: Mapping[str, Json], task: Mapping[str, Json], withheld: Mapping[str, Json]
) -> dict[str, Json]:
    """The same in the next round of a question: its own deciders may decide again, who made the change may not."""
    run, why = row["run_id"], dict(row["why_excluded"] or {})
    if task.get("exclude_deciders"):
        names = trees.decided_around([run], (run, task["node"])).get(run, [])
        why |= dict.fromkeys(map(key_of, names), DECIDER)
    if task.get("exclude_deciders") or task.get("exclude_requester"):
        why |= dict.fromkeys(map(key_of, withheld["changers"]), policies.CORRECTOR)
    return {"exclude": list(dict.fromkeys([*row["exclude"], *why])), "why_excluded": why or None}


def _row(step: ClaimedStep, task: Mapping[str, Json]) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": uuid7(),
        "run_id": step.run_id,
        "step_id": step.id,
        "node": task.get("node", step.node),
    }
    row["again"] = bool(task.get("again"))
    row["covers"] = row["again"] or (step.index is None and covers(step.version_id, step.node))
    # What was null is not there when a task is opened anew, by what its step says that it waits for.
    row |= {key: task.get(key) for key in _ASKED}
    row["title_parts"] = (task.get("texts") or {}).get("title")
    row |= written(task)
    row["facts"] = [{"value": None} | fact for fact in task["facts"]]
    row["audience"] = policies.audience_of(with_manager(step.tenant_id, task["candidates"]))
    return row


def with_manager(tenant: int, candidates: Mapping[str, Json]) -> Mapping[str, Json]:
    """The candidates with the manager that they name as a user; a manager whom nobody has asks nobody."""
    if not candidates.get("manager_of"):
        return candidates
    manager = people.manager_of(tenant, candidates["manager_of"])
    return {**candidates, "users": [*(candidates.get("users") or ()), manager or policies.NOBODY]}


def _in_words(wait: Mapping[str, Json]) -> str:
    task = wait["task"]
    title = written(task).get("title", task["title"])
    does = "fill in" if task["kind"] == "form" else "decide"
    return f"{whom(task['candidates'], 'somebody')} to {does} “{title}”{_how_many(task.get('quorum'))}"


def _how_many(quorum: Json | None) -> str:
    """How many of them must agree, in words, where it is more than one of them."""
    if quorum is None or not needs_several(quorum):
        return ""
    if groups := quorum.get("groups"):
        return f" ({' and '.join(f'{count} of {name}' for name, count in groups.items())})"
    return f" ({quorum['need']} of them)"


def whom(candidates: Mapping[str, Json], everybody: str) -> str:
    """Those whom a task asks, in words: `ann, the group Finance or an approver`; `everybody` where it names nobody."""
    names = [
        *(name_of(username) for username in candidates.get("users") or ()),
        *(f"the group {name}" for name in candidates.get("groups") or ()),
        *(f"{'an' if role[0] in 'aeiou' else 'a'} {role}" for role in candidates.get("roles") or ()),
        *([f"the manager of {name_of(candidates['manager_of'])}"] if candidates.get("manager_of") else ()),
    ]
    if not names:
        return everybody
    return _either(names if len(names) <= SHOWN_NAMES else [*names[: SHOWN_NAMES - 1], "others"])


def people_in(candidates: Mapping[str, Json]) -> list[str]:
    """The usernames that `whom` names."""
    manager_of = candidates.get("manager_of")
    return [*(candidates.get("users") or ()), *([manager_of] if manager_of else ())]


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


TASK = WaitKind(
    enter=_open,
    in_words=_in_words,
    source="person",
    in_short="a person",
    for_requester=lambda _: "Waiting for a person",
    leave=_leave,
    missing=statements.missing_tasks,
    page_part="inbox/_wait.html",
    people=lambda wait: people_in(wait["task"]["candidates"]),
    names_step=True,
    retime=retime,
)
