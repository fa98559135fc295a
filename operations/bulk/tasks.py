"""Bulk jobs of tasks: all that a search finds in the inbox are claimed, assigned, snoozed or decided, each by itself.

A decision is about what its dry run has shown: a task that was changed since is refused in its row.
"""

from datetime import datetime
from uuid import UUID

from accounts.principal import Principal
from engine.catalogue import Json
from lib.refusals import Conflict, Invalid
from operations.bulk import service, store
from operations.bulk.limits import JOB_RUNS
from operations.bulk.models import ABLE, DECIDE, DONE, BulkJob
from operations.bulk.service import Terms
from operations.bulk.store import Item
from runs.commands.reassigning import Taker
from tasks_inbox.actions import bulk_items
from tasks_inbox.actions.bulk import BulkCommand
from tasks_inbox.models import label_of
from tasks_inbox.reading.sources import View


def begin_tasks(
    who: Principal,
    command: BulkCommand,
    query: str,
    *,
    view: View | None = "teams",
    run: UUID | None = None,
    dry_run: bool = False,
) -> BulkJob:
    """Do this, in the background, to all tasks that a search finds in a view of who asks, or in a run; or only look,
    with `dry_run`. A decision is reviewed first: it begins with a dry run, which `service.go` goes on with.

    Raises Forbidden, Invalid for what can't be searched or done, for too many tasks and, of a decision, for tasks of
    several steps, and Conflict for a decision that was not reviewed.
    """
    command = bulk_items.check_command(who, command)
    if command.action == DECIDE and not dry_run:
        message = "Decisions are reviewed first: begin with `dry_run`, then go on with that job."
        raise Conflict(message, code="not_reviewed", field="dry_run")
    pairs = bulk_items.found_tasks(who, view, query, run, JOB_RUNS)
    if len(pairs) > JOB_RUNS:
        message = f"This finds more than {JOB_RUNS:,} tasks: search for fewer."
        raise Invalid(message, code="too_many", field="query")
    ids = [task for _, task in pairs]
    one = bulk_items.require_one_type(who.tenant_id, ids) if command.action == DECIDE else None
    terms = Terms(
        command.action,
        query,
        None,
        None,
        Taker(command.assignee),
        dry_run=dry_run,
        reason=command.reason or "",
        terms=_written(who, command, view, run)
        | {"label": label_of(one.outcomes, command.outcome) if one else ""},
    )
    return service.begin_terms(who, [run_id for run_id, _ in pairs], terms, targets=ids)


def _written(who: Principal, command: BulkCommand, view: View | None, run: UUID | None) -> dict[str, Json]:
    return {
        "all": True,
        "view": view,
        "run": run and str(run),
        "via": who.via,
        "until": command.until and command.until.isoformat(),
        "outcome": command.outcome,
        "comment": command.comment,
    }


def do_task(who: Principal, item: Item) -> None:
    """Do the verb of a job to one task, or find out whether it can be done. Raises Refusal and RunRefused."""
    terms, task_id = item.terms, UUID(item.target)
    command = BulkCommand(
        item.verb,
        assignee=item.assignee,
        until=datetime.fromisoformat(terms["until"]) if terms.get("until") else None,
        outcome=terms.get("outcome", ""),
        comment=terms.get("comment", ""),
        reason=item.reason or None,
    )
    if item.dry_run:
        store.end_item(item.id, ABLE, seen=bulk_items.check_task(who, task_id, command))
        return
    bulk_items.act_on(who, task_id, command, item.seen or None)
    store.end_item(item.id, DONE)
