"""What is left of bulk jobs: one run, dead letter or task a transaction, whichever worker comes to it."""

import logging
import time
from collections.abc import Callable, Mapping
from uuid import UUID

from django.db import transaction

from accounts.principal import Principal
from engine.verbs import why_not
from lib import crash_points
from lib.database_errors import OPERATIONAL_ERRORS, is_away
from lib.refusals import Refusal
from operations.bulk import letters, store, tasks
from operations.bulk.limits import ITEM_ATTEMPTS, LOCK_SECONDS
from operations.bulk.models import (
    ABLE,
    DONE,
    ENDED,
    LETTERS,
    MIGRATE,
    MOVED,
    REASSIGN,
    REFUSED,
    RUNS,
    TASKS,
    subject_of,
)
from operations.bulk.rights import Actors
from operations.bulk.store import Item
from runs.commands.bulk import doing
from runs.commands.migration import check_run, first_of, migrate_run
from runs.commands.moving import refusal_of
from runs.commands.reassigning import Taker, reassign_run
from runs.kernel.refused import RunRefused, below_paused
from runs.models import Run

log = logging.getLogger(__name__)

SECONDS = 0.8


def work(seconds: float = SECONDS, job: UUID | None = None) -> int:
    """Do items of bulk jobs for about so long; gives how many were done. Of one `job`: each item once, and what others
    have locked for long is left to the next who work.
    """
    until, count, actors = time.monotonic() + seconds, 0, Actors()
    while (left := until - time.monotonic()) > 0:
        if not _one(actors, job, None if job is None else min(left, LOCK_SECONDS)):
            store.end_jobs()
            break
        count += 1
    return count


def _one(actors: Actors, job: UUID | None = None, patience: float | None = None) -> bool:
    """Do the next item; whether there was one. What became of it is written with its run, or not at all."""
    item = None
    try:
        with transaction.atomic():
            item = store.next_item(job, patience)
            if item is None:
                return False
            _decide(actors, item)
            crash_points.hit("before_commit")
    except OPERATIONAL_ERRORS as error:
        if item is None or is_away(error):
            raise
        _put_off(item)
    return True


def _decide(actors: Actors, item: Item) -> None:
    try:
        with transaction.atomic():
            _do(actors, item)
    except RunRefused as refusal:
        code, node = first_of(refusal)
        if subject_of(item.verb) == RUNS and item.verb != "resume" and _has_ended(item):
            store.end_item(item.id, ENDED, "ended", None, "It ended before its turn came.")
        else:
            store.end_item(item.id, REFUSED, code, node, refusal.message)
    except Refusal as refusal:
        store.end_item(item.id, REFUSED, refusal.code, None, refusal.message)
    except OPERATIONAL_ERRORS:
        raise
    except Exception as error:
        log.exception("Run %s: %s can't be done", item.run, item.verb)
        store.end_item(item.id, REFUSED, "error", None, f"It could not be done: {type(error).__name__}.")


def _do(actors: Actors, item: Item) -> None:
    who = actors.require(item)
    if (do_target := _TARGETS.get(subject_of(item.verb))) is not None:
        do_target(who, item)
    elif item.verb == REASSIGN:
        _reassign(who, item)
    elif item.verb != MIGRATE or item.version is None:
        _do_verb(item)
    elif item.dry_run:
        checked = check_run(item.tenant_id, item.run, item.version)
        if checked.problems:
            raise refusal_of(checked.problems)
        store.end_item(item.id, ABLE)
    else:
        migrate_run(item.tenant_id, item.run, item.version, by=item.by, reason=item.reason, job=item.job)
        store.end_item(item.id, MOVED)


_TARGETS: Mapping[str, Callable[[Principal, Item], None]] = {
    LETTERS: letters.do_letter,
    TASKS: tasks.do_task,
}


def _reassign(who: Principal, item: Item) -> None:
    """Give the open tasks of the run to somebody, as who asked for it may now."""
    if _has_ended(item):
        raise RunRefused("ended", "It is over.")
    to = Taker(item.assignee, item.group)
    reassign_run(who, item.run, to, reason=item.reason, dry_run=item.dry_run)
    store.end_item(item.id, ABLE if item.dry_run else DONE)


def _do_verb(item: Item) -> None:
    if not item.dry_run:
        doing(item.verb, compensate=item.compensate)(
            item.tenant_id, [item.run], by=item.by, reason=item.reason
        )
        store.end_item(item.id, DONE)
        return
    rows = Run.objects.for_tenant(item.tenant_id).filter(pk=item.run)
    status = rows.values_list("status", flat=True).first()
    if status is None:
        raise RunRefused("unknown_run", "There is no such run.")
    if (why := why_not(status, item.verb) or below_paused([item.run], item.verb).get(item.run)) is not None:
        raise RunRefused(why.code, why.sentence)
    store.end_item(item.id, ABLE)


def _has_ended(item: Item) -> bool:
    rows = Run.objects.for_tenant(item.tenant_id).filter(pk=item.run)
    return rows.filter(completed_at__isnull=False).exists()


def _put_off(item: Item) -> None:
    if item.tries + 1 < ITEM_ATTEMPTS:
        store.put_off(item.id)
    else:
        store.end_item(item.id, REFUSED, "busy", None, "Others were busy with it each time. Try again later.")
